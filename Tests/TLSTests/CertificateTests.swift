import COpenSSL
import Testing

@testable import TLS

@Suite("Certificates")
struct CertificateTests {
    @Test("An authority's certificate has its own name and dates")
    func authority() throws {
        let facts = try CertificateFacts.read(pem: Certificates.authority.certificate)
        try #require(facts.count == 1)
        #expect(facts[0].subject == "Test CA")
        #expect(facts[0].issuer == "Test CA")
        #expect(facts[0].isAuthority)
        #expect(facts[0].names.isEmpty)
        #expect(facts[0].notBefore == Certificates.now - 3_600)
        #expect(facts[0].notAfter == Certificates.now + 3_652 * 86_400)
        #expect(facts[0].sha256.count == 32)
        #expect(facts[0].fingerprint.count == 95)
        #expect(facts[0].expiry == "2036-11-20 12:00:00 UTC")
    }

    @Test("The fingerprint equals OpenSSL's digest")
    func fingerprint() throws {
        let certificate = try PEM.certificates(Certificates.local.certificates, as: .certificate)[0]
        var digest = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 0
        #expect(X509_digest(certificate.pointer, EVP_sha256(), &digest, &count) == 1)
        #expect(CertificateFacts(certificate).sha256 == digest)
    }

    @Test("A fingerprint has two upper-case hexadecimal digits per byte of the digest")
    func fingerprintText() throws {
        let key = try PrivateKey.make()
        let digits = Array("0123456789ABCDEF")
        // The last byte that has one hexadecimal digit, and the first that has two.
        let needed: Set<UInt8> = [15, 16]
        var seen: Set<UInt8> = []
        // Each signature and its digest differ, so about twenty are enough.
        for _ in 0..<1_000 where !needed.isSubset(of: seen) {
            let draft = try CertificateDraft(subject: "a", key: key, serial: [1], notBefore: 0, notAfter: 1)
            let facts = CertificateFacts(try draft.signed(by: key, as: draft.certificate, with: []))
            let text = facts.sha256.map { byte in "\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])" }
            #expect(facts.fingerprint == text.joined(separator: ":"))
            seen.formUnion(facts.sha256)
        }
        #expect(needed.isSubset(of: seen))
    }

    @Test(
        "The subject is the first non-empty common name, organisation or unit",
        arguments: [
            ([(NID_organizationName, "Acme"), (NID_commonName, "me")], "me"),
            ([(NID_commonName, ""), (NID_organizationName, "Acme")], "Acme"),
            ([(NID_organizationalUnitName, "Unit"), (NID_organizationName, "Acme")], "Acme"),
            ([(NID_organizationName, ""), (NID_organizationalUnitName, "Unit")], "Unit"),
            ([(NID_commonName, "")], ""), ([], ""),
        ] as [([(Int32, String)], String)])
    func subject(_ entries: [(Int32, String)], _ subject: String) throws {
        #expect(COpenSSL_initialise() == 1)
        let certificate = X509Certificate(owning: try #require(X509_new()))
        let name = X509_get_subject_name(certificate.pointer)
        for (kind, text) in entries {
            let bytes = Array(text.utf8)
            #expect(X509_NAME_add_entry_by_NID(name, kind, V_ASN1_UTF8STRING, bytes, Int32(bytes.count), -1, 0) == 1)
        }
        #expect(certificate.subject == subject)
    }

    @Test("A server's certificate contains the server's names and comes with the authority's certificate")
    func issued() throws {
        let facts = try CertificateFacts.read(pem: Certificates.local.certificates)
        try #require(facts.count == 2)
        #expect(facts[0].subject == "localhost")
        #expect(facts[0].issuer == "Test CA")
        #expect(!facts[0].isAuthority)
        #expect(facts[0].names == CertificateName.local)
        #expect(facts[0].notBefore == Certificates.now - 3_600)
        #expect(facts[0].notAfter == Certificates.now + 397 * 86_400)
        #expect(facts[1].isAuthority)
        #expect(facts[0].covers([.dns("localhost"), .ip([127, 0, 0, 1])]))
        #expect(!facts[0].covers([.dns("example.com")]))
    }

    @Test("A certificate is due for renewal before its start and from 30 days before its end")
    func due() throws {
        let facts = try CertificateFacts.read(pem: Certificates.local.certificates)[0]
        let edge = facts.notAfter - 30 * 86_400
        for (now, isDue) in [
            (edge, false), (edge + 1, true), (facts.notBefore, false), (facts.notBefore - 1, true),
            (facts.notAfter + 1, true),
        ] {
            #expect(facts.isDue(at: now) == isDue, "\(now)")
        }
    }

    @Test("A certificate ends no later than its authority")
    func endsWithAuthority() throws {
        let end = Certificates.now + CertificateAuthority.lifetime
        let issued = Certificates.issue(Certificates.authority, for: [.dns("localhost")], at: end - 86_400)
        #expect(try CertificateFacts.read(pem: issued.certificates)[0].notAfter == end)
        #expect(throws: TLSError.expired(subject: "Test CA", notAfter: end)) {
            try Certificates.authority.issue(for: [.dns("localhost")], now: end + 1, serial: [1])
        }
    }

    @Test(
        "OpenSSL's strict verification accepts the certificates",
        arguments: [
            (Certificates.authority, X509_V_OK), (Certificates.other, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY),
        ])
    func verifies(_ authority: CertificateAuthority, _ verdict: Int32) throws {
        let leaf = try PEM.certificates(Certificates.local.certificates, as: .certificate)[0]
        let root = try PEM.certificates(authority.certificate, as: .certificate)[0]
        let store = X509_STORE_new()
        let verification = X509_STORE_CTX_new()
        defer {
            X509_STORE_CTX_free(verification)
            X509_STORE_free(store)
            OpenSSLErrors.clear()
        }
        #expect(X509_STORE_add_cert(store, root.pointer) == 1)
        #expect(X509_STORE_CTX_init(verification, store, leaf.pointer, nil) == 1)
        let parameters = X509_STORE_CTX_get0_param(verification)
        X509_VERIFY_PARAM_set_time(parameters, time_t(Certificates.now))
        X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_X509_STRICT))
        X509_VERIFY_PARAM_set_auth_level(parameters, 2)
        X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_SSL_SERVER)
        X509_verify_cert(verification)
        #expect(X509_STORE_CTX_get_error(verification) == verdict)
    }

    @Test("Keys and serial numbers are unique")
    func areDifferent() throws {
        let first = try Certificates.authority.issue(for: CertificateName.local, now: Certificates.now, serial: [5])
        let second = try Certificates.authority.issue(for: CertificateName.local, now: Certificates.now, serial: [6])
        #expect(first.key != second.key)
        #expect(first.certificates != second.certificates)
        #expect(Certificates.authority.key != Certificates.other.key)
    }

    @Test(
        "Serial numbers are positive and nonzero",
        arguments: [
            ([0], [1]), ([0x80], [1]), ([0xFF, 0xFF], [0x7F, 0xFF]), ([0, 0, 9], [9]),
            ([UInt8](repeating: 0xFF, count: 20), [0x7F] + [UInt8](repeating: 0xFF, count: 19)),
        ] as [([UInt8], [UInt8])])
    func serials(_ given: [UInt8], _ written: [UInt8]) throws {
        let issued = try Certificates.authority.issue(for: CertificateName.local, now: Certificates.now, serial: given)
        let certificate = try PEM.certificates(issued.certificates, as: .certificate)[0]
        let number = try #require(X509_get0_serialNumber(certificate.pointer)).pointee
        #expect(number.type == V_ASN1_INTEGER)
        #expect(Array(UnsafeBufferPointer(start: number.data, count: Int(number.length))) == written)
    }

    @Test(
        "An authority issues only allowed names",
        arguments: [
            (.dns("example.com"), false), (.ip([127, 0, 0, 2]), false), (.ip([UInt8](repeating: 0, count: 16)), false),
            (.dns("localhost"), true), (.dns("app.localhost"), true), (.ip([127, 0, 0, 1]), true),
            (.ip([UInt8](repeating: 0, count: 15) + [1]), true),
        ] as [(CertificateName, Bool)])
    func constraints(_ name: CertificateName, _ isPermitted: Bool) throws {
        let issue = {
            try Certificates.authority.issue(for: [.dns("localhost"), name], now: Certificates.now, serial: [1])
        }
        if isPermitted {
            #expect(try CertificateFacts.read(pem: issue().certificates)[0].names == [.dns("localhost"), name])
        } else {
            #expect(throws: TLSError.nameNotPermitted(name)) { try issue() }
        }
    }

    @Test("Issuing rejects an empty list, more than 100 names and injected extensions")
    func names() throws {
        let free = try CertificateAuthority.make(subject: "All", now: Certificates.now, serial: [1], permitted: [])
        let issue = { (names: [CertificateName]) in try free.issue(for: names, now: Certificates.now, serial: [1]) }
        let hundred = (1...100).map { CertificateName.dns("host-\($0).example.com") }
        #expect(try CertificateFacts.read(pem: issue(hundred).certificates)[0].names == hundred)
        #expect(throws: TLSError.nameCount(101)) { try issue(hundred + [.dns("one.more")]) }
        #expect(throws: TLSError.nameCount(0)) { try issue([]) }
        for text in ["a,IP:1.2.3.4", "a\0b", "", "email:copy", "a b"] {
            #expect(throws: TLSError.invalidName(text)) { try issue([.dns(text)]) }
        }
        #expect(throws: TLSError.invalidName("an address of 5 bytes")) { try issue([.ip([1, 2, 3, 4, 5])]) }
        let long = CertificateName.dns(
            (0..<4).map { _ in String(repeating: "a", count: 60) }.joined(separator: ".") + ".example")
        #expect(try CertificateFacts.read(pem: issue([long]).certificates)[0].names == [long])
    }

    @Test("An authority loads unchanged from its files")
    func reads() throws {
        let authority = Certificates.authority
        let read = try CertificateAuthority(
            certificate: authority.certificate, key: authority.key, now: Certificates.now)
        #expect(read == authority)
    }

    @Test("Loading other files as an authority throws")
    func noAuthority() throws {
        let now = Certificates.now
        let (own, other) = (Certificates.authority, Certificates.other)
        #expect(throws: TLSError.wrongKey(position: nil)) {
            try CertificateAuthority(certificate: own.certificate, key: other.key, now: now)
        }
        #expect(throws: TLSError.notAnAuthority(subject: "localhost")) {
            try CertificateAuthority(
                certificate: Certificates.local.certificates, key: Certificates.local.key, now: now)
        }
        let end = now + CertificateAuthority.lifetime
        #expect(throws: TLSError.expired(subject: "Test CA", notAfter: end)) {
            try CertificateAuthority(certificate: own.certificate, key: own.key, now: end + 1)
        }
        #expect(throws: TLSError.notYetValid(subject: "Test CA", notBefore: now - 3_600)) {
            try CertificateAuthority(certificate: own.certificate, key: own.key, now: now - 3_601)
        }
    }
}
