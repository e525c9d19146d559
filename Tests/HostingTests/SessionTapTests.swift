import Foundation
import TestSupport
import Testing

@testable import Hosting

@Suite("Recordings of a host")
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

    /// Records the beginning of a WebSocket, which gets room to grow.
    private func openSocket(_ tap: SessionTap) {
        tap.opened(1, scheme: "http")
        Array(Self.handshake.utf8).withUnsafeBytes {
            tap.clientSent($0, on: 1, at: .init(secondsSinceEpoch: 1))
        }
        Array(Self.accepted.utf8).withUnsafeBytes {
            tap.serverSent($0, on: 1, at: .init(secondsSinceEpoch: 2))
        }
        tap.write()
    }

    @Test("A finished recording is complete, and has no room to grow any more")
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

    @Test("A recording whose file was removed is not complete, and its twin is left")
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

    @Test("A discarded recording is not complete, and leaves no file")
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
