import FitIQAPI
import Scenarios
import TestSupport
import Testing

@testable import Hosting
@testable import MockServer
@testable import Sockets

@Suite("A tap on a host's connections", .serialized)
struct TapTests {
    /// Logs reports about connections on the loop's thread; read it only after that thread has ended.
    private final class Log: Tap {
        var events: [String] = []
        var sent: [UInt64: [UInt8]] = [:]
        var received: [UInt64: [UInt8]] = [:]
        var turns = 0
        var onWrite: () -> Void = {}

        func clockStepped(by step: Int64) { events.append("clock stepped by \(step)") }
        func opened(_ connection: UInt64, scheme: String) { events.append("opened \(scheme)") }

        func clientSent(_ bytes: UnsafeRawBufferPointer, on connection: UInt64, at time: Timestamp) {
            received[connection, default: []] += bytes
        }

        func serverSent(_ bytes: UnsafeRawBufferPointer, on connection: UInt64, at time: Timestamp) {
            sent[connection, default: []] += bytes
        }

        func finished(_ connection: UInt64, byServer: Bool, at time: Timestamp) {
            events.append("\(byServer ? "server" : "client") finished")
        }

        func ended(_ connection: UInt64, byServer: Bool, isReset: Bool, at time: Timestamp) {
            events.append("\(byServer ? "server" : "client") \(isReset ? "reset" : "closed")")
        }

        func write() {
            turns += 1
            onWrite()
        }
    }

    private func tapped(_ faults: String = "[]") throws -> (RunningHost, Unshared) {
        let scenario = try Scenario.read("{name: f, faults: \(faults)}")
        let server = try RunningHost(.platformDefault, isSecure: true) { $0.scenario = scenario }
        let log = Unshared(Log())
        try server.onLoop { $0.tap = log.value }
        return (server, log)
    }

    private func end(_ client: HostClient, _ server: RunningHost) throws {
        client.stream.close()
        try server.untilServed(connections: 0)
        try server.shutDown()
    }

    /// Runs a conversation with a server that has a tap, and returns what the tap read.
    private func log(_ fault: String? = nil, isSecure: Bool, _ talk: (HostClient) throws -> Void) throws -> Log {
        let (server, log) = try tapped(fault.map { "[{on: GET /api/v1/goals, \($0)}]" } ?? "[]")
        let client = try server.connect(isSecure: isSecure)
        try talk(client)
        try end(client, server)
        return log.value
    }

    /// Holds a value that only one thread uses at a time.
    private final class Unshared: @unchecked Sendable {
        let value: Log
        init(_ value: Log) { self.value = value }
    }

    private let request = Request.authorized(.get, "/api/v1/goals")

    @Test("The tap receives the decrypted bytes in both directions", arguments: [true, false])
    func bytes(isSecure: Bool) throws {
        var answers: [UInt8] = []
        let log = try log(isSecure: isSecure) { client in
            for _ in 0..<3 {
                try client.write(request.bytes)
                answers += try client.read()
            }
        }
        #expect(Array(log.received.values) == [request.bytes + request.bytes + request.bytes])
        #expect(Array(log.sent.values) == [answers] && log.turns > 0)
        #expect(log.events.first == (isSecure ? "opened https" : "opened http"))
    }

    /// Whether any part of an answer has arrived; this does not wait.
    private func hasAnswer(_ client: HostClient) -> Bool {
        while let bytes = try? client.stream.read(timeout: .zero), !bytes.isEmpty {
            guard let tls = client.tls else { return true }
            bytes.withUnsafeBytes { tls.receive($0) }
        }
        var plaintext: [UInt8] = []
        return client.tls?.readPlaintext(into: &plaintext, limit: 1) ?? false
    }

    @Test("The tap receives an answer before the client receives any of it", arguments: [true, false])
    func writtenFirst(isSecure: Bool) throws {
        let (server, log) = try tapped()
        let (isWriting, goesOn) = (try Gate(), try Gate())
        try server.onLoop { _ in
            log.value.onWrite = {
                guard !log.value.sent.isEmpty else { return }
                isWriting.open()
                goesOn.wait(until: .now().advanced(by: RunningHost.patience))
            }
        }
        let client = try server.connect(isSecure: isSecure)
        try client.write(request.bytes)
        #expect(isWriting.wait(until: .now().advanced(by: RunningHost.patience)))
        #expect(!hasAnswer(client))
        goesOn.open()
        let answer = try client.read()
        try end(client, server)
        #expect(Array(log.value.sent.values) == [answer])
    }

    @Test("The tap receives a slow reader's long answer once, in order and in pieces", arguments: [true, false])
    func slowReader(isSecure: Bool) throws {
        var answers: [UInt8] = []
        let request = Request(method: .get, target: "/openapi.yaml")
        let log = try log(isSecure: isSecure) { client in
            // Send more than a socket buffers before reading anything.
            for _ in 0..<200 { try client.write(request.bytes) }
            client.stream.finishWriting()
            while let bytes = try? client.read(), !bytes.isEmpty { answers += bytes }
        }
        #expect(answers.count > 4_000_000 && Array(log.sent.values) == [answers], "\(answers.count)")
    }

    @Test(
        "The tap learns who ended a connection and how",
        arguments: [
            (nil, ["client finished", "server closed"]), ("truncate: {after: 20}", ["server finished"]),
            ("reset: {after: 20}", ["server reset"]),
        ], [true, false])
    func endings(_ row: (fault: String?, events: [String]), isSecure: Bool) throws {
        let log = try log(row.fault, isSecure: isSecure) { client in
            try client.write(request.bytes)
            _ = try? client.read()
            if row.fault == nil {
                client.tls?.close()
                try client.flush()
                client.stream.finishWriting()
            }
            while let bytes = try? client.read(), !bytes.isEmpty {}
        }
        #expect(Array(log.events.dropFirst().prefix(row.events.count)) == row.events, "\(log.events)")
        #expect(log.events.filter { $0.hasSuffix("closed") || $0.hasSuffix("reset") }.count == 1, "\(log.events)")
    }

    @Test("The tap is notified when a client drops the connection", arguments: [true, false])
    func brokenOff(isSecure: Bool) throws {
        let log = try log(isSecure: isSecure) { client in
            try client.write(request.bytes)
            _ = try client.read()
            client.stream.reset()
        }
        #expect(Array(log.events.dropFirst()) == ["client reset"], "\(log.events)")
    }

    @Test("The tap receives the server's end of a connection only once")
    func finishedOnce() throws {
        let (server, log) = try tapped()
        let client = try server.connect()
        #expect(try client.exchange(Request(fields: ["Connection: close"])).status == 200)
        #expect(try client.read().isEmpty)
        try server.onLoop { host in
            for connection in host.engine.connections { host.engine.touch(connection) }
            host.flushTouched(.now())
        }
        try end(client, server)
        #expect(log.value.events.filter { $0 == "server finished" }.count == 1, "\(log.value.events)")
    }

    @Test("A clock step reaches the worlds and the tap exactly once")
    func clockSteps() throws {
        let hours: Int64 = 8 * 3600
        let (server, log) = try tapped()
        try server.onLoop { host in
            let offset = host.loop.clocks.epoch - hours * 1_000_000_000
            host.loop.clocks = ClockComparison(.init(offset: offset))
        }
        let client = try server.connect()
        let end = MonotonicInstant.now().advanced(by: RunningHost.patience)
        // The tap reads the clocks at most once per millisecond.
        while try server.onLoop({ _ in log.value.events.count { $0.hasPrefix("clock") } }) == 0, .now() < end {
            _ = try client.exchange(request)
        }
        let (date, now) = try server.onLoop { host in
            (host.engine.defaultWorld.turn.date.secondsSinceEpoch, host.time(.now()).secondsSinceEpoch)
        }
        #expect(abs(date - now - hours) <= 30)
        client.stream.close()
        try server.shutDown()
        let steps = log.value.events.compactMap { Int64($0.dropFirst("clock stepped by ".count)) }
        #expect(steps.count == 1 && steps.allSatisfy { abs($0 / 1_000_000_000 - hours) <= 1 }, "\(log.value.events)")
    }

    @Test("A stopping server with a tap sends close_notify over TLS")
    func farewell() throws {
        let (server, _) = try tapped()
        let client = try server.connectSecurely()
        #expect(try client.exchange(Request()).status == 200)
        try server.stop()
        #expect(try client.read().isEmpty && client.tls?.phase == .closed)
        #expect(try server.join())
    }

    @Test("The tap does not receive failed TLS handshakes")
    func failedHandshakes() throws {
        let (server, log) = try tapped()
        let client = try HostClient(try #require(server.secureAddress))
        #expect(try client.exchange(Request()).status == 400)
        // Input after the error does not start a request either.
        try client.write(Request().bytes)
        try end(client, server)
        #expect(!log.value.events.contains { $0.hasPrefix("opened") })
    }
}
