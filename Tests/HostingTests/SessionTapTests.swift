import FitIQAPI
import Foundation
import TestSupport
import Testing
import Traffic

@testable import Hosting

@Suite("Host recordings")
struct SessionTapTests {
    private static let handshake =
        "GET /ws HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    private static let accepted =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"

    private func begin(at path: String) throws -> SessionTap {
        try SessionTap(.init(creatorVersion: "1"), to: path, program: "server")
    }

    /// Records the beginning of a WebSocket, whose entry gets space to grow.
    private func openSocket(_ tap: SessionTap) {
        tap.opened(1, scheme: "http")
        send(Self.handshake, by: .client, on: 1, at: 1, tap)
        send(Self.accepted, by: .server, on: 1, at: 2, tap)
        tap.write()
    }

    private func send(_ text: String, by party: Party, on connection: UInt64, at second: Int64, _ tap: SessionTap) {
        let time = Timestamp(secondsSinceEpoch: second)
        Array(text.utf8).withUnsafeBytes {
            party == .client
                ? tap.clientSent($0, on: connection, at: time) : tap.serverSent($0, on: connection, at: time)
        }
    }

    @Test("A clock step changes the dates of later connections but not their durations", arguments: [28_800, -28_800])
    func clockSteps(_ step: Int64) throws {
        try ScratchFolder.lend { folder in
            let tap = try begin(at: folder + "/a.har")
            let day: Int64 = 86_400
            tap.opened(1, scheme: "http")
            send(Self.handshake, by: .client, on: 1, at: day, tap)
            tap.clockStepped(by: step * 1_000_000_000)
            tap.opened(2, scheme: "http")
            send(Self.handshake, by: .client, on: 2, at: day + 2, tap)
            send(Self.accepted, by: .server, on: 2, at: day + 3, tap)
            send(Self.accepted, by: .server, on: 1, at: day + 4, tap)
            tap.ended(2, byServer: false, isReset: false, at: .init(secondsSinceEpoch: day + 6))
            _ = tap.finish(at: .init(secondsSinceEpoch: day + 9))
            let bytes = Array((contents(folder + "/a.har") ?? "").utf8)
            let sockets = try HARFile(reading: bytes).session.entries.map { entry -> [Int64] in
                guard let opened = entry.opened else { return [] }
                return [entry.started, opened, entry.ending?.time ?? opened].map(\.secondsSinceEpoch)
            }
            let (first, second) = ([day, day + 4, day + 4], [day + 2, day + 3, day + 6].map { $0 + step })
            #expect(sockets == (step > 0 ? [first, second] : [second, first]))
        }
    }

    @Test("A finished recording is complete and has no reserved space")
    func finished() throws {
        try ScratchFolder.lend { folder in
            let path = folder + "/a.har"
            let tap = try begin(at: path)
            openSocket(tap)
            let growing = try #require(contents(path))
            let summary = tap.finish(at: .init(secondsSinceEpoch: 3))
            #expect(summary.sockets == 1 && summary.isComplete && summary.place == .wanted)
            let finished = try #require(contents(path))
            #expect(growing.contains("/ws") && finished.contains("/ws"))
            #expect(finished.utf8.count < growing.utf8.count - 1000)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a.har"])
        }
    }

    @Test("A recording is incomplete if its file was removed")
    func removed() throws {
        try ScratchFolder.lend { folder in
            let path = folder + "/a.har"
            let tap = try begin(at: path)
            try FileManager.default.removeItem(atPath: path)
            openSocket(tap)
            let summary = tap.finish(at: .init(secondsSinceEpoch: 3))
            #expect(!summary.isComplete && summary.place == .beside(path + ".part"))
        }
    }

    @Test("A discarded recording is incomplete and leaves no file")
    func discarded() throws {
        try ScratchFolder.lend { folder in
            let tap = try begin(at: folder + "/a.har")
            tap.discard()
            let summary = tap.finish(at: .init(secondsSinceEpoch: 3))
            #expect(!summary.isComplete && summary.place == .gone)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
        }
    }
}
