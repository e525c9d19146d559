import COpenSSL

/// One connection's TLS: ciphertext of the other side in, plaintext out, and the other way round; no socket.
///
/// Feed what arrives to ``receive(_:)``, take what is decrypted with ``readPlaintext(into:limit:)`` after each receipt
/// until it returns false, and send what ``withCiphertext(_:)`` shows, also after a failure: it may be the alert. A
/// class because OpenSSL's SSL is an identity; used by one thread. An idle session holds no buffers: with OpenSSL 3.0 a
/// server's takes 14 KiB in all, a client's 24 KiB, with the server's certificates in it. While shaking hands OpenSSL
/// takes messages of up to 128 KiB (a server's certificates: 100 KiB) and refuses longer ones.
/// Source: RFC 5246 (TLS 1.2), RFC 8446 (TLS 1.3).
public final class TLSSession {
    /// How far the connection is.
    public enum Phase: Sendable, Equatable {
        /// Neither side may send plaintext yet.
        case handshaking
        /// Plaintext goes both ways.
        case open
        /// The other side has sent close_notify and will send no more; we may.
        case closed
        /// It is over; ``TLSSession/failure`` says why.
        case failed
    }

    /// How far the connection is; the other side's close is noticed when all before it was read.
    public private(set) var phase = Phase.handshaking
    /// Why the session failed, in words for the person at the keyboard.
    public private(set) var failure: TLSError?
    /// Which end this is.
    public var role: TLSRole { context.role }

    let pointer: OpaquePointer
    let wire = TLSWire()
    private let context: TLSContext
    private let host: String
    private var hasSentClose = false
    private var receivedCount = 0
    private var opening = Opening()

    /// Begins the server's end of a connection.
    public convenience init(server context: TLSContext) {
        precondition(context.role == .server, Misuse.otherRole)
        self.init(context, host: "")
        SSL_set_accept_state(pointer)
    }

    /// Begins the client's end: the first ciphertext is there to be sent at once.
    ///
    /// `host` is the host name or IP address that the server's certificate must be for (RFC 9525); a host name is also
    /// sent as server name (RFC 6066 §3). A host that is neither fails the session. With a `ticket` the session is
    /// resumed if the server agrees. Certificates must be valid at `now`, seconds since 1970, or by the system's clock.
    public convenience init(
        client context: TLSContext, host: String, resuming ticket: TLSTicket? = nil, now: Int64? = nil
    ) {
        precondition(context.role == .client, Misuse.otherRole)
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
            preconditionFailure(Misuse.noMemory)
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
        // Otherwise OpenSSL would spoil the ticket of a session that was not closed; TLS 1.2 and later do not ask it.
        SSL_set_shutdown(pointer, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
        SSL_free(pointer)
    }

    /// Has OpenSSL verify the certificate for a host, and name it where it is a name.
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

    // MARK: The other side's bytes

    /// Takes ciphertext as it came, cut anywhere; never fails but by ``failure``.
    ///
    /// Nothing is kept once the session is closed or failed.
    public func receive(_ ciphertext: UnsafeRawBufferPointer) {
        guard phase == .handshaking || phase == .open else { return }
        receivedCount += ciphertext.count
        guard wire.unreadCount + ciphertext.count <= TLSLimits.unreadCiphertext else { return fail(.overrun) }
        wire.append(ciphertext)
        if phase == .handshaking { shakeHands() }
    }

    /// Takes note that the other side sends nothing more.
    ///
    /// A connection that ended without close_notify fails with ``TLSError/truncated(from:)`` when all was read.
    public func receiveEndOfStream() {
        wire.isEnded = true
        switch phase {
        case .handshaking: shakeHands()
        case .open:
            // Without anything to read nobody would notice.
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
        // A search for authorities leaves what it did not find.
        OpenSSLErrors.clear()
    }

    /// Whether the first bytes may go to OpenSSL, which would answer HTTP with an alert.
    private func recogniseTLS() -> Bool {
        switch opening.judge(wire.unread, from: peer) {
        case .tls: return true
        case .undecided:
            // A client speaks first, and so has something to do before the server has said anything.
            if role == .client, wire.unreadCount == 0 { return true }
            if wire.isEnded { fail(.hungUp(from: peer, afterBytes: receivedCount)) }
            return false
        case .other(let error):
            wire.dropUnread()
            wire.dropSent(wire.unsentCount)
            fail(error)
            return false
        }
    }

    /// Appends what is decrypted, at most `limit` bytes; whether there was anything.
    ///
    /// Call it until it returns false, or later again: what is not read waits encrypted. What came before a close or a
    /// failure is appended all the same.
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

    // MARK: Our bytes

    /// Encrypts plaintext and returns how many bytes of it were taken.
    ///
    /// None while shaking hands, after ``close()`` and after a failure; fewer than all while
    /// ``TLSLimits/unsentCiphertext`` is reached: send first, then go on with the rest.
    public func write(_ plaintext: UnsafeRawBufferPointer) -> Int {
        guard phase == .open || phase == .closed, !hasSentClose else { return 0 }
        var taken = 0
        while taken < plaintext.count, wire.unsentCount < TLSLimits.unsentCiphertext {
            OpenSSLErrors.clear()
            let rest = UnsafeRawBufferPointer(rebasing: plaintext[taken...])
            let result = SSL_write(pointer, rest.baseAddress, Int32(min(rest.count, TLSContext.recordSize)))
            guard result > 0 else {
                settle(result)
                break
            }
            taken += Int(result)
        }
        return taken
    }

    /// Says that we send no more: close_notify (RFC 8446 §6.1); what the other side still sends can be read.
    ///
    /// Does nothing while shaking hands and after a failure.
    public func close() {
        guard phase == .open || phase == .closed, !hasSentClose else { return }
        hasSentClose = true
        OpenSSLErrors.clear()
        SSL_shutdown(pointer)
        OpenSSLErrors.clear()
    }

    /// Whether there is ciphertext to be sent.
    public var hasCiphertext: Bool { wire.unsentCount > 0 }

    /// Shows the ciphertext to be sent.
    public func withCiphertext<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R { wire.withUnsent(body) }

    /// Takes away as many bytes of ciphertext as were sent.
    public func takeCiphertext(_ count: Int) {
        precondition(count >= 0 && count <= wire.unsentCount, Misuse.takenTooMuch)
        wire.dropSent(count)
    }

    // MARK: What was agreed

    /// The version, once agreed.
    public var version: TLSVersion? {
        isAgreed ? TLSVersion.allCases.first { $0.number == SSL_version(pointer) } : nil
    }

    /// The protocol agreed by ALPN, or nil where the client offered none.
    public var applicationProtocol: String? {
        guard isAgreed else { return nil }
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(pointer, &name, &count)
        return count == 0 ? nil : String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
    }

    /// Hands over what a later session of this client can resume with, if the server gave any since the last call.
    ///
    /// With TLS 1.3 it comes after the handshake, and is there after some reading.
    public func takeTicket() -> TLSTicket? {
        guard role == .client, let ticket = wire.takeTicket() else { return nil }
        return TLSTicket(owning: ticket, host: host, context: context)
    }

    private var isAgreed: Bool { SSL_is_init_finished(pointer) == 1 }

    // MARK: Ends

    private var peer: TLSRole { role == .server ? .client : .server }

    /// Draws the consequences of a call of OpenSSL's that did not succeed.
    private func settle(_ result: Int32) {
        switch SSL_get_error(pointer, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: break
        case SSL_ERROR_ZERO_RETURN:
            phase = .closed
            wire.dropUnread()
        default:
            fail(
                TLSError(
                    OpenSSLErrors.takeForSession(), from: peer, host: host, inHandshake: phase == .handshaking,
                    receivedCount: receivedCount, firstBytes: opening.bytes, wire: wire))
        }
        OpenSSLErrors.clear()
    }

    private func fail(_ error: TLSError) {
        phase = .failed
        failure = error
        wire.dropUnread()
    }
}
