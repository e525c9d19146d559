import COpenSSL
import Testing

@testable import TLS

/// Certificates for the tests, created once, as of noon on 21 November 2026.
enum Certificates {
    static let now: Int64 = 1_795_262_400
    static let authority = make(CertificateAuthority.local)
    /// An authority with the same name but a different key.
    static let other = make(CertificateAuthority.local)
    /// An authority with a different name.
    static let stranger = make {
        try CertificateAuthority.make(subject: "Stranger CA", now: now, serial: [1])
    }
    static let local = issue(authority, for: CertificateName.local)

    struct Issued: Sendable {
        let certificates: [UInt8]
        let key: [UInt8]

        func server(versions: Set<TLSVersion> = Set(TLSVersion.allCases)) throws -> TLSContext {
            try .server(certificates: certificates, key: key, versions: versions)
        }
    }

    static func issue(_ authority: CertificateAuthority, for names: [CertificateName], at now: Int64 = now) -> Issued {
        made {
            let issued = try authority.issue(for: names, now: now, serial: [2])
            return Issued(certificates: issued.certificates, key: issued.key)
        }
    }

    /// A client's context that trusts the authority; `offer` is its ALPN offer, if that is not `http/1.1`.
    static func client(
        versions: Set<TLSVersion> = Set(TLSVersion.allCases), offer: [String]? = nil
    ) throws -> TLSContext {
        let context = try TLSContext.client(trust: .only(authority.certificate), versions: versions)
        if let offer {
            let bytes = ALPN.encoded(offer)
            #expect(SSL_CTX_set_alpn_protos(context.pointer, bytes, UInt32(bytes.count)) == 0)
        }
        return context
    }

    private static func make(_ authority: () throws -> CertificateAuthority) -> CertificateAuthority { made(authority) }

    private static func made<Value>(_ make: () throws -> Value) -> Value {
        do { return try make() } catch { preconditionFailure("\(error)") }
    }
}

extension CertificateAuthority {
    static func local() throws -> CertificateAuthority {
        try make(subject: "Test CA", now: Certificates.now, serial: [1])
    }
}

/// OpenSSL's extension numbers.
enum NID {
    static let alternativeNames = NID_subject_alt_name
}
