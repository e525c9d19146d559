import Sockets
import TLS

/// One connection of a host: a socket, and TLS if it is spoken there.
///
/// Encrypted bytes stay in the owner's output until the socket takes them, and count as sent only then: so limits and
/// time-outs are those of a plain connection, regardless of the amount of ciphertext. Closes its socket in the end.
public final class SocketStream {
    public let socket: Socket
    /// Its token in the loop.
    public let token: UInt64
    /// Whether it began with TLS; a constant, because a server checks it at each read and write.
    public let isSecure: Bool
    /// TLS; nil for plain text, and once a client has spoken plain HTTP instead.
    @exclusivity(unchecked) public private(set) var session: TLSSession?
    /// The watched events; nil if it is no longer watched.
    @exclusivity(unchecked) var interest: Interest?
    /// Whether bytes can be exchanged, or could be before TLS failed: at once, or after the TLS handshake.
    @exclusivity(unchecked) public private(set) var isAgreed: Bool
    /// Whether anything has arrived over TLS: a bare port scan is not an error.
    @exclusivity(unchecked) public private(set) var hasReceived = false
    /// Whether the peer's stream has ended: by FIN, or by close_notify.
    @exclusivity(unchecked) public private(set) var hasEnded = false
    /// Whether the peer's FIN has been read.
    @exclusivity(unchecked) public private(set) var isAtEnd = false
    /// Whether the peer's stream ended without close_notify.
    @exclusivity(unchecked) public private(set) var wasCutOff = false
    /// Whether our FIN was sent.
    @exclusivity(unchecked) public private(set) var isShutDown = false
    /// Whether the peer accepts nothing more.
    @exclusivity(unchecked) public var takesNothing = false
    /// Whether a failure of TLS after our close_notify matters no more: a proxy still reads the answer then.
    @exclusivity(unchecked) public var ignoresLateFailure = false
    /// Whether our close_notify was written.
    @exclusivity(unchecked) private var hasSaidFarewell = false
    /// Whether the owner knows that TLS has failed.
    @exclusivity(unchecked) private var isFailureTold = false
    @exclusivity(unchecked) private var isClosed = false
    /// Bytes at the front of the owner's output that are encrypted and do not count as sent.
    @exclusivity(unchecked) private var encryptedCount = 0

    /// The plaintext encrypted at a time: four records.
    private static let pieceSize = 64 * 1024

    init(_ socket: Socket, token: UInt64, session: TLSSession?, interest: Interest) {
        (self.socket, self.token, self.session, self.interest) = (socket, token, session, interest)
        (isSecure, isAgreed) = (session != nil, session == nil)
    }

    deinit { close(reset: false) }

    /// Whether bytes can be exchanged.
    public var isOpen: Bool { isAgreed && session?.phase != .failed }
    public var isShakingHands: Bool { session?.phase == .handshaking }
    /// Whether output can be sent, or encrypted.
    public var takesOutput: Bool { isOpen && !hasSaidFarewell }
    /// Whether nothing more can be sent: pending bytes can be dropped.
    public var isMute: Bool { isShutDown || takesNothing || session?.phase == .failed }
    /// Whether there are bytes that only TLS wants to send, or encrypted output.
    public var hasCiphertext: Bool { isSecure && session?.hasCiphertext ?? false }

    /// The events to watch, if its owner can read, and has output.
    public func interest(reads: Bool, hasOutput: Bool) -> Interest {
        let writes = !takesNothing && (hasCiphertext || takesOutput && hasOutput)
        return (reads && !hasEnded ? Interest.read : []).union(writes ? .write : [])
    }

    // MARK: Receiving

    /// The result of reading.
    public enum Reading {
        /// Something arrived.
        case bytes
        /// The peer ended its stream, perhaps after some bytes.
        case end
        /// Nothing has arrived yet.
        case nothing
        case broken
        /// TLS failed; reported once, see ``ignoresLateFailure``.
        case failed(TLSError)
    }

    /// Reads once and decrypts; the bytes, possibly none, are valid only during the call of `body`.
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
                // Many peers end this way; the protocol above notices what is missing.
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
    /// - Parameter isLast: Whether it is the last output; with TLS a close_notify follows it in the same packet.
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
        // Never the last byte of the output before all of the ciphertext is sent.
        let sent = max(session.hasCiphertext ? min(count, encryptedCount - 1) : encryptedCount, 0)
        encryptedCount -= sent
        return .wrote(sent)
    }

    /// Call it when the owner drops its output: encrypted bytes are still sent, but do not count as output.
    public func forgetOutput() { encryptedCount = 0 }

    /// Ends our stream, after all output was sent.
    ///
    /// - Parameter abruptly: Whether to leave out the close_notify, as a program that crashes does. Otherwise, if its few
    ///   bytes do not fit into the socket, they are not missed.
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
