import CPlatform

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension Socket {
    /// Starts to connect and returns at once; when the socket becomes writable, ask `connectResult`.
    ///
    /// Throws what the system knows immediately, such as a missing route.
    public static func connect(to address: SocketAddress) throws(SocketError) -> Socket {
        let descriptor = cplatform_open_stream_socket(address.family)
        guard descriptor >= 0 else { throw SocketError(.create, code: -descriptor, address: address) }
        let socket = Socket(descriptor: descriptor)
        socket.setOption(Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1))
        guard address.withSockaddr({ startConnecting(descriptor, $0, $1) }) == 0 else {
            let code = errno
            // EINTR: a connection that was started goes on by itself (POSIX, connect).
            if code == EINPROGRESS || code == EINTR { return socket }
            socket.close()
            throw SocketError(.connect, code: code, address: address)
        }
        return socket
    }

    /// How connecting ended, once the socket is writable: nil if connected.
    ///
    /// The address goes into the error's message. The system gives each failure once; asking again after one
    /// answers nil.
    public func connectResult(to address: SocketAddress? = nil) -> SocketError? {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        if getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) != 0 { code = errno }
        return code == 0 ? nil : SocketError(.connect, code: code, address: address)
    }
}

// At file scope, as inside the type `connect(to:)` hides connect(2).
private func startConnecting(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    connect(descriptor, address, length)
}
