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

// Every message of this module that a person may read. Each says what failed, why, and what to do about it where
// something can be done; a connecting client adds its own advice on how to start the server.
extension SocketError {
    /// One clear sentence for the person at the keyboard.
    public var description: String {
        let reason = reason
        return switch operation {
        case .resolve: "cannot find the host \(place): \(reason)"
        case .create: "cannot open a socket: \(reason)"
        case .configure: "cannot set an option of a socket: \(reason)"
        case .bind, .listen: "cannot listen on \(place): \(reason)"
        case .accept: "cannot accept a connection: \(reason)"
        case .connect: "cannot connect to \(place): \(reason)"
        case .read: "cannot read from \(place): \(reason)"
        case .write: "cannot write to \(place): \(reason)"
        case .openQueue: "cannot open the event queue: \(reason)"
        case .watch: "cannot watch a descriptor: \(reason)"
        case .wait: "cannot wait for events: \(reason)"
        case .watchSignal: "cannot watch \(place): \(reason)"
        case .startThread: "cannot start a thread: \(reason)"
        }
    }

    private var place: String {
        switch subject {
        case .none: operation == .bind || operation == .listen ? "that address" : "the other side"
        case .address(let address): address.description
        case .host(let host): "\"\(host.prefix(SocketAddress.longestHostName))\""
        case .signal(let number): "signal \(number)"
        }
    }

    private var reason: String {
        operation == .resolve ? resolutionReason : specificReason ?? String(cString: strerror(code))
    }

    private var resolutionReason: String {
        switch code {
        case EAI_NONAME: "no such name; check the spelling, or give an address such as 127.0.0.1"
        case EAI_AGAIN: "the name server does not answer; give an address such as 127.0.0.1 instead"
        default: String(cString: gai_strerror(code))
        }
    }

    private var specificReason: String? {
        switch (operation, code) {
        case (_, EMFILE): "this process has reached its limit of open files; raise it with ulimit -n"
        case (_, ENFILE): "this machine has reached its limit of open files; close other programs"
        case (_, ENOBUFS), (_, ENOMEM): "this machine is out of memory for sockets; close other programs"
        case (.bind, EADDRINUSE), (.listen, EADDRINUSE):
            "the port is in use by another process; choose another, or 0 for any free one"
        case (.bind, EACCES), (.bind, EPERM):
            "this port is reserved for privileged users; choose one from 1024 up"
        case (.bind, EADDRNOTAVAIL):
            "no interface of this machine has that address; use 127.0.0.1, or 0.0.0.0 for all of IPv4"
        case (.bind, EAFNOSUPPORT), (.create, EAFNOSUPPORT), (.connect, EAFNOSUPPORT):
            "this machine has no support for that kind of address; give an IPv4 address such as 127.0.0.1"
        case (.connect, ECONNREFUSED): "nothing listens there"
        case (.connect, ETIMEDOUT): "no answer in the time allowed"
        case (.connect, ENETUNREACH), (.connect, EHOSTUNREACH): "there is no route to it; check the host"
        case (.connect, EADDRNOTAVAIL): "no local port is free; wait for old connections to end"
        case (.read, ETIMEDOUT): "nothing arrived in the time allowed"
        case (.write, ETIMEDOUT): "it did not take the bytes in the time allowed"
        case (_, ECONNRESET): "the other side reset the connection"
        case (_, EPIPE): "the connection is closed for writing"
        case (_, ENOTCONN): "the connection is gone"
        case (.watch, ENOSPC): "the limit of fs.epoll.max_user_watches is reached; raise it with sysctl"
        case (.watch, EPERM): "it is a regular file or a directory, which is always ready"
        case (.startThread, EAGAIN): "the limit of processes and threads is reached; raise it with ulimit -u"
        case (.watchSignal, EBUSY): "another event loop of this process watches it"
        case (.watchSignal, EINVAL): "no handler can be installed for it"
        default: nil
        }
    }
}
