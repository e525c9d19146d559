#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A failed operation on a socket or on the event queue, as the system reported it.
public struct SocketError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What was being attempted.
    public enum Operation: String, Sendable, CaseIterable {
        /// Looking up a host name; the code is one of getaddrinfo(3), not an errno.
        case resolve
        /// Opening a socket.
        case create
        /// Setting a socket option.
        case configure
        /// Binding a listener to its address.
        case bind
        /// Starting to listen.
        case listen
        /// Accepting a connection.
        case accept
        /// Connecting to a server.
        case connect
        /// Receiving bytes.
        case read
        /// Sending bytes.
        case write
        /// Opening the event queue or its wake-up pipe.
        case openQueue
        /// Adding a descriptor to the event queue.
        case watch
        /// Waiting for events.
        case wait
        /// Watching a signal.
        case watchSignal
        /// Starting a thread.
        case startThread
    }

    /// What the operation was applied to, as far as it is known.
    public enum Subject: Sendable, Equatable {
        /// Nothing in particular.
        case none
        /// A socket address.
        case address(SocketAddress)
        /// A host name, as given.
        case host(String)
        /// A signal number.
        case signal(Int32)
    }

    /// What was being attempted.
    public let operation: Operation

    /// The errno of the failure; for `.resolve` the code of getaddrinfo(3).
    public let code: Int32

    /// What it was attempted on.
    public let subject: Subject

    /// A failure of the operation with that errno.
    public init(_ operation: Operation, code: Int32, address: SocketAddress? = nil) {
        self.init(operation, code: code, subject: address.map(Subject.address) ?? .none)
    }

    /// The name server did not tell the addresses of the host in time.
    public static func resolutionTimeout(host: String) -> SocketError {
        SocketError(.resolve, code: EAI_AGAIN, host: host)
    }

    init(_ operation: Operation, code: Int32, host: String) {
        self.init(operation, code: code, subject: .host(host))
    }

    init(_ operation: Operation, code: Int32, subject: Subject) {
        self.operation = operation
        self.code = code
        self.subject = subject
    }

    /// The address that the operation was about, if it was about one.
    public var address: SocketAddress? {
        if case .address(let address) = subject { address } else { nil }
    }

    /// Whether the process or the system is out of descriptors or memory, which passes: back off and try again.
    ///
    /// A listener that fails so stays readable; stop watching it for a while instead of asking again at once.
    public var isResourceExhaustion: Bool {
        operation != .resolve && (code == EMFILE || code == ENFILE || code == ENOBUFS || code == ENOMEM)
    }

    /// What has to be chosen differently for a listener to start, such as by an option of a program.
    public enum ListenerChoice: Sendable {
        case port
        case host
    }

    /// The choice that keeps a listener from starting; nil where it is something else.
    public var listenerChoice: ListenerChoice? {
        switch (operation, code) {
        case (.bind, EADDRINUSE), (.listen, EADDRINUSE), (.bind, EACCES), (.bind, EPERM): .port
        case (.bind, EADDRNOTAVAIL): .host
        default: nil
        }
    }

    /// Whether the time allowed for the operation ran out.
    public var isTimeout: Bool { operation != .resolve && code == ETIMEDOUT }
}
