import COpenSSL

/// A private certificate authority, which issues server certificates.
///
/// Keys are on the P-256 curve (FIPS 186-4), and signatures are ECDSA with SHA-256. Keys and nonces come from OpenSSL's
/// random number generator, and everything else comes from the arguments. Source: RFC 5280.
public struct CertificateAuthority: Sendable, Equatable {
    /// The certificate in PEM.
    public let certificate: [UInt8]
    /// The key in PEM (PKCS #8), unencrypted, so protect it from other users.
    public let key: [UInt8]
    /// The lifetime of an authority in seconds: ten years.
    public static let lifetime: Int64 = 3_652 * 86_400
    /// The lifetime of a server certificate in seconds: 397 days, because Apple's clients reject more than 398.
    public static let serverLifetime: Int64 = 397 * 86_400
    /// How many seconds before `now` certificates become valid: an hour, for clients whose clocks are slow.
    public static let head: Int64 = 3_600

    /// Creates an authority with a new key.
    ///
    /// `now` is in seconds since 1970; `serial` has 1 to 20 bytes, different for each certificate of this subject. The
    /// authority is limited to the `permitted` names and their subdomains (RFC 5280 §4.2.1.10), so that a stolen key
    /// cannot impersonate other hosts; an empty list permits all names.
    public static func make(
        subject: String, now: Int64, serial: [UInt8], permitted: [CertificateName] = CertificateName.local
    ) throws(TLSError) -> CertificateAuthority {
        for name in permitted { try name.check() }
        let key = try PrivateKey.make()
        let draft = try CertificateDraft(
            subject: subject, key: key, serial: serial, notBefore: now - head, notAfter: now + lifetime)
        var extensions = [
            (NID_basic_constraints, "critical,CA:TRUE,pathlen:0"), (NID_key_usage, "critical,keyCertSign,cRLSign"),
            (NID_subject_key_identifier, "hash"),
        ]
        let names = permitted.map { "permitted;" + $0.constraint }.joined(separator: ",")
        if !permitted.isEmpty { extensions.append((NID_name_constraints, "critical," + names)) }
        let certificate = try draft.signed(by: key, as: draft.certificate, with: extensions)
        guard let pem = certificate.pem, let keyPEM = key.pem else { throw TLSContext.failure("PEM_write") }
        return CertificateAuthority(certificate: pem, key: keyPEM)
    }

    /// Reads an authority from PEM; it must be valid at `now`, in seconds since 1970.
    public init(certificate: [UInt8], key: [UInt8], now: Int64) throws(TLSError) {
        self.init(certificate: certificate, key: key)
        try opened().certificate.check(at: now)
    }

    private init(certificate: [UInt8], key: [UInt8]) { (self.certificate, self.key) = (certificate, key) }

    private func opened() throws(TLSError) -> (certificate: X509Certificate, key: PrivateKey) {
        let certificate = try PEM.certificates(certificate, as: .certificate)[0]
        let key = try PEM.key(key)
        guard X509_check_private_key(certificate.pointer, key.pointer) == 1 else {
            OpenSSLErrors.clear()
            throw .wrongKey(position: nil)
        }
        guard certificate.isAuthority else { throw .notAnAuthority(subject: certificate.subject) }
        return (certificate, key)
    }

    /// The first host name or, if there is none, a phrase that contains the first address.
    ///
    /// Some verifiers treat a bare address as a host name, and the name constraints may not permit it.
    private static func subject(of names: [CertificateName]) -> String {
        for case .dns(let name) in names { return name }
        return "server at \(names[0])"
    }

    /// Issues a certificate for a server, with a new key; the certificate expires no later than the authority.
    ///
    /// `now` is in seconds since 1970; `serial` has 1 to 20 bytes. Throws if there are no names, more than
    /// ``TLSLimits/names``, or names that are not permitted, or if the authority is not valid at `now`.
    public func issue(
        for names: [CertificateName], now: Int64, serial: [UInt8]
    ) throws(TLSError) -> (certificates: [UInt8], key: [UInt8]) {
        guard (1...TLSLimits.names).contains(names.count) else { throw .nameCount(names.count) }
        for name in names { try name.check() }
        let authority = try opened()
        try authority.certificate.check(at: now)
        let key = try PrivateKey.make()
        let draft = try CertificateDraft(
            subject: Self.subject(of: names), key: key, serial: serial, notBefore: now - Self.head,
            notAfter: min(now + Self.serverLifetime, authority.certificate.notAfter))
        let extensions = [
            (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
            (NID_ext_key_usage, "serverAuth"), (NID_subject_key_identifier, "hash"),
            (NID_authority_key_identifier, "keyid:always"),
            (NID_subject_alt_name, names.map(\.alternative).joined(separator: ",")),
        ]
        let issued = try draft.signed(by: authority.key, as: authority.certificate, with: extensions)
        if let name = names.first(where: { !authority.certificate.permits($0) }) { throw .nameNotPermitted(name) }
        guard let pem = issued.pem, let keyPEM = key.pem else { throw TLSContext.failure("PEM_write") }
        return (pem + certificate, keyPEM)
    }
}

/// A certificate under construction.
struct CertificateDraft {
    let certificate: X509Certificate

    init(subject: String, key: PrivateKey, serial: [UInt8], notBefore: Int64, notAfter: Int64) throws(TLSError) {
        precondition((1...20).contains(serial.count), "A serial number must have from 1 to 20 bytes.")
        OpenSSLErrors.clear()
        guard let new = X509_new() else { throw TLSContext.failure("X509_new") }
        certificate = X509Certificate(owning: new)
        // RFC 5280 §4.1.2.2: the number is positive and has at most 20 bytes, so clear the highest bit.
        var serial = serial
        serial[0] &= 0x7F
        if serial.allSatisfy({ $0 == 0 }) { serial[serial.count - 1] = 1 }
        let number = BN_bin2bn(serial, Int32(serial.count), nil)
        defer { BN_free(number) }
        let name = X509_get_subject_name(new)
        // RFC 5280 appendix A.1: a common name has at most 64 characters.
        let text = Array(String(subject.unicodeScalars.prefix(64)).utf8)
        guard BN_to_ASN1_INTEGER(number, X509_get_serialNumber(new)) != nil, X509_set_version(new, 2) == 1,
            ASN1_TIME_set(X509_getm_notBefore(new), time_t(notBefore)) != nil,
            ASN1_TIME_set(X509_getm_notAfter(new), time_t(notAfter)) != nil,
            X509_NAME_add_entry_by_NID(name, NID_commonName, V_ASN1_UTF8STRING, text, Int32(text.count), -1, 0) == 1,
            X509_set_pubkey(new, key.pointer) == 1
        else { throw TLSContext.failure("X509_set") }
    }

    /// The finished certificate.
    ///
    /// Extensions use the syntax of OpenSSL's configuration files; validate external text in their values.
    func signed(
        by key: PrivateKey, as issuer: X509Certificate, with extensions: [(kind: Int32, value: String)]
    ) throws(TLSError) -> X509Certificate {
        let pointer = certificate.pointer
        let name = X509_get_subject_name(issuer.pointer)
        try TLSContext.check(X509_set_issuer_name(pointer, name) == 1, "X509_set_issuer_name")
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer.pointer, pointer, nil, nil, 0)
        for (kind, value) in extensions {
            guard let new = X509V3_EXT_nconf_nid(nil, &context, kind, value) else {
                throw TLSContext.failure("X509V3_EXT_nconf_nid")
            }
            defer { X509_EXTENSION_free(new) }
            try TLSContext.check(X509_add_ext(pointer, new, -1) == 1, "X509_add_ext")
        }
        try TLSContext.check(X509_sign(pointer, key.pointer, EVP_sha256()) > 0, "X509_sign")
        return certificate
    }
}

extension PrivateKey {
    /// A new key on P-256.
    static func make() throws(TLSError) -> PrivateKey {
        guard COpenSSL_initialise() == 1 else { throw TLSContext.failure("OPENSSL_init_ssl") }
        OpenSSLErrors.clear()
        guard let key = COpenSSL_make_p256_key() else { throw TLSContext.failure("EVP_EC_gen") }
        return PrivateKey(owning: key)
    }
}

extension CertificateName {
    /// The name as a subject alternative name.
    var alternative: String {
        switch self {
        case .dns(let name): "DNS:\(name)"
        case .ip: "IP:\(description)"
        }
    }

    /// The name as a name constraint; an address has a mask of all ones.
    var constraint: String {
        switch self {
        case .dns(let name): "DNS:\(name)"
        case .ip(let bytes) where bytes.count == 4: "IP:\(description)/255.255.255.255"
        case .ip: "IP:\(description)/ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"
        }
    }
}
