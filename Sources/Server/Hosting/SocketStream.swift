import Sockets
import TLS

/// One of a host's connections: a socket, with TLS if the peer uses TLS.
///
/// Bytes stay in the owner's output, and count as sent once the socket accepts their ciphertext. Limits and time-outs
/// therefore work as on a plain connection. `deinit` closes the socket.
public final class SocketStream {
    public let socket: Socket
    /// The connection's token in the loop.
    public let token: UInt64
    /// Whether the connection started with TLS; this is a constant because every read and write checks it.
    public let isSecure: Bool
    /// The TLS session; nil on a plain connection, and after a client has sent plain HTTP instead.
    @exclusivity(unchecked) public private(set) var session: TLSSession?
    /// The events that the loop watches; nil once it no longer watches the socket.
    @exclusivity(unchecked) var interest: Interest?
    /// Whether the TLS handshake has succeeded, even if TLS failed later; always true without TLS.
    @exclusivity(unchecked) public private(set) var isAgreed: Bool
    /// Whether any bytes have arrived on a TLS connection; a port scan sends none and is not an error.
    @exclusivity(unchecked) public private(set) var hasReceived = false
    /// Whether the peer has ended its stream, with FIN or close_notify.
    @exclusivity(unchecked) public private(set) var hasEnded = false
    /// Whether the peer's FIN has arrived.
    @exclusivity(unchecked) public private(set) var isAtEnd = false
    /// Whether the peer ended its stream without sending close_notify.
    @exclusivity(unchecked) public private(set) var wasCutOff = false
    /// Whether our FIN has been sent.
    @exclusivity(unchecked) public private(set) var isShutDown = false
    /// Whether the peer has stopped accepting data.
    @exclusivity(unchecked) public var takesNothing = false
    /// Whether to ignore a TLS failure after our close_notify, so that a proxy can still read the answer.
    @exclusivity(unchecked) public var ignoresLateFailure = false
    /// Whether our close_notify has been written.
    @exclusivity(unchecked) private var hasSaidFarewell = false
    /// Whether ``read(into:_:)`` has reported that TLS failed.
    @exclusivity(unchecked) private var isFailureTold = false
    @exclusivity(unchecked) private var isClosed = false
    /// The encrypted bytes at the start of the owner's output that do not count as sent yet.
    @exclusivity(unchecked) private var encryptedCount = 0

    /// The number of plaintext bytes to encrypt at a time: four TLS records.
    private static let pieceSize = 64 * 1024

    init(_ socket: Socket, token: UInt64, session: TLSSession?, interest: Interest) {
        (self.socket, self.token, self.session, self.interest) = (socket, token, session, interest)
        (isSecure, isAgreed) = (session != nil, session == nil)
    }

    deinit { close(reset: false) }

    /// Whether the stream can currently exchange bytes.
    public var isOpen: Bool { isAgreed && session?.phase != .failed }
    /// Whether the stream still accepts output.
    public var takesOutput: Bool { isOpen && !hasSaidFarewell }
    /// Whether sending is no longer possible, so that the owner may drop its output.
    public var isMute: Bool { isShutDown || takesNothing || session?.phase == .failed }
    /// Whether ciphertext is waiting to be sent: TLS records or encrypted output.
    public var hasCiphertext: Bool { isSecure && session?.hasCiphertext ?? false }

    /// The events to watch.
    ///
    /// - Parameters:
    ///   - reads: Whether the owner can accept more bytes.
    ///   - hasOutput: Whether the owner has output to send.
    public func interest(reads: Bool, hasOutput: Bool) -> Interest {
        let writes = !takesNothing && (hasCiphertext || takesOutput && hasOutput)
        return (reads && !hasEnded ? Interest.read : []).union(writes ? .write : [])
    }

    // MARK: Receiving

    /// The result of reading.
    public enum Reading {
        /// Bytes arrived.
        case bytes
        /// The peer ended its stream, possibly after sending some bytes.
        case end
        /// Nothing has arrived yet.
        case nothing
        case broken
        /// TLS failed; reported once, or never if ``ignoresLateFailure`` is set and our close_notify was sent.
        case failed(TLSError)
    }

    /// Reads once, decrypts, and calls `body` with the bytes, which may be empty and are valid only during the call.
    public func read(into buffer: ReadBuffer, _ body: (UnsafeRawBufferPointer) -> Void) -> Reading {
        switch socket.read(into: buffer.bytes) {
        case .bytes(let count):
            let bytes = UnsafeRawBufferPointer(rebasing: buffer.bytes[..<count])
            guard isSecure, let session else {
                body(bytes)
                return .bytes
            }
            hasReceived = true
            session.receive(bytes)
            return decrypt(session, buffer, body)
        case .endOfStream:
            isAtEnd = true
            guard let session else {
                hasEnded = true
                return .end
            }
            session.receiveEndOfStream()
            return decrypt(session, buffer, body)
        case .wouldBlock: return .nothing
        case .failed: return .broken
        }
    }

    private func decrypt(
        _ session: TLSSession, _ buffer: ReadBuffer, _ body: (UnsafeRawBufferPointer) -> Void
    ) -> Reading {
        if session.phase == .open || session.phase == .closed { isAgreed = true }
        buffer.plaintext.removeAll(keepingCapacity: true)
        while session.readPlaintext(into: &buffer.plaintext, limit: buffer.bytes.count) {}
        buffer.plaintext.withUnsafeBytes(body)
        switch session.phase {
        case .handshaking, .open: return .bytes
        case .closed: break
        case .failed:
            if case .truncated? = session.failure {
                // Many peers close without close_notify; HTTP and WebSocket detect truncated messages.
                wasCutOff = true
            } else if let failure = session.failure, !isFailureTold, !(hasSaidFarewell && ignoresLateFailure) {
                isFailureTold = true
                forgetOutput()
                if case .plainHTTP(from: .client, _) = failure { (self.session, isAgreed) = (nil, true) }
                return .failed(failure)
            } else if !isAtEnd {
                return .bytes
            }
        }
        hasEnded = true
        return .end
    }

    // MARK: Sending

    /// Sends as much of the output as possible now.
    ///
    /// - Parameter isLast: Whether this is the last output; with TLS, a close_notify follows in the same packet.
    /// - Returns: The number of output bytes that count as sent, possibly 0; nil if there is nothing to send.
    public func send(_ output: UnsafeRawBufferPointer, isLast: Bool) -> WriteResult? {
        guard isSecure, let session else { return output.isEmpty ? nil : socket.write(output) }
        if encryptedCount == 0, takesOutput, !output.isEmpty {
            encryptedCount = session.write(UnsafeRawBufferPointer(rebasing: output.prefix(Self.pieceSize)))
        }
        if isLast, encryptedCount == output.count, !hasSaidFarewell {
            hasSaidFarewell = true
            session.close()
        }
        guard session.hasCiphertext else { return nil }
        let result = session.withCiphertext(socket.write)
        guard case .wrote(let count) = result else { return result }
        session.takeCiphertext(count)
        // The output's last byte counts as sent only once the last byte of its ciphertext has been sent.
        let sent = max(session.hasCiphertext ? min(count, encryptedCount - 1) : encryptedCount, 0)
        encryptedCount -= sent
        return .wrote(sent)
    }

    /// Must be called when the owner drops its output; encrypted bytes are still sent, but no longer count as output.
    public func forgetOutput() { encryptedCount = 0 }

    /// Ends our stream; must be called after all output was sent.
    ///
    /// - Parameter abruptly: Whether to omit the close_notify, as a crashing program does. A close_notify is also
    ///   omitted if the socket has no space for it.
    public func finish(abruptly: Bool = false) {
        guard !isShutDown else { return }
        isShutDown = true
        if !abruptly { _ = send(UnsafeRawBufferPointer(start: nil, count: 0), isLast: true) }
        socket.shutdownWriting()
    }

    func close(reset: Bool) {
        guard !isClosed else { return }
        isClosed = true
        if reset { socket.reset() } else { socket.close() }
    }
}
