import FitIQAPI
import Hosting
import Sockets

/// A server on its own thread, for programs and tests that embed one.
///
/// It serves from its creation until ``stop()``. All calls are safe from any thread; the engine stays on its own.
public final class LocalServer: Sendable {
    /// Where it listens, and that as a URL, `http://127.0.0.1:PORT`.
    public let address: SocketAddress
    public let url: String
    /// Where it listens for TLS, and that as a URL, `https://127.0.0.1:PORT`; nil if TLS is off.
    public let secureAddress: SocketAddress?
    public let secureURL: String?

    private let mailbox: Mailbox
    private let inbox: HostInbox
    private let ended: Gate

    /// The server has ended, and does nothing more.
    public struct Stopped: Error, CustomStringConvertible {
        public let description = "The server has stopped; start another one."
    }

    /// Listens, and begins to serve.
    ///
    /// - Parameter address: Where to listen; by default a free port that only this machine reaches.
    /// - Throws: `StartError`, or a `SocketError` if the system has no room for another thread.
    public convenience init(
        _ configuration: Engine.Configuration = Engine.Configuration(), listeningOn address: SocketAddress? = nil,
        secure: SecureEndpoint? = nil, queueKind: EventQueue.Kind = .platformDefault
    ) throws {
        let address = try address ?? SocketAddress(host: "127.0.0.1", port: 0)
        try self.init(Host(listeningOn: address, secure: secure, queueKind: queueKind, configuration: configuration))
    }

    /// Takes over a host without other references, and runs it.
    private init(_ host: sending Host) throws {
        (address, secureAddress) = (host.loop.address, host.loop.secureAddress)
        (url, secureURL) = (host.loop.url, host.loop.secureURL)
        mailbox = host.mailbox
        let (inbox, ended) = (host.inbox, try Gate())
        (self.inbox, self.ended) = (inbox, ended)
        try SystemThread.start {
            // If the system cannot wait any more, the server ends like after a stop, and callers get the same error.
            _ = try? host.run()
            for work in inbox.close() { work(nil, Timestamp(nanosecondsSinceEpoch: 0))() }
            ended.open()
        }
    }

    /// Runs work with the engine, on its thread, at the system's time, and returns its result.
    ///
    /// When it returns, the work's output for clients was sent. The work blocks everything else while it runs.
    ///
    /// - Throws: The error of the work, or ``Stopped``.
    public func perform<Result: Sendable>(
        _ body: @escaping @Sendable (Engine, Timestamp) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in submit(body) { continuation.resume(with: $0) } }
    }

    /// Like ``perform(_:)``, but blocks the calling thread; for programs without concurrency.
    ///
    /// Must not be called within the work of either, which is on the thread that it would wait for.
    ///
    /// - Throws: The error of the work, ``Stopped``, or a `SocketError` if the process has no descriptors left to wait
    ///   on.
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

    /// Stops cleanly, and returns once the thread has ended; at once if it has.
    ///
    /// Clients have ``ServerLimits/shutdownTime`` to close. Must not be called within ``perform(_:)``.
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
        // If the mailbox is full, the loop is awake.
        mailbox.post {}
    }
}
