import Sockets

/// A TCP connection with blocking calls and timeouts.
///
/// The connection is closed on release. After any error, including a timeout while writing, the position in the stream
/// is unknown, so close the connection.
package final class BlockingStream {
    package let socket: Socket

    /// Only a failing test waits this long.
    package static let patience = Duration.seconds(30)

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
    /// If all attempts fail, the first address's error is thrown. The timeout does not limit the name lookup.
    package static func connect(host: String, port: UInt16, timeout: Duration) throws(SocketError) -> BlockingStream {
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
        throw firstError ?? SocketError(.resolve, code: 0)
    }

    package static func connect(
        to address: SocketAddress, timeout: Duration = patience
    ) throws(SocketError) -> BlockingStream {
        try connect(to: address, until: .now().advanced(by: timeout))
    }

    /// Accepts a listener's next connection, which must be pending.
    package static func accept(_ listener: Listener) throws(SocketError) -> BlockingStream {
        let code = SingleDescriptorPoll.wait(for: .read, on: listener.descriptor, until: .now().advanced(by: patience))
        if let code { throw SocketError(.accept, code: code, address: listener.localAddress) }
        switch listener.accept() {
        case .accepted(let socket): return BlockingStream(socket: socket, peer: listener.localAddress)
        case .failed(let error): throw error
        default: throw SocketError(.accept, code: 0, address: listener.localAddress)
        }
    }

    private static func connect(
        to address: SocketAddress, until deadline: MonotonicInstant
    ) throws(SocketError) -> BlockingStream {
        let stream = BlockingStream(socket: try Socket.connect(to: address), peer: address)
        try stream.waitUntilReady(.write, deadline, .connect)
        if let error = stream.socket.connectResult(to: address) { throw error }
        return stream
    }

    /// Reads the first bytes that arrive, up to `maximum`; an empty result means the end of the stream.
    package func read(maximum: Int = 65_536, timeout: Duration = patience) throws(SocketError) -> [UInt8] {
        let deadline = MonotonicInstant.now().advanced(by: timeout)
        var buffer = [UInt8](repeating: 0, count: maximum)
        while true {
            switch buffer.withUnsafeMutableBytes({ socket.read(into: $0) }) {
            case .bytes(let count): return Array(buffer[..<count])
            case .endOfStream: return []
            case .failed(let error): throw about(error)
            case .wouldBlock: try waitUntilReady(.read, deadline, .read)
            }
        }
    }

    /// Writes all bytes within the timeout.
    package func write(_ bytes: [UInt8], timeout: Duration = patience) throws(SocketError) {
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
    package func finishWriting() {
        socket.shutdownWriting()
    }

    /// Closes the connection; the stream must not be used afterwards, except to call this again.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        socket.close()
    }

    /// Closes the connection with a reset.
    package func reset() {
        guard !isClosed else { return }
        isClosed = true
        socket.reset()
    }

    private func waitUntilReady(
        _ interest: Interest, _ deadline: MonotonicInstant, _ operation: SocketError.Operation
    ) throws(SocketError) {
        let outcome = SingleDescriptorPoll.wait(for: interest, on: socket.descriptor, until: deadline)
        if let code = outcome { throw SocketError(operation, code: code, address: peer) }
    }

    /// The error with the connection's address, which the system no longer knows after a failure.
    private func about(_ error: SocketError) -> SocketError {
        SocketError(error.operation, code: error.code, address: peer)
    }
}

extension BlockingStream {
    package func send(_ text: String) throws(SocketError) { try write(Array(text.utf8)) }

    /// The next bytes as text; nil for the end of the stream.
    package func receive() throws(SocketError) -> String? {
        let bytes = try read()
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// The text up to and including the given text.
    package func receive(until end: String) throws -> String {
        var text = ""
        while !text.contains(end) {
            guard let more = try receive() else {
                throw ResponseReader.Missing(description: "the stream ended before \(end)")
            }
            text += more
        }
        return text
    }

    package func receiveToEnd() throws(SocketError) -> String {
        var text = ""
        while let more = try receive() { text += more }
        return text
    }

    /// Whether the connection was reset, not closed; throws if nothing arrives.
    package func isReset() throws(SocketError) -> Bool {
        do throws(SocketError) {
            while try receive() != nil {}
            return false
        } catch {
            if error.isTimeout { throw error }
            return true
        }
    }
}
