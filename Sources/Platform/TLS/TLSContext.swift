import COpenSSL

/// What the sessions of one end have in common: certificates, versions, trust, the keys of session tickets.
///
/// Making one is what starts OpenSSL's machinery (milliseconds); a process without contexts never pays for it. Random
/// numbers (keys, nonces) come from OpenSSL itself, never from us. Everything a context does stays on the thread that
/// uses it.
public final class TLSContext {
    /// The protocol that is agreed by ALPN (RFC 7301).
    public static let applicationProtocol = "http/1.1"

    /// Which end its sessions are.
    public let role: TLSRole
    let pointer: OpaquePointer
    /// The kind of BIO that reads from a ``TLSWire``.
    let wireMethod: OpaquePointer
    /// Where a session decrypts to before the bytes go to the caller: one for all, since one is read at a time.
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: recordSize, alignment: 16)

    /// The plaintext of one record at most (RFC 8446 §5.1).
    static let recordSize = 16_384

    private init(_ role: TLSRole, versions: Set<TLSVersion>) throws(TLSError) {
        precondition(!versions.isEmpty, Misuse.noVersion)
        guard COpenSSL_initialise() == 1 else { throw Self.failure("OPENSSL_init_ssl") }
        OpenSSLErrors.clear()
        guard let pointer = SSL_CTX_new(role == .server ? TLS_server_method() : TLS_client_method()) else {
            throw Self.failure("SSL_CTX_new")
        }
        guard let wireMethod = TLSWire.makeMethod() else {
            SSL_CTX_free(pointer)
            throw Self.failure("BIO_meth_new")
        }
        self.role = role
        self.pointer = pointer
        self.wireMethod = wireMethod
        let numbers = versions.map(\.number)
        guard COpenSSL_set_versions(pointer, numbers.min() ?? 0, numbers.max() ?? 0) == 1 else {
            throw Self.failure("SSL_CTX_set_min_proto_version")
        }
        COpenSSL_forbid_renegotiation(pointer)
        COpenSSL_release_idle_buffers(pointer)
    }

    deinit {
        SSL_CTX_free(pointer)
        BIO_meth_free(wireMethod)
        scratch.deallocate()
    }

    /// Makes what a server's sessions share.
    ///
    /// `certificates` is PEM, the server's own first, then those between it and its authority; `key` is PEM without a
    /// passphrase. With `now`, in seconds since 1970, certificates outside their time are errors too. Sessions are
    /// resumed by tickets, which need no memory here, for two hours (RFC 5077, RFC 8446 §4.6.1).
    public static func server(
        certificates: [UInt8], key: [UInt8], versions: Set<TLSVersion> = Set(TLSVersion.allCases), now: Int64? = nil
    ) throws(TLSError) -> TLSContext {
        let chain = try PEM.certificates(certificates, as: .certificate)
        let key = try PEM.key(key)
        guard X509_check_private_key(chain[0].pointer, key.pointer) == 1 else {
            let other = chain.dropFirst().firstIndex { X509_check_private_key($0.pointer, key.pointer) == 1 }
            OpenSSLErrors.clear()
            throw .wrongKey(position: other.map { $0 + 1 })
        }
        if let now { for certificate in chain { try certificate.check(at: now) } }
        let context = try TLSContext(.server, versions: versions)
        try context.use(chain, key)
        // TLS 1.2 with forward secrecy and authenticated encryption only, as Apple's clients ask.
        guard SSL_CTX_set_cipher_list(context.pointer, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1 else {
            throw failure("SSL_CTX_set_cipher_list")
        }
        COpenSSL_set_session_cache_mode(context.pointer, Int(SSL_SESS_CACHE_OFF))
        SSL_CTX_set_alpn_select_cb(
            context.pointer,
            { session, name, count, offer, offerCount, _ in ALPN.select(session, name, count, offer, offerCount) }, nil)
        return context
    }

    /// Makes what a client's sessions share; the server's certificate is always verified.
    public static func client(
        trust: TLSTrust, versions: Set<TLSVersion> = Set(TLSVersion.allCases)
    ) throws(TLSError) -> TLSContext {
        let context = try TLSContext(.client, versions: versions)
        switch trust {
        case .system:
            TrustStore.loadSystem(into: context.pointer)
        case .systemAnd(let pem):
            TrustStore.loadSystem(into: context.pointer)
            try TrustStore.load(pem, into: context.pointer)
        case .only(let pem):
            try TrustStore.load(pem, into: context.pointer)
        }
        SSL_CTX_set_verify(context.pointer, SSL_VERIFY_PEER, { CertificateRefusal.note($0, $1) })
        let offer = ALPN.encoded([applicationProtocol])
        guard SSL_CTX_set_alpn_protos(context.pointer, offer, UInt32(offer.count)) == 0 else {
            throw failure("SSL_CTX_set_alpn_protos")
        }
        // The caller keeps what can be resumed: see ``TLSSession/takeTicket()``.
        COpenSSL_set_session_cache_mode(
            context.pointer, Int(SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL))
        SSL_CTX_sess_set_new_cb(context.pointer) { session, ticket in
            guard let wire = TLSWire.of(session) else { return 0 }
            SSL_SESSION_free(wire.ticket)
            wire.ticket = ticket
            return 1
        }
        return context
    }

    private func use(_ chain: [X509Certificate], _ key: PrivateKey) throws(TLSError) {
        guard SSL_CTX_use_certificate(pointer, chain[0].pointer) == 1 else { throw Self.unusable(.certificate) }
        guard SSL_CTX_use_PrivateKey(pointer, key.pointer) == 1 else { throw Self.unusable(.key) }
        for certificate in chain.dropFirst() {
            guard COpenSSL_add_chain_certificate(pointer, certificate.pointer) == 1 else {
                throw Self.unusable(.certificate)
            }
        }
    }

    static func unusable(_ material: TLSMaterial) -> TLSError {
        .unusable(material, reason: OpenSSLErrors.take()?.text ?? "")
    }

    static func failure(_ call: String) -> TLSError {
        .outOfMemory(reason: "\(call): \(OpenSSLErrors.take()?.text ?? "")")
    }
}

extension X509Certificate {
    /// Throws where `now`, in seconds since 1970, is outside the certificate's time.
    func check(at now: Int64) throws(TLSError) {
        if now > notAfter { throw .expired(subject: subject, notAfter: notAfter) }
        if now < notBefore { throw .notYetValid(subject: subject, notBefore: notBefore) }
    }
}

extension TLSVersion {
    var number: Int32 { self == .tls12 ? TLS1_2_VERSION : TLS1_3_VERSION }
}
