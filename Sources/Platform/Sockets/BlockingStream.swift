/// A TCP connection with blocking calls and timeouts, for a small single-purpose program.
///
/// Closed on release. After any error, including a timeout while writing, the position in the stream is unknown: close
/// the connection.
public final class BlockingStream {
    public let socket: Socket

    private let peer: SocketAddress
    private var isClosed = false

    private init(socket: Socket, peer: SocketAddress) {
        self.socket = socket
        self.peer = peer
    }

    deinit {
        close()
    }

    /// Connects to the host, trying each of its addresses in turn within the timeout.
    ///
    /// If all fail, the error is that of the first address. The timeout does not limit the lookup of a name.
    public static func connect(host: String, port: UInt16, timeout: Duration) throws(SocketError) -> BlockingStream {
        let addresses = try SocketAddress.resolve(host: host, port: port)
        let deadline = MonotonicInstant.now().advanced(by: timeout)
        var firstError: SocketError?
        for address in addresses {
            do throws(SocketError) {
                return try connect(to: address, until: deadline)
            } catch {
                if firstError == nil { firstError = error }
            }
        }
        // resolve(host:port:) never returns an empty array, so there was an attempt.
        throw firstError ?? SocketError(.resolve, code: 0, host: host)
    }

    public static func connect(to address: SocketAddress, timeout: Duration) throws(SocketError) -> BlockingStream {
        try connect(to: address, until: .now().advanced(by: timeout))
    }

    private static func connect(
        to address: SocketAddress, until deadline: MonotonicInstant
    ) throws(SocketError) -> BlockingStream {
        let stream = BlockingStream(socket: try Socket.connect(to: address), peer: address)
        try stream.waitUntilReady(.write, deadline, .connect)
        if let error = stream.socket.connectResult(to: address) { throw error }
        return stream
    }

    /// Reads the first bytes to arrive into the non-empty buffer; 0 is the end of the stream.
    public func read(into buffer: UnsafeMutableRawBufferPointer, timeout: Duration) throws(SocketError) -> Int {
        let deadline = MonotonicInstant.now().advanced(by: timeout)
        while true {
            switch socket.read(into: buffer) {
            case .bytes(let count): return count
            case .endOfStream: return 0
            case .failed(let error): throw about(error)
            case .wouldBlock: try waitUntilReady(.read, deadline, .read)
            }
        }
    }

    /// Reads the first bytes to arrive, up to `maximum`; an empty result is the end of the stream.
    public func read(maximum: Int = 65_536, timeout: Duration) throws(SocketError) -> [UInt8] {
        precondition(maximum > 0, "reading needs room for at least one byte")
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: maximum, alignment: 1)
        defer { buffer.deallocate() }
        let count = try read(into: buffer, timeout: timeout)
        return [UInt8](buffer[..<count])
    }

    /// Writes all bytes within the timeout.
    public func write(_ bytes: UnsafeRawBufferPointer, timeout: Duration) throws(SocketError) {
        if let error = writeAll(bytes, until: .now().advanced(by: timeout)) { throw error }
    }

    /// Writes all bytes within the timeout.
    public func write(_ bytes: [UInt8], timeout: Duration) throws(SocketError) {
        let deadline = MonotonicInstant.now().advanced(by: timeout)
        if let error = bytes.withUnsafeBytes({ writeAll($0, until: deadline) }) { throw error }
    }

    /// Returns the error, because `Array.withUnsafeBytes` does not propagate typed errors.
    private func writeAll(_ bytes: UnsafeRawBufferPointer, until deadline: MonotonicInstant) -> SocketError? {
        var rest = bytes[...]
        while !rest.isEmpty {
            switch socket.write(UnsafeRawBufferPointer(rebasing: rest)) {
            case .wrote(let count): rest = rest.dropFirst(count)
            case .failed(let error): return about(error)
            case .wouldBlock:
                do throws(SocketError) { try waitUntilReady(.write, deadline, .write) } catch { return error }
            }
        }
        return nil
    }

    /// Finishes sending; reading is still possible.
    public func finishWriting() {
        socket.shutdownWriting()
    }

    /// Closes the connection; do not use the stream afterwards, except to call this again.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        socket.close()
    }

    private func waitUntilReady(
        _ interest: Interest, _ deadline: MonotonicInstant, _ operation: SocketError.Operation
    ) throws(SocketError) {
        let outcome = SingleDescriptorPoll.wait(for: interest, on: socket.descriptor, until: deadline)
        if let code = outcome { throw SocketError(operation, code: code, address: peer) }
    }

    /// The error with the address of the connection, which the system no longer knows after a failure.
    private func about(_ error: SocketError) -> SocketError {
        SocketError(error.operation, code: error.code, address: peer)
    }
}
