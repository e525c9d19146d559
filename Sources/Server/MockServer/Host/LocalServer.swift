import FitIQAPI
import Hosting
import Sockets

/// A server on its own thread, for programs and tests that embed it.
///
/// The server serves requests from its creation until ``stop()``. Any thread may call it; the engine stays on the
/// server's thread.
public final class LocalServer: Sendable {
    /// The address of the listener, also as a URL, `http://127.0.0.1:PORT`.
    public let address: SocketAddress
    public let url: String
    /// The address of the TLS listener, also as a URL, `https://127.0.0.1:PORT`; nil if TLS is off.
    public let secureAddress: SocketAddress?
    public let secureURL: String?

    private let mailbox: Mailbox
    private let inbox: HostInbox
    private let ended: Gate

    /// The error that a call throws if the server has stopped.
    public struct Stopped: Error, CustomStringConvertible {
        public let description = "The server has stopped; start another one."
    }

    /// Opens the listeners and starts serving.
    ///
    /// - Parameter address: The address to listen on; by default, a free port that only this machine can reach.
    /// - Throws: `StartError`, or a `SocketError` if the system cannot start another thread.
    public convenience init(
        _ configuration: Engine.Configuration = Engine.Configuration(), listeningOn address: SocketAddress? = nil,
        secure: SecureEndpoint? = nil, queueKind: EventQueue.Kind = .platformDefault
    ) throws {
        let address = try address ?? SocketAddress(host: "127.0.0.1", port: 0)
        try self.init(Host(listeningOn: address, secure: secure, queueKind: queueKind, configuration: configuration))
    }

    /// Runs a host that has no other references.
    private init(_ host: sending Host) throws {
        (address, secureAddress) = (host.loop.address, host.loop.secureAddress)
        (url, secureURL) = (host.loop.url, host.loop.secureURL)
        mailbox = host.mailbox
        let (inbox, ended) = (host.inbox, try Gate())
        (self.inbox, self.ended) = (inbox, ended)
        try SystemThread.start {
            // If the loop fails, the server ends as if it had been stopped, and callers get the same error.
            _ = try? host.run()
            for work in inbox.close() { work(nil, Timestamp(nanosecondsSinceEpoch: 0))() }
            ended.open()
        }
    }

    /// Runs work with the engine on the server's thread, and returns its result.
    ///
    /// This function returns after the server has sent the work's output to clients. The work blocks the server while
    /// it runs.
    ///
    /// - Throws: The error that the work throws, or ``Stopped``.
    public func perform<Result: Sendable>(
        _ body: @escaping @Sendable (Engine, Timestamp) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in submit(body) { continuation.resume(with: $0) } }
    }

    /// Like ``perform(_:)``, but blocks the calling thread, for programs that do not use Swift concurrency.
    ///
    /// Do not call this function from work that the server performs, because it would wait for its own thread.
    ///
    /// - Throws: The error that the work throws, ``Stopped``, or a `SocketError` if the process has no file descriptors
    ///   left.
    public func performAndWait<Value: Sendable>(
        _ body: @escaping @Sendable (Engine, Timestamp) throws -> Value
    ) throws -> Value {
        let (done, outcome) = (try Gate(), Parcel<Result<Value, any Error>>())
        submit(body) {
            outcome.put($0)
            done.open()
        }
        done.wait()
        return try outcome.take().get()
    }

    /// Stops cleanly, and returns once the server's thread has ended.
    ///
    /// Clients have ``ServerLimits/shutdownTime`` to close their connections. Do not call it inside ``perform(_:)``.
    public func stop() {
        inbox.requestStop()
        mailbox.post {}
        ended.wait()
    }

    private func submit<Value: Sendable>(
        _ body: @escaping @Sendable (Engine, Timestamp) throws -> Value,
        then: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        let isAccepted = inbox.add { engine, now in
            let result = Result { () throws -> Value in
                guard let engine else { throw Stopped() }
                return try body(engine, now)
            }
            return { then(result) }
        }
        guard isAccepted else { return then(.failure(Stopped())) }
        // A full mailbox refuses this message, but in that case the loop is already awake.
        mailbox.post {}
    }
}
