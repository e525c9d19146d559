import COpenSSL

/// A private authority: its certificate and key, with which it issues certificates for servers.
///
/// Keys are on the curve P-256 (FIPS 186-4), signatures ECDSA with SHA-256; keys and nonces come from OpenSSL's
/// randomness, everything else from the arguments. Source: RFC 5280.
public struct CertificateAuthority: Sendable, Equatable {
    /// Its certificate, in PEM.
    public let certificate: [UInt8]
    /// Its key in PEM (PKCS #8), not encrypted: to be kept from other users.
    public let key: [UInt8]

    /// How long an authority is valid: ten years, in seconds.
    public static let lifetime: Int64 = 3_652 * 86_400
    /// How long a server's certificate is valid, in seconds: 397 days, since Apple's clients refuse more than 398.
    public static let serverLifetime: Int64 = 397 * 86_400
    /// How long before `now` certificates begin, in seconds, for clients whose clock is behind: an hour.
    public static let head: Int64 = 3_600

    /// Makes an authority with a new key.
    ///
    /// `now` is in seconds since 1970; `serial` has 1 to 20 bytes, different for each certificate of this subject.
    /// It may vouch for `permitted` names only (RFC 5280 §4.2.1.10) and what stands below them, so that whoever steals
    /// its key can deceive nobody about other hosts; with none, for all.
    public static func make(
        subject: String, now: Int64, serial: [UInt8], permitted: [CertificateName] = CertificateName.local
    ) throws(TLSError) -> CertificateAuthority {
        for name in permitted { try name.check() }
        let key = try PrivateKey.make()
        let draft = try CertificateDraft(
            subject: subject, key: key, serial: serial, notBefore: now - head, notAfter: now + lifetime)
        try draft.setIssuer(draft.certificate)
        try draft.extend(NID_basic_constraints, "critical,CA:TRUE,pathlen:0", issuer: draft.certificate)
        try draft.extend(NID_key_usage, "critical,keyCertSign,cRLSign", issuer: draft.certificate)
        try draft.extend(NID_subject_key_identifier, "hash", issuer: draft.certificate)
        if !permitted.isEmpty {
            let names = permitted.map { "permitted;" + $0.constraint }.joined(separator: ",")
            try draft.extend(NID_name_constraints, "critical," + names, issuer: draft.certificate)
        }
        let certificate = try draft.signed(by: key)
        guard let pem = certificate.pem, let keyPEM = key.pem else { throw TLSContext.failure("PEM_write") }
        return CertificateAuthority(certificate: pem, key: keyPEM)
    }

    /// Reads an authority from PEM; `now` is in seconds since 1970.
    ///
    /// Throws where the key is not the certificate's, where that is no authority's, or its time is over.
    public init(certificate: [UInt8], key: [UInt8], now: Int64) throws(TLSError) {
        self.init(certificate: certificate, key: key)
        try opened().certificate.check(at: now)
    }

    private init(certificate: [UInt8], key: [UInt8]) {
        self.certificate = certificate
        self.key = key
    }

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

    /// The first host name; an address with words, since alone it counts as a host name in some verifications, which
    /// the authority may not vouch for.
    private static func subject(of names: [CertificateName]) -> String {
        for case .dns(let name) in names { return name }
        return "server at \(names[0])"
    }

    /// Issues a certificate for a server, with a new key; it ends no later than the authority.
    ///
    /// `now` is in seconds since 1970; `serial` has 1 to 20 bytes. Throws for no names, more than
    /// ``TLSLimits/names``, names that the authority may not vouch for, and where its time is over.
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
        try draft.setIssuer(authority.certificate)
        try draft.extend(NID_basic_constraints, "critical,CA:FALSE", issuer: authority.certificate)
        try draft.extend(NID_key_usage, "critical,digitalSignature", issuer: authority.certificate)
        try draft.extend(NID_ext_key_usage, "serverAuth", issuer: authority.certificate)
        try draft.extend(NID_subject_key_identifier, "hash", issuer: authority.certificate)
        try draft.extend(NID_authority_key_identifier, "keyid:always", issuer: authority.certificate)
        let alternatives = names.map(\.alternative).joined(separator: ",")
        try draft.extend(NID_subject_alt_name, alternatives, issuer: authority.certificate)
        let issued = try draft.signed(by: authority.key)
        if let name = names.first(where: { !authority.certificate.permits($0) }) { throw .nameNotPermitted(name) }
        guard let pem = issued.pem, let keyPEM = key.pem else { throw TLSContext.failure("PEM_write") }
        return (pem + certificate, keyPEM)
    }
}
