import CPlatform

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What came of one attempt to read from a socket.
public enum ReadResult: Sendable, Equatable {
    /// That many bytes, at least one, are in the buffer.
    case bytes(Int)
    /// Nothing has arrived yet.
    case wouldBlock
    /// The other side has finished sending.
    case endOfStream
    /// The connection has failed; close it.
    case failed(SocketError)
}

/// What came of one attempt to write to a socket.
public enum WriteResult: Sendable, Equatable {
    /// That many bytes were taken, perhaps fewer than offered.
    case wrote(Int)
    /// The send buffer is full.
    case wouldBlock
    /// The connection has failed; close it.
    case failed(SocketError)
}

/// A non-blocking TCP socket with TCP_NODELAY set, closed on exec.
///
/// This is a name for the descriptor, not its owner: whoever accepted or connected it closes it, once, after removing
/// it from the event queue.
public struct Socket: Sendable, Hashable {
    /// The file descriptor.
    public let descriptor: Int32

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Receives what has arrived, up to the size of the buffer, which is not empty; one recv(2).
    public func read(into buffer: UnsafeMutableRawBufferPointer) -> ReadResult {
        // recv(2) into an empty buffer returns 0, which would look like the end of the stream.
        precondition(!buffer.isEmpty, "reading needs a buffer of at least one byte")
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .endOfStream }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: return .wouldBlock
            case let code: return .failed(SocketError(.read, code: code, address: peerAddress))
            }
        }
    }

    /// Sends as many of the bytes as the send buffer takes; one send(2), which never raises SIGPIPE.
    public func write(_ bytes: UnsafeRawBufferPointer) -> WriteResult {
        let count = cplatform_send(descriptor, bytes.baseAddress, bytes.count)
        if count >= 0 { return .wrote(count) }
        let code = Int32(-count)
        if code == EAGAIN || code == EWOULDBLOCK { return .wouldBlock }
        return .failed(SocketError(.write, code: code, address: peerAddress))
    }

    /// Finishes sending: the other side reads the end of the stream after what was written before.
    public func shutdownWriting() {
        // ENOTCONN: the connection has gone already, which is as finished as it gets.
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Closes the socket; what was written is still delivered, unless bytes that arrived were left unread.
    public func close() {
        closeDescriptor(descriptor)
    }

    /// Closes the socket with a reset: the other side's next read or write fails.
    ///
    /// Lingering for zero seconds discards what is unsent and sends RST (RFC 9293 section 3.10.4, ABORT).
    public func reset() {
        setOption(SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
        close()
    }

    /// The address of the other side; nil once the connection has gone.
    public var peerAddress: SocketAddress? {
        SocketAddress(descriptor, by: { getpeername($0, $1, $2) })
    }

    /// The address of this side; nil if the socket has none yet.
    public var localAddress: SocketAddress? {
        SocketAddress(descriptor, by: { getsockname($0, $1, $2) })
    }

    /// Sets a socket option; false if the system refuses.
    @discardableResult
    func setOption<Value: BitwiseCopyable>(_ level: Int32, _ name: Int32, _ value: Value) -> Bool {
        withUnsafeBytes(of: value) {
            setsockopt(descriptor, level, name, $0.baseAddress, socklen_t($0.count)) == 0
        }
    }
}

/// close(2), once: on Linux the descriptor is gone even when a signal interrupts the call.
func closeDescriptor(_ descriptor: Int32) {
    _ = close(descriptor)
}

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

/// poll(2) for one descriptor.
enum SingleDescriptorPoll {
    /// Waits until the descriptor is ready, broken connections included; otherwise returns an errno, ETIMEDOUT if late.
    static func wait(for interest: Interest, on descriptor: Int32, until deadline: MonotonicInstant) -> Int32? {
        var entry = pollfd(fd: descriptor, events: 0, revents: 0)
        if interest.contains(.read) { entry.events |= Int16(POLLIN) }
        if interest.contains(.write) { entry.events |= Int16(POLLOUT) }
        while true {
            let timeout = max(0, deadline.saturatingNanoseconds(since: .now()))
            let count = cplatform_poll(&entry, 1, timeout)
            if count > 0 { return nil }
            if count < 0, count != -EINTR { return -count }
            if count == 0, deadline <= .now() { return ETIMEDOUT }
        }
    }
}
