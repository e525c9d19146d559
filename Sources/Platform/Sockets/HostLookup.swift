import Synchronization

/// Resolves a host on a separate thread, because getaddrinfo(3) may block for minutes.
public final class HostLookup: Sendable {
    public typealias Resolve = @Sendable (_ host: String, _ port: UInt16) throws(SocketError) -> [SocketAddress]
    public typealias Answer = Result<[SocketAddress], SocketError>

    private let outcome = Mutex<Answer?>(nil)

    /// Starts the lookup; throws if the system cannot create a thread.
    ///
    /// - Parameter end: Called on the lookup's thread with the result.
    public init(
        host: String, port: UInt16, resolve: @escaping Resolve = SocketAddress.resolve,
        end: @escaping @Sendable () -> Void
    ) throws(SocketError) {
        try SystemThread.start { [self] in
            let answer = Answer { () throws(SocketError) in try resolve(host, port) }
            outcome.withLock { $0 = answer }
            end()
        }
    }

    /// Nil until the lookup ends.
    public var answer: Answer? { outcome.withLock { $0 } }
}

extension HostLookup {
    /// The addresses of a host; blocks the thread up to the timeout.
    ///
    /// - Throws: `resolutionTimeout`, or the error of the lookup.
    public static func addresses(
        ofHost host: String, port: UInt16, within time: Duration, resolve: @escaping Resolve = SocketAddress.resolve
    ) throws(SocketError) -> [SocketAddress] {
        if let known = try SocketAddress.resolveAtOnce(host: host, port: port) { return known }
        let gate = try Gate()
        let lookup = try HostLookup(host: host, port: port, resolve: resolve, end: gate.open)
        gate.wait(until: .now().advanced(by: time))
        guard let answer = lookup.answer else { throw .resolutionTimeout(host: host) }
        return try answer.get()
    }
}
