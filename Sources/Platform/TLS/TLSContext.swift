import COpenSSL

/// Which end of the connection a session represents.
public enum TLSRole: Sendable, Equatable { case client, server }

/// The supported TLS versions; older ones are rejected (RFC 8996).
public enum TLSVersion: String, Sendable, CaseIterable {
    /// RFC 5246.
    case tls12 = "TLSv1.2"
    /// RFC 8446.
    case tls13 = "TLSv1.3"
}

/// The authorities that a client trusts.
public enum TLSTrust: Sendable, Equatable {
    /// The system's authorities; `SSL_CERT_FILE` and `SSL_CERT_DIR` override them, as they do for all programs that use
    /// OpenSSL.
    case system
    /// The system's authorities and the authorities in a PEM.
    case systemAnd([UInt8])
    /// Only the authorities in a PEM.
    case only([UInt8])
}

/// Limits on sessions and certificates.
public enum TLSLimits {
    /// The bytes of unsent ciphertext above which ``TLSSession/write(_:)`` accepts no more: 64 KiB.
    ///
    /// A started record is always completed, so the ciphertext may exceed the limit by one record of 16 KiB.
    public static let unsentCiphertext = 65_536

    /// The bytes of unsent ciphertext above which the session fails: 128 KiB.
    ///
    /// Only replies (alerts, key updates) that the peer requests but never reads can exceed this limit.
    public static let answers = 131_072

    /// The maximum number of undecrypted bytes of ciphertext: 1 MiB; exceeding it fails the session.
    public static let unreadCiphertext = 1_048_576
    /// The maximum size of a PEM file in bytes: 1 MiB.
    public static let pemFile = 1_048_576
    /// The maximum number of names in an issued certificate.
    public static let names = 100
    /// The maximum number of bytes of the peer's text to show in a message.
    static let excerpt = 100
}

/// A ticket for resuming a session with the same server without a full handshake.
///
/// A ticket is valid for one context and one host, because resuming does not verify the certificate; otherwise it is
/// ignored. RFC 8446 §4.6.1 recommends using it once.
public final class TLSTicket {
    let pointer: OpaquePointer
    let host: String
    let context: TLSContext

    init(owning pointer: OpaquePointer, host: String, context: TLSContext) {
        (self.pointer, self.host, self.context) = (pointer, host, context)
    }

    deinit { SSL_SESSION_free(pointer) }
}

/// The shared state of the sessions of a client or server: certificates, versions, trust and ticket keys.
///
/// Creating the first context initialises OpenSSL, which takes milliseconds. Keys and nonces always come from OpenSSL's
/// random number generator. Only one thread may use a context.
public final class TLSContext {
    /// The protocol negotiated by ALPN (RFC 7301).
    public static let applicationProtocol = "http/1.1"
    public let role: TLSRole
    let pointer: OpaquePointer
    /// The type of BIO that reads from a ``TLSWire``.
    let wireMethod: OpaquePointer
    /// The buffer for decrypted bytes, shared by all sessions because only one is read at a time.
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: recordSize, alignment: 16)
    /// The maximum plaintext of one record (RFC 8446 §5.1).
    static let recordSize = 16_384

    private init(_ role: TLSRole, versions: Set<TLSVersion>) throws(TLSError) {
        precondition(!versions.isEmpty, "A context needs a version.")
        guard COpenSSL_initialise() == 1 else { throw Self.failure("OPENSSL_init_ssl") }
        OpenSSLErrors.clear()
        guard let pointer = SSL_CTX_new(role == .server ? TLS_server_method() : TLS_client_method()) else {
            throw Self.failure("SSL_CTX_new")
        }
        guard let wireMethod = TLSWire.makeMethod() else {
            SSL_CTX_free(pointer)
            throw Self.failure("BIO_meth_new")
        }
        (self.role, self.pointer, self.wireMethod) = (role, pointer, wireMethod)
        let numbers = versions.map(\.number)
        let isSet = COpenSSL_set_versions(pointer, numbers.min() ?? 0, numbers.max() ?? 0) == 1
        try Self.check(isSet, "SSL_CTX_set_min_proto_version")
        COpenSSL_forbid_renegotiation(pointer)
        COpenSSL_release_idle_buffers(pointer)
    }

    deinit {
        SSL_CTX_free(pointer)
        BIO_meth_free(wireMethod)
        scratch.deallocate()
    }

    /// Creates the shared state of a server's sessions.
    ///
    /// `certificates` is PEM: the server's certificate, then the intermediate certificates. `key` is PEM without a
    /// passphrase. If `now` is given, in seconds since 1970, a certificate that is not valid at that time is an error.
    /// Clients can resume sessions for two hours with tickets, which take no memory here (RFC 5077, RFC 8446 §4.6.1).
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
        // For TLS 1.2, only cipher suites with forward secrecy and authenticated encryption, as Apple's clients
        // require.
        let ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20"
        try check(SSL_CTX_set_cipher_list(context.pointer, ciphers) == 1, "SSL_CTX_set_cipher_list")
        COpenSSL_set_session_cache_mode(context.pointer, Int(SSL_SESS_CACHE_OFF))
        SSL_CTX_set_alpn_select_cb(
            context.pointer,
            { session, name, count, offer, offerCount, _ in ALPN.select(session, name, count, offer, offerCount) }, nil)
        return context
    }

    /// Creates the shared state of a client's sessions; the server's certificate is always verified.
    public static func client(
        trust: TLSTrust, versions: Set<TLSVersion> = Set(TLSVersion.allCases)
    ) throws(TLSError) -> TLSContext {
        let context = try TLSContext(.client, versions: versions)
        switch trust {
        case .system: TrustStore.loadSystem(into: context.pointer)
        case .systemAnd(let pem):
            TrustStore.loadSystem(into: context.pointer)
            try TrustStore.load(pem, into: context.pointer)
        case .only(let pem): try TrustStore.load(pem, into: context.pointer)
        }
        SSL_CTX_set_verify(context.pointer, SSL_VERIFY_PEER, { CertificateRefusal.note($0, $1) })
        let offer = ALPN.encoded([applicationProtocol])
        let isOffered = SSL_CTX_set_alpn_protos(context.pointer, offer, UInt32(offer.count)) == 0
        try check(isOffered, "SSL_CTX_set_alpn_protos")
        // The caller stores the tickets; see ``TLSSession/takeTicket()``.
        COpenSSL_set_session_cache_mode(context.pointer, Int(SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL))
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
        for certificate in chain.dropFirst()
        where COpenSSL_add_chain_certificate(pointer, certificate.pointer) != 1 { throw Self.unusable(.certificate) }
    }

    /// Throws if a call failed, which happens only when memory is exhausted.
    static func check(_ isDone: Bool, _ call: String) throws(TLSError) { if !isDone { throw failure(call) } }

    static func unusable(_ material: TLSMaterial) -> TLSError {
        .unusable(material, reason: OpenSSLErrors.take()?.text ?? "")
    }

    static func failure(_ call: String) -> TLSError {
        .outOfMemory(reason: "\(call): \(OpenSSLErrors.take()?.text ?? "")")
    }
}

extension X509Certificate {
    /// Throws if the certificate is not valid at `now`, in seconds since 1970.
    func check(at now: Int64) throws(TLSError) {
        if now > notAfter { throw .expired(subject: subject, notAfter: notAfter) }
        if now < notBefore { throw .notYetValid(subject: subject, notBefore: notBefore) }
    }
}

extension TLSVersion {
    var number: Int32 { self == .tls12 ? TLS1_2_VERSION : TLS1_3_VERSION }
}

/// Application-Layer Protocol Negotiation (RFC 7301): this server supports only HTTP/1.1.
enum ALPN {
    /// Protocols in the format of the extension, each preceded by its length.
    static func encoded(_ protocols: [String]) -> [UInt8] { protocols.flatMap { [UInt8($0.utf8.count)] + $0.utf8 } }

    /// Selects `http/1.1` from the client's offer or rejects it with no_application_protocol (RFC 7301 §3.2).
    static func select(
        _ session: OpaquePointer?, _ selected: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
        _ selectedCount: UnsafeMutablePointer<UInt8>?, _ offer: UnsafePointer<UInt8>?, _ count: UInt32
    ) -> Int32 {
        let offer = UnsafeBufferPointer(start: offer, count: Int(count))
        var offered: [String] = []
        var index = 0
        // OpenSSL has verified the sum of the lengths.
        while index < offer.count, index + Int(offer[index]) < offer.count {
            let name = UnsafeBufferPointer(rebasing: offer[(index + 1)..<(index + 1 + Int(offer[index]))])
            if name.elementsEqual(TLSContext.applicationProtocol.utf8) {
                selected?.pointee = name.baseAddress
                selectedCount?.pointee = UInt8(name.count)
                return SSL_TLSEXT_ERR_OK
            }
            offered.append(String(decoding: name.prefix(TLSLimits.excerpt), as: UTF8.self))
            index += 1 + name.count
        }
        TLSWire.of(session)?.refusedProtocols = offered
        return SSL_TLSEXT_ERR_ALERT_FATAL
    }
}

/// The certificates that a client trusts.
enum TrustStore {
    /// The certificate bundles on common systems, in case OpenSSL was built for other paths.
    private static let bundles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
        "/etc/ssl/ca-bundle.pem",
    ]

    /// Loads the system's certificates; if there are none, the handshake reports an unknown authority.
    static func loadSystem(into context: OpaquePointer) {
        defer { OpenSSLErrors.clear() }
        SSL_CTX_set_default_verify_paths(context)
        guard COpenSSL_trust_is_chosen() == 0, count(in: context) == 0 else { return }
        for bundle in bundles {
            OpenSSLErrors.clear()
            if SSL_CTX_load_verify_locations(context, bundle, nil) == 1 { return }
        }
    }

    /// Trusts each certificate in a PEM, whether it belongs to an authority, an intermediate authority or a server.
    static func load(_ pem: [UInt8], into context: OpaquePointer) throws(TLSError) {
        let store = SSL_CTX_get_cert_store(context)
        for certificate in try PEM.certificates(pem, as: .trust) {
            guard X509_STORE_add_cert(store, certificate.pointer) == 1 else { throw TLSContext.unusable(.trust) }
        }
        X509_STORE_set_flags(store, UInt(X509_V_FLAG_PARTIAL_CHAIN))
    }

    private static func count(in context: OpaquePointer) -> Int32 {
        OPENSSL_sk_num(X509_STORE_get0_objects(SSL_CTX_get_cert_store(context)))
    }
}
