import CLibrary

/// A failed operation on a socket or on the event queue, as the system reported it.
public struct SocketError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Operation: String, Sendable, CaseIterable {
        /// Looking up a host name; the code is from getaddrinfo(3) and is not an errno.
        case resolve
        case create, configure, bind, listen, accept, connect, read, write
        /// Opening the event queue or its wake-up pipe.
        case openQueue
        case watch, wait, watchSignal, startThread
    }

    /// The subject of the operation, if known.
    public enum Subject: Sendable, Equatable {
        case none
        case address(SocketAddress)
        case host(String)
        case signal(Int32)
    }

    public let operation: Operation
    /// The errno of the failure; for `.resolve`, the code from getaddrinfo(3).
    public let code: Int32
    public let subject: Subject

    public init(_ operation: Operation, code: Int32, address: SocketAddress? = nil) {
        self.init(operation, code: code, subject: address.map(Subject.address) ?? .none)
    }

    /// The name server did not resolve the host in time.
    public static func resolutionTimeout(host: String) -> SocketError {
        SocketError(.resolve, code: EAI_AGAIN, host: host)
    }

    init(_ operation: Operation, code: Int32, host: String) { self.init(operation, code: code, subject: .host(host)) }

    init(_ operation: Operation, code: Int32, subject: Subject) {
        (self.operation, self.code, self.subject) = (operation, code, subject)
    }

    public var address: SocketAddress? {
        if case .address(let address) = subject { address } else { nil }
    }

    /// Whether the process or the system is temporarily out of descriptors or memory: back off and retry.
    ///
    /// A listener with this error stays readable; stop watching it for a while instead of retrying immediately.
    public var isResourceExhaustion: Bool {
        operation != .resolve && (code == EMFILE || code == ENFILE || code == ENOBUFS || code == ENOMEM)
    }

    /// The setting to change so that a listener can start, for example a command-line option.
    public enum ListenerChoice: Sendable { case port, host }

    /// The setting that prevents a listener from starting; nil for other reasons.
    public var listenerChoice: ListenerChoice? {
        switch (operation, code) {
        case (.bind, EADDRINUSE), (.listen, EADDRINUSE), (.bind, EACCES), (.bind, EPERM): .port
        case (.bind, EADDRNOTAVAIL): .host
        default: nil
        }
    }

    public var isTimeout: Bool { operation != .resolve && code == ETIMEDOUT }
}

// The messages say what failed, why, and how to fix it if possible. Clients add advice on how to start the server.
extension SocketError {
    /// The message for the user, in one sentence.
    public var description: String {
        let reason = reason
        return switch operation {
        case .resolve: "cannot find the host \(place): \(reason)"
        case .create: "cannot open a socket: \(reason)"
        case .configure: "cannot set a socket option: \(reason)"
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
        case EAI_NONAME: "no such name; check the spelling, or use an address such as 127.0.0.1"
        case EAI_AGAIN: "the name server did not answer; use an address such as 127.0.0.1 instead"
        default: String(cString: gai_strerror(code))
        }
    }

    private var specificReason: String? {
        switch (operation, code) {
        case (_, EMFILE): "this process has reached its limit on open files; raise it with ulimit -n"
        case (_, ENFILE): "this machine has reached its limit on open files; close other programs"
        case (_, ENOBUFS), (_, ENOMEM): "this machine is out of memory for sockets; close other programs"
        case (.bind, EADDRINUSE), (.listen, EADDRINUSE):
            "another process is using the port; choose another port, or 0 for any free port"
        case (.bind, EACCES), (.bind, EPERM): "this port is reserved for privileged users; choose port 1024 or higher"
        case (.bind, EADDRNOTAVAIL):
            "no network interface on this machine has that address; use 127.0.0.1, or 0.0.0.0 for all of IPv4"
        case (.bind, EAFNOSUPPORT), (.create, EAFNOSUPPORT), (.connect, EAFNOSUPPORT):
            "this machine does not support that kind of address; use an IPv4 address such as 127.0.0.1"
        case (.connect, ECONNREFUSED): "nothing is listening there"
        case (.connect, ETIMEDOUT): "no answer within the time limit"
        case (.connect, ENETUNREACH), (.connect, EHOSTUNREACH): "there is no route to it; check the host"
        case (.connect, EADDRNOTAVAIL): "no local port is free; wait for old connections to end"
        case (.read, ETIMEDOUT): "nothing arrived within the time limit"
        case (.write, ETIMEDOUT): "it did not read the bytes within the time limit"
        case (_, ECONNRESET): "the other side reset the connection"
        case (_, EPIPE): "the connection is closed for writing"
        case (_, ENOTCONN): "the connection is gone"
        case (.watch, ENOSPC): "the limit fs.epoll.max_user_watches has been reached; raise it with sysctl"
        case (.watch, EPERM): "it is a regular file or a directory, which is always ready"
        case (.startThread, EAGAIN): "the limit on processes and threads has been reached; raise it with ulimit -u"
        case (.watchSignal, EBUSY): "another event loop in this process is watching it"
        case (.watchSignal, EINVAL): "no handler can be installed for it"
        default: nil
        }
    }
}
