import CLibrary
import CPlatform

/// The result of one attempt to read from a socket.
public enum ReadResult: Sendable, Equatable {
    /// The given number of bytes, at least one, is in the buffer.
    case bytes(Int)
    /// Nothing has arrived yet.
    case wouldBlock
    /// The peer has finished sending.
    case endOfStream
    /// The connection has failed; close it.
    case failed(SocketError)
}

/// The result of one attempt to write to a socket.
public enum WriteResult: Sendable, Equatable {
    /// The given number of bytes was accepted, possibly fewer than offered.
    case wrote(Int)
    /// The send buffer is full.
    case wouldBlock
    /// The connection has failed; close it.
    case failed(SocketError)
}

/// A non-blocking TCP socket with TCP_NODELAY set, closed on exec.
///
/// This does not own the descriptor: the code that accepted or connected the socket must close it once, after removing
/// it from the event queue.
public struct Socket: Sendable, Hashable {
    public let descriptor: Int32
    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Receives available bytes, up to the size of the non-empty buffer, with one recv(2).
    public func read(into buffer: UnsafeMutableRawBufferPointer) -> ReadResult {
        // recv(2) into an empty buffer returns 0, which would look like the end of the stream.
        precondition(!buffer.isEmpty, "the buffer to read into must have at least one byte")
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

    /// Sends the bytes that fit into the send buffer, with one send(2), which never raises SIGPIPE.
    public func write(_ bytes: UnsafeRawBufferPointer) -> WriteResult {
        let count = cplatform_send(descriptor, bytes.baseAddress, bytes.count)
        if count >= 0 { return .wrote(count) }
        let code = Int32(-count)
        let isBlocked = code == EAGAIN || code == EWOULDBLOCK
        return isBlocked ? .wouldBlock : .failed(SocketError(.write, code: code, address: peerAddress))
    }

    /// Finishes sending, so that the peer reads the end of the stream after the written bytes.
    public func shutdownWriting() {
        // ENOTCONN: the connection has already ended.
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Closes the socket; written bytes are still delivered, unless received bytes are unread.
    public func close() { closeDescriptor(descriptor) }

    /// Closes the socket with a reset (RFC 9293 section 3.10.4, ABORT): the peer's next read or write fails.
    public func reset() {
        // Lingering for zero seconds discards unsent data and sends RST.
        setOption(SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
        close()
    }

    /// The address of the peer; nil once the connection has ended.
    public var peerAddress: SocketAddress? { SocketAddress(descriptor, by: { getpeername($0, $1, $2) }) }
    /// The local address; nil if the socket has none yet.
    public var localAddress: SocketAddress? { SocketAddress(descriptor, by: { getsockname($0, $1, $2) }) }

    /// Sets a socket option; false if the system refuses it.
    @discardableResult
    func setOption<Value: BitwiseCopyable>(_ level: Int32, _ name: Int32, _ value: Value) -> Bool {
        withUnsafeBytes(of: value) { setsockopt(descriptor, level, name, $0.baseAddress, socklen_t($0.count)) == 0 }
    }
}

/// close(2), once: on Linux the descriptor is closed even if a signal interrupts the call.
func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }

extension Socket {
    /// Starts connecting and returns immediately; when the socket becomes writable, call `connectResult`.
    ///
    /// Throws errors that the system detects immediately, such as a missing route.
    public static func connect(to address: SocketAddress) throws(SocketError) -> Socket {
        let descriptor = cplatform_open_stream_socket(address.family)
        guard descriptor >= 0 else { throw SocketError(.create, code: -descriptor, address: address) }
        let socket = Socket(descriptor: descriptor)
        socket.setOption(Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1))
        let code = address.withSockaddr { startConnecting(descriptor, $0, $1) } == 0 ? 0 : errno
        // EINTR: a started connection continues in the background (POSIX, connect).
        if code == 0 || code == EINPROGRESS || code == EINTR { return socket }
        socket.close()
        throw SocketError(.connect, code: code, address: address)
    }

    /// The result of connecting, once the socket is writable: nil if connected.
    ///
    /// The address is for the error's message. The system reports each failure once; a second call returns nil.
    public func connectResult(to address: SocketAddress? = nil) -> SocketError? {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        if getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) != 0 { code = errno }
        return code == 0 ? nil : SocketError(.connect, code: code, address: address)
    }
}

// At file scope, because `connect(to:)` shadows connect(2) inside the type.
private func startConnecting(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    connect(descriptor, address, length)
}

/// poll(2) for one descriptor.
package enum SingleDescriptorPoll {
    /// Waits until the descriptor is ready or broken; otherwise returns an errno, ETIMEDOUT after the deadline.
    @discardableResult
    package static func wait(
        for interest: Interest, on descriptor: Int32, until deadline: MonotonicInstant = .init(nanoseconds: .max)
    ) -> Int32? {
        var entry = pollfd(fd: descriptor, events: interest.pollEvents, revents: 0)
        while true {
            let timeout = max(0, deadline.saturatingNanoseconds(since: .now()))
            let count = cplatform_poll(&entry, 1, timeout)
            if count > 0 { return nil }
            if count < 0, count != -EINTR { return -count }
            if count == 0, deadline <= .now() { return ETIMEDOUT }
        }
    }
}
