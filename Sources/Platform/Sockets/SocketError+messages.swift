#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

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
