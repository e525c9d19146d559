import COpenSSL

/// The TLS layer of one connection, without a socket: it converts ciphertext to plaintext and back.
///
/// Pass received bytes to ``receive(_:)``, then read the plaintext with ``readPlaintext(into:limit:)`` until it returns
/// false. Send the bytes of ``withCiphertext(_:)`` even after a failure, because they may contain an alert. Only one
/// thread may use a session. An idle session allocates no buffers: with OpenSSL 3.0 a server's session takes 14 KiB in
/// total, and a client's session takes 24 KiB, including the server's certificates. During the handshake, OpenSSL
/// accepts messages of up to 128 KiB (a server's certificates: 100 KiB) and rejects longer messages. Source: RFC 5246
/// (TLS 1.2), RFC 8446 (TLS 1.3).
public final class TLSSession {
    public enum Phase: Sendable, Equatable {
        /// Neither side may send plaintext yet.
        case handshaking
        /// Plaintext flows both ways.
        case open
        /// The peer has sent close_notify and will send no more; this end may still send.
        case closed
        /// The session is over; see ``TLSSession/failure``.
        case failed
    }

    /// The current phase; a peer's close takes effect once all earlier data has been read.
    public private(set) var phase = Phase.handshaking
    /// The reason for the failure, with a message for the user.
    public private(set) var failure: TLSError?
    public var role: TLSRole { context.role }
    let pointer: OpaquePointer
    let wire = TLSWire()
    private let context: TLSContext
    private let host: String
    private var hasSentClose = false
    private var receivedCount = 0
    private var opening = Opening()

    /// Creates the server's end of a connection.
    public convenience init(server context: TLSContext) {
        precondition(context.role == .server, "The context belongs to the other end of a connection.")
        self.init(context, host: "")
        SSL_set_accept_state(pointer)
    }

    /// Creates the client's end; its first ciphertext is ready for sending.
    ///
    /// `host` is the host name or IP address that the server's certificate must match (RFC 9525); a host name is also
    /// sent as the server name (RFC 6066 §3). If the host is neither, the session fails. A `ticket` resumes an earlier
    /// session if the server agrees. Certificates must be valid at `now` (seconds since 1970), by default the system's
    /// time.
    public convenience init(
        client context: TLSContext, host: String, resuming ticket: TLSTicket? = nil, now: Int64? = nil
    ) {
        precondition(context.role == .client, "The context belongs to the other end of a connection.")
        self.init(context, host: host)
        SSL_set_connect_state(pointer)
        guard expect(host) else {
            fail(.invalidName(host))
            return
        }
        if let now { X509_VERIFY_PARAM_set_time(SSL_get0_param(pointer), time_t(now)) }
        if let ticket, ticket.context === context, ticket.host == host { SSL_set_session(pointer, ticket.pointer) }
        shakeHands()
    }

    private init(_ context: TLSContext, host: String) {
        OpenSSLErrors.clear()
        guard let session = SSL_new(context.pointer), let bio = BIO_new(context.wireMethod) else {
            preconditionFailure("OpenSSL must have enough memory for a session.")
        }
        self.context = context
        self.host = host
        pointer = session
        let address = Unmanaged.passUnretained(wire).toOpaque()
        BIO_set_data(bio, address)
        BIO_set_init(bio, 1)
        SSL_set_bio(session, bio, bio)
        SSL_set_ex_data(session, 0, address)
    }

    deinit {
        // Otherwise OpenSSL would invalidate the ticket of a session that was not closed, which TLS does not require.
        SSL_set_shutdown(pointer, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
        SSL_free(pointer)
    }

    /// Makes OpenSSL verify the certificate for a host and send a host name as the server name.
    private func expect(_ host: String) -> Bool {
        let plain = host.hasSuffix(".") ? String(host.dropLast()) : host
        switch try? CertificateName(plain) {
        case nil: return false
        case .ip(let bytes): return X509_VERIFY_PARAM_set1_ip(SSL_get0_param(pointer), bytes, bytes.count) == 1
        case .dns(let name):
            SSL_set_hostflags(pointer, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
            return !name.hasPrefix("*") && SSL_set1_host(pointer, name) == 1
                && COpenSSL_set_server_name(pointer, name) == 1
        }
    }

    // MARK: Receiving

    /// Accepts ciphertext, split anywhere; errors are reported only in ``failure``.
    ///
    /// Bytes are dropped once the session is closed or failed.
    public func receive(_ ciphertext: UnsafeRawBufferPointer) {
        guard phase == .handshaking || phase == .open else { return }
        receivedCount += ciphertext.count
        guard wire.unreadCount + ciphertext.count <= TLSLimits.unreadCiphertext else { return fail(.overrun) }
        wire.append(ciphertext)
        if phase == .handshaking { shakeHands() }
    }

    /// Reports that the peer has closed the connection.
    ///
    /// A connection that ended without close_notify fails with ``TLSError/truncated(from:)`` once all data has been
    /// read.
    public func receiveEndOfStream() {
        wire.isEnded = true
        switch phase {
        case .handshaking: shakeHands()
        case .open:
            // OpenSSL notices the end only when it reads.
            OpenSSLErrors.clear()
            var byte: UInt8 = 0
            let result = SSL_peek(pointer, &byte, 1)
            if result <= 0 { settle(result) }
        case .closed, .failed: break
        }
    }

    private func shakeHands() {
        guard recogniseTLS() else { return }
        OpenSSLErrors.clear()
        let result = SSL_do_handshake(pointer)
        guard result == 1 else { return settle(result) }
        phase = .open
        // A search for authorities leaves an error for each one that it does not find.
        OpenSSLErrors.clear()
    }

    /// Whether to pass the first bytes to OpenSSL, which would respond to HTTP with an alert.
    private func recogniseTLS() -> Bool {
        switch opening.judge(wire.unread, from: peer) {
        case .tls: return true
        case .undecided:
            // A client must start the handshake before the server sends bytes.
            if role == .client, wire.unreadCount == 0 { return true }
            if wire.isEnded { fail(.hungUp(from: peer, afterBytes: receivedCount)) }
        case .other(let error):
            wire.dropUnread()
            wire.dropSent(wire.unsentCount)
            fail(error)
        }
        return false
    }

    /// Appends at most `limit` decrypted bytes; returns whether there were any.
    ///
    /// Call it until it returns false; unread data stays encrypted. Data received before a close or a failure is still
    /// appended.
    public func readPlaintext(into plaintext: inout [UInt8], limit: Int) -> Bool {
        guard phase == .open else { return false }
        var rest = limit
        while rest > 0 {
            OpenSSLErrors.clear()
            let result = SSL_read(pointer, context.scratch.baseAddress, Int32(min(rest, context.scratch.count)))
            guard result > 0 else {
                settle(result)
                break
            }
            plaintext.append(contentsOf: context.scratch[..<Int(result)])
            rest -= Int(result)
        }
        if phase == .open, wire.unsentCount > TLSLimits.answers { fail(.flooded(from: peer)) }
        return rest < limit
    }

    // MARK: Sending

    /// Encrypts plaintext and returns the number of accepted bytes.
    ///
    /// Nothing is accepted during the handshake, after ``close()`` or after a failure. When
    /// ``TLSLimits/unsentCiphertext`` is reached, only part of it is accepted: send the ciphertext, then write the
    /// rest.
    public func write(_ plaintext: UnsafeRawBufferPointer) -> Int {
        guard phase == .open || phase == .closed, !hasSentClose else { return 0 }
        var taken = 0
        while taken < plaintext.count, wire.unsentCount < TLSLimits.unsentCiphertext {
            OpenSSLErrors.clear()
            let rest = UnsafeRawBufferPointer(rebasing: plaintext[taken...])
            let written = SSL_write(pointer, rest.baseAddress, Int32(min(rest.count, TLSContext.recordSize)))
            guard written > 0 else {
                settle(written)
                break
            }
            taken += Int(written)
        }
        return taken
    }

    /// Sends close_notify (RFC 8446 §6.1), which ends sending; you can still read.
    ///
    /// Does nothing during the handshake and after a failure.
    public func close() {
        guard phase == .open || phase == .closed, !hasSentClose else { return }
        hasSentClose = true
        OpenSSLErrors.clear()
        SSL_shutdown(pointer)
        OpenSSLErrors.clear()
    }

    public var hasCiphertext: Bool { wire.unsentCount > 0 }
    /// Passes the unsent ciphertext to `body`.
    public func withCiphertext<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R { wire.withUnsent(body) }

    /// Removes the first `count` bytes of ciphertext, which were sent.
    public func takeCiphertext(_ count: Int) {
        precondition((0...wire.unsentCount).contains(count), "More ciphertext was consumed than was available.")
        wire.dropSent(count)
    }

    // MARK: Negotiated parameters

    /// The negotiated version, once known.
    public var version: TLSVersion? { isAgreed ? TLSVersion.allCases.first { $0.number == SSL_version(pointer) } : nil }

    /// The protocol negotiated by ALPN, or nil if the client offered none.
    public var applicationProtocol: String? {
        guard isAgreed else { return nil }
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(pointer, &name, &count)
        return count == 0 ? nil : String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
    }

    /// The newest ticket for resuming this client's session, if the server sent any since the last call.
    ///
    /// With TLS 1.3, the ticket arrives after the handshake, while data is being read.
    public func takeTicket() -> TLSTicket? {
        guard role == .client, let ticket = wire.takeTicket() else { return nil }
        return TLSTicket(owning: ticket, host: host, context: context)
    }

    private var isAgreed: Bool { SSL_is_init_finished(pointer) == 1 }

    // MARK: Failures

    private var peer: TLSRole { role == .server ? .client : .server }

    /// Updates the phase after an unsuccessful OpenSSL call.
    private func settle(_ result: Int32) {
        switch SSL_get_error(pointer, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: break
        case SSL_ERROR_ZERO_RETURN:
            phase = .closed
            wire.dropUnread()
        default:
            let error = TLSError(
                OpenSSLErrors.takeForSession(), from: peer, host: host, inHandshake: phase == .handshaking,
                receivedCount: receivedCount, firstBytes: opening.bytes, wire: wire)
            fail(error)
        }
        OpenSSLErrors.clear()
    }

    private func fail(_ error: TLSError) {
        (phase, failure) = (.failed, error)
        wire.dropUnread()
    }
}
