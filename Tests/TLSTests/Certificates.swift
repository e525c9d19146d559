import TLS

/// Certificates for the tests, made once: at noon of 21 November 2026.
enum Certificates {
    static let now: Int64 = 1_795_262_400
    static let authority = make(CertificateAuthority.local)
    static let other = make(CertificateAuthority.local)
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
