import FitIQClient
import Foundation
import HTTPTypes
import Sockets
import TestSupport
import Testing

@testable import fitiq_mock

/// A server that accepts a connection and then occasionally sends a byte, or sends nothing, until it is closed.
private final class StalledServer: Sendable {
    let url: String
    private let end: Gate

    /// - Parameter dribble: The bytes to send, one every 20 ms, in a loop.
    init(_ dribble: String) throws {
        let listener = try Listener(address: try SocketAddress(host: "127.0.0.1", port: 0))
        url = "http://\(listener.localAddress)"
        end = try Gate()
        try SystemThread.start { [end] in
            var (sockets, rest) = ([Socket](), Array(dribble.utf8)[...])
            while !end.wait(until: .now().advanced(by: .milliseconds(20))) {
                if case .accepted(let socket) = listener.accept() { sockets.append(socket) }
                // The first client gets the bytes from the beginning.
                if sockets.isEmpty { continue }
                if rest.isEmpty { rest = Array(dribble.utf8)[...] }
                if let byte = rest.popFirst() { for socket in sockets { _ = withUnsafeBytes(of: byte, socket.write) } }
            }
            for socket in sockets { socket.close() }
            listener.close()
        }
    }

    deinit { end.open() }
}

@Suite("A stalled server", .timeLimit(.minutes(1)))
struct StalledServerTests {
    /// The bytes that arrive over three minutes.
    enum Dribble: String, CaseIterable {
        case head = "HTTP/1.1 200 OK\r\nX: "
        case body = "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"

        var bytes: String { rawValue + String(repeating: "x", count: 9_000) }
    }

    /// The delay that a busy machine causes.
    private static let delay = Duration.seconds(10)

    /// Runs the work on a separate thread, because the test's thread may be delayed; returns the work's error and
    /// duration.
    private func timed<Failed: Error>(
        _ type: Failed.Type, _ work: @escaping @Sendable () throws -> Void
    ) async throws -> (failure: Failed?, duration: Duration) {
        try await offPool {
            let start = MonotonicInstant.now()
            do {
                try work()
                return (nil, start.duration(to: .now()))
            } catch let failure as Failed { return (failure, start.duration(to: .now())) }
        }
    }

    private func failure(after limit: Duration, of work: @escaping @Sendable () throws -> Void) async throws -> Failure?
    {
        let (failure, duration) = try await timed(Failure.self, work)
        #expect(failure != nil && duration < limit + Self.delay, "\(duration)")
        return failure
    }

    @Test("drain waits for a stalled server only until its timeout", arguments: Dribble.allCases)
    func drain(_ dribble: Dribble) async throws {
        let server = try StalledServer(dribble.bytes)
        let failure = try await failure(after: .seconds(1)) {
            try DrainCommand.parse(["--url", server.url, "--timeout", "1s"]).run()
        }
        #expect(failure?.exitCode == 1 && failure?.message.hasPrefix("\(server.url): ") == true)
    }

    @Test("health waits for a stalled server only until the answer time limit")
    func health() async throws {
        let server = try StalledServer(Dribble.body.bytes)
        let failure = try await failure(after: Health.answerTime) { try Health.parse(["--url", server.url]).run() }
        #expect(failure?.exitCode == 1)
    }

    @Test("An admin request waits for a stalled server only until the answer time limit", arguments: Dribble.allCases)
    func ask(_ dribble: Dribble) async throws {
        let server = try StalledServer(dribble.bytes)
        var remote = RemoteServer(base: try BaseURL(server.url), adminToken: nil)
        remote.answerTime = .seconds(1)
        let (failure, duration) = try await timed(ClientError.self) { [remote] in _ = try remote.ask(.post, "reset") }
        #expect(failure?.description.contains("nothing arrived within the time limit") == true, "\(failure as Any)")
        #expect(duration < Self.delay, "\(duration)")
    }

    @Test("A request waits for a name lookup until its deadline or until shortly after an interruption")
    func name() async throws {
        let base = try BaseURL("http://fitiq.invalid")
        for isInterrupted in [false, true] {
            let end = try Gate()
            defer { end.open() }
            var patience = ServerRequest.Patience(silence: .seconds(60))
            if isInterrupted {
                let stop = try Gate()
                stop.open()
                patience.stop = stop
            } else {
                patience.deadline = .now().advanced(by: .milliseconds(100))
            }
            let (failure, duration) = try await timed(ClientError.self) { [patience] in
                var patience = patience
                _ = try ServerRequest.address(of: base, &patience) { _, _ throws(SocketError) in
                    end.wait()
                    return []
                }
            }
            #expect(failure?.description.hasPrefix("cannot find the host \"fitiq.invalid\": ") == true)
            #expect(duration < Self.delay, "\(duration)")
        }
    }

    @Test("A request to a stalled server ends shortly after an interruption")
    func interrupted() async throws {
        for isUnderWay in [false, true] {
            let (server, stop) = (try StalledServer(""), try Gate())
            var remote = RemoteServer(base: try BaseURL(server.url), adminToken: nil)
            remote.patience.stop = stop
            if !isUnderWay { stop.open() }
            let start = MonotonicInstant.now()
            try SystemThread.start {
                stop.wait(until: start.advanced(by: .milliseconds(100)))
                stop.open()
            }
            let (failure, duration) = try await timed(ClientError.self) { [remote] in
                _ = try remote.ask(.post, "worlds")
            }
            #expect(failure != nil && duration < Self.delay, "\(duration)")
        }
    }
}
