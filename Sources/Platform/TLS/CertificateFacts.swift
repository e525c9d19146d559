import COpenSSL

/// What a certificate says about itself.
public struct CertificateFacts: Sendable, Equatable {
    /// The common name of whom it is for, else the organisation; empty where there is neither.
    public let subject: String
    /// The same of whom it was issued by.
    public let issuer: String
    /// The host names and IP addresses that it vouches for.
    public let names: [CertificateName]
    /// When it begins to be valid, in seconds since 1970.
    public let notBefore: Int64
    /// When it ends to be valid, in seconds since 1970.
    public let notAfter: Int64
    /// SHA-256 of its encoding, 32 bytes.
    public let sha256: [UInt8]
    /// Whether it may sign others.
    public let isAuthority: Bool

    /// How long before its end a certificate is to be renewed: 30 days, in seconds.
    public static let renewalTime: Int64 = 30 * 86_400

    /// Reads the certificates of a PEM in order; at least one, or a ``TLSError``.
    public static func read(pem: [UInt8]) throws(TLSError) -> [CertificateFacts] {
        try PEM.certificates(pem, as: .certificate).map(CertificateFacts.init)
    }

    init(_ certificate: X509Certificate) {
        subject = certificate.subject
        issuer = certificate.issuer
        names = certificate.names
        notBefore = certificate.notBefore
        notAfter = certificate.notAfter
        isAuthority = certificate.isAuthority
        let der = certificate.der
        // Not X509_digest, which would load a provider.
        sha256 = [UInt8](unsafeUninitializedCapacity: Int(SHA256_DIGEST_LENGTH)) { buffer, count in
            SHA256(der, der.count, buffer.baseAddress)
            count = Int(SHA256_DIGEST_LENGTH)
        }
    }

    /// The digest as keychains and browsers show it: `AB:CD:…`.
    public var fingerprint: String {
        sha256.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":")
    }

    /// The end as a text: `2026-11-21 20:47:26 UTC`.
    public var expiry: String { Messages.time(notAfter) }

    /// Whether it should be renewed by `now`, in seconds since 1970: it ends within 30 days, or has not begun.
    public func isDue(at now: Int64) -> Bool { now < notBefore || now > notAfter - Self.renewalTime }

    /// Whether it vouches for each of the names.
    public func covers(_ wanted: [CertificateName]) -> Bool { Set(wanted).isSubset(of: names) }
}
