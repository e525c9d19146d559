import Foundation
import Hosting
import JSON
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
        Thread { [self] in
            outcome = Result { () throws(SocketError) in try host.run() }
            finished.signal()
        }.start()
    }

    func onLoop<Value: Sendable>(_ body: @escaping @Sendable (MockServer.Host) -> Value) throws -> Value {
        let box = Box<Value>()
        host.mailbox.post { [self] in box.fill(body(host)) }
        return try box.wait()
    }

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

    /// A server and its first client, which uses TLS if the server supports it.
    static func connected(
        _ kind: EventQueue.Kind, isSecure: Bool = false, _ configure: (inout Engine.Configuration) -> Void = { _ in }
    ) throws -> (RunningHost, HostClient) {
        let server = try RunningHost(kind, isSecure: isSecure, configure)
        return (server, try server.connect(isSecure: isSecure))
    }

    func connect() throws -> HostClient { try HostClient(address) }

    func connect(isSecure: Bool) throws -> HostClient { try isSecure ? connectSecurely() : connect() }

    func echo(isSecure: Bool = false) throws -> HostClient {
        let client = try connect(isSecure: isSecure)
        try client.upgrade(.handshake("/__admin/echo"))
        return client
    }

    /// The number of turns that the loop takes until it closes a client's connection.
    func turns(untilEndOf client: HostClient) throws -> Int {
        let before = try onLoop { $0.turnCount }
        #expect(try client.read().isEmpty)
        return try onLoop { $0.turnCount } - before
    }

    func connectSecurely(_ versions: Set<TLSVersion> = Set(TLSVersion.allCases)) throws -> HostClient {
        try HostClient(
            try #require(secureAddress), tls: TLSContext.client(trust: .only(SecureIdentity.ca), versions: versions))
    }

    struct Late: Error { let what: String }

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

extension HTTPClient where Stream == SecureStream {
    /// Writes to an echo socket until the buffers of both sides are full, including the server's.
    func fillBuffers(patience: Duration) {
        let message = String(repeating: "x", count: 4 << 20)
        #expect(throws: SocketError.self) { for _ in 0..<100 { try send(message, timeout: patience) } }
    }

    func typesOfAnswer() throws -> [String] {
        var types: [String] = []
        while types.last != "stream_complete", case .text(let text)? = try next() {
            types.append(try JSON.parse(text)["type"]?.string ?? "")
        }
        return types
    }

    func ask(_ question: String) throws -> [String] {
        try send(#"{"type":"message","content":"\#(question)"}"#)
        return try typesOfAnswer()
    }
}

extension StartError {
    static func portInUse(_ address: SocketAddress) -> String {
        "cannot listen on \(address): another process is using the port; choose another port, or 0 for any free port"
    }
}
