import Foundation
import Sockets
import TLS
import TestSupport
import Testing

@testable import MockServer

/// A server that runs on its own thread and listens on a free local port.
///
/// The host belongs to its thread, and tests can reach it only through the mailbox.
final class RunningHost: @unchecked Sendable {
    /// Only a failing test waits this long.
    static let patience = Duration.seconds(30)

    let address: SocketAddress
    let secureAddress: SocketAddress?
    private let host: MockServer.Host
    private let finished = DispatchSemaphore(value: 0)
    private var outcome: Result<Bool, SocketError>?

    init(
        _ kind: EventQueue.Kind, on name: String = "127.0.0.1", isSecure: Bool = false,
        _ configure: (inout Engine.Configuration) -> Void = { _ in }
    ) throws {
        var configuration = Engine.Configuration(pace: .instant)
        // A test's clients stay connected until they are released, so the server need not wait for them.
        configuration.limits.closingTime = .milliseconds(200)
        configure(&configuration)
        host = try MockServer.Host(
            listeningOn: SocketAddress(host: name, port: 0),
            secure: isSecure ? SecureIdentity.listening(on: name) : nil, queueKind: kind, configuration: configuration)
        address = host.address
        secureAddress = host.secureAddress
        let thread = Thread { [self] in
            outcome = Result { () throws(SocketError) in try host.run() }
            finished.signal()
        }
        thread.start()
    }

    /// Runs a closure on the server's thread, and waits for its result.
    func onLoop<Value: Sendable>(_ body: @escaping @Sendable (MockServer.Host) -> Value) throws -> Value {
        let box = Box<Value>()
        host.mailbox.post { [self] in box.fill(body(host)) }
        return try box.wait()
    }

    /// Waits until the server has this many connections.
    func untilServed(connections count: Int) throws {
        let deadline = MonotonicInstant.now().advanced(by: Self.patience)
        while try onLoop({ $0.engine.connections.count }) != count {
            guard MonotonicInstant.now() < deadline else { throw Late(what: "\(count) connections") }
        }
    }

    /// Starts a clean stop; by the time this returns, the server has begun to stop.
    func stop() throws { try onLoop { $0.stop() } }

    /// Waits for the server's thread to end, and returns the result of `run`.
    @discardableResult
    func join() throws -> Bool {
        guard finished.wait(timeout: .now() + 30) == .success else { throw Late(what: "the server's end") }
        finished.signal()
        return try outcome?.get() ?? false
    }

    /// Stops the server and waits for its normal end.
    func shutDown() throws {
        try stop()
        #expect(try join())
    }

    func connect() throws -> HostClient { try HostClient(address) }

    /// Connects over TLS.
    func connectSecurely(_ versions: Set<TLSVersion> = Set(TLSVersion.allCases)) throws -> HostClient {
        try HostClient(
            try #require(secureAddress), tls: TLSContext.client(trust: .only(SecureIdentity.ca), versions: versions))
    }

    struct Late: Error { let what: String }

    /// A value that another thread will create.
    private final class Box<Value: Sendable>: @unchecked Sendable {
        private var value: Value?
        private let filled = DispatchSemaphore(value: 0)

        func fill(_ value: Value) {
            self.value = value
            filled.signal()
        }

        func wait() throws -> Value {
            guard filled.wait(timeout: .now() + 30) == .success, let value else {
                throw Late(what: "an answer of the server's thread")
            }
            return value
        }
    }
}
