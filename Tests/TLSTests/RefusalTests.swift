import Testing

@testable import TLS

@Suite("Rejected certificates")
struct RefusalTests {
    private func shakeHands(
        _ issued: Certificates.Issued, host: String, trust: [UInt8] = Certificates.authority.certificate,
        version: TLSVersion, now: Int64 = Certificates.now
    ) throws -> Pair {
        let context = try TLSContext.client(trust: .only(trust), versions: [version])
        let pair = Pair(
            client: TLSSession(client: context, host: host, now: now),
            server: TLSSession(server: try issued.server()))
        pair.settle()
        return pair
    }

    @Test("The client rejects a certificate outside its validity period", arguments: TLSVersion.allCases)
    func times(_ version: TLSVersion) throws {
        let end = Certificates.now + CertificateAuthority.serverLifetime
        let atEnd = try shakeHands(Certificates.local, host: "localhost", version: version, now: end - 1)
        #expect(atEnd.client.phase == .open)
        let expired = try shakeHands(Certificates.local, host: "localhost", version: version, now: end + 1)
        #expect(
            expired.client.failure
                == .refused(host: "localhost", .expired(subject: "localhost", notAfter: end)))
        #expect(expired.server.failure == .alert(45, from: .client, inHandshake: true))
        let start = Certificates.now - CertificateAuthority.head
        let young = Certificates.issue(Certificates.authority, for: [.dns("localhost")], at: Certificates.now + 86_400)
        let early = try shakeHands(young, host: "localhost", version: version)
        #expect(
            early.client.failure
                == .refused(host: "localhost", .notYetValid(subject: "localhost", notBefore: start + 86_400)))
        #expect(early.server.failure == .alert(42, from: .client, inHandshake: true))
    }

    @Test(
        "The client rejects a host name that is not in the certificate",
        arguments: ["example.com", "127.0.0.2", "::2", "localhost.example.com", "sub.localhost"], TLSVersion.allCases)
    func names(_ host: String, _ version: TLSVersion) throws {
        let pair = try shakeHands(Certificates.local, host: host, version: version)
        #expect(pair.client.failure == .refused(host: host, .wrongName(CertificateName.local)))
        #expect(
            pair.client.failure?.description
                == "The certificate is not for '\(host)', but for localhost, 127.0.0.1, ::1.")
        #expect(pair.server.failure == .alert(42, from: .client, inHandshake: true))
        #expect(pair.client.write([1]) == 0 && pair.server.write([1]) == 0)
    }

    @Test(
        "The client accepts each of the certificate's names",
        arguments: ["localhost", "LOCALHOST", "localhost.", "127.0.0.1", "::1", "[::1]", "0:0:0:0:0:0:0:1"],
        TLSVersion.allCases)
    func rightNames(_ host: String, _ version: TLSVersion) throws {
        let pair = try shakeHands(Certificates.local, host: host, version: version)
        #expect(pair.client.phase == .open)
        #expect(pair.server.serverName == (host.lowercased().hasPrefix("localhost") ? "localhost" : nil))
    }

    @Test("A certificate that names only an IP address is valid for that address", arguments: TLSVersion.allCases)
    func addressAlone(_ version: TLSVersion) throws {
        let issued = Certificates.issue(Certificates.authority, for: [.ip([127, 0, 0, 1])])
        #expect(try shakeHands(issued, host: "127.0.0.1", version: version).client.failure == nil)
        #expect(
            try shakeHands(issued, host: "localhost", version: version).client.failure
                == .refused(host: "localhost", .wrongName([.ip([127, 0, 0, 1])])))
    }

    @Test("A wildcard matches exactly one label")
    func wildcards() throws {
        let authority = try CertificateAuthority.make(subject: "All", now: Certificates.now, serial: [1], permitted: [])
        let issued = Certificates.issue(authority, for: [.dns("*.example.com")])
        for (host, isFine) in [("api.example.com", true), ("a.b.example.com", false), ("example.com", false)] {
            let pair = try shakeHands(issued, host: host, trust: authority.certificate, version: .tls13)
            #expect((pair.client.phase == .open) == isFine, "\(host)")
        }
    }

    @Test("The client rejects an untrusted authority", arguments: TLSVersion.allCases)
    func unknownAuthority(_ version: TLSVersion) throws {
        let pair = try shakeHands(
            Certificates.local, host: "localhost", trust: Certificates.stranger.certificate, version: version)
        #expect(pair.client.failure == .refused(host: "localhost", .unknownAuthority(issuer: "Test CA")))
        #expect(pair.server.failure == .alert(48, from: .client, inHandshake: true))
    }

    @Test("The client rejects an authority with a trusted name but a different key", arguments: TLSVersion.allCases)
    func impostor(_ version: TLSVersion) throws {
        let pair = try shakeHands(
            Certificates.local, host: "localhost", trust: Certificates.other.certificate, version: version)
        #expect(pair.client.phase == .failed)
        guard case .refused = pair.client.failure else {
            Issue.record("\(String(describing: pair.client.failure))")
            return
        }
    }

    @Test("The client accepts a self-signed certificate only if it is trusted", arguments: TLSVersion.allCases)
    func selfSigned(_ version: TLSVersion) throws {
        let key = try PrivateKey.make()
        let draft = try CertificateDraft(
            subject: "myself", key: key, serial: [1], notBefore: Certificates.now, notAfter: Certificates.now + 1_000)
        let names = (NID.alternativeNames, "DNS:localhost")
        let pem = try #require(try draft.signed(by: key, as: draft.certificate, with: [names]).pem)
        let issued = Certificates.Issued(certificates: pem, key: try #require(key.pem))
        let refused = try shakeHands(issued, host: "localhost", version: version)
        #expect(refused.client.failure == .refused(host: "localhost", .selfSigned(subject: "myself")))
        #expect(refused.server.failure == .alert(48, from: .client, inHandshake: true))
        let trusted = try shakeHands(issued, host: "localhost", trust: pem, version: version)
        #expect(trusted.client.phase == .open)
    }

    @Test("The client can trust a server's own certificate directly", arguments: TLSVersion.allCases)
    func trustedLeaf(_ version: TLSVersion) throws {
        let chain = try PEM.certificates(Certificates.local.certificates, as: .certificate)
        let pair = try shakeHands(
            Certificates.local, host: "localhost", trust: try #require(chain[0].pem), version: version)
        #expect(pair.client.phase == .open)
    }

    @Test("The client trusts our authority only if it is added to the system's authorities")
    func systemTrust() throws {
        for (trust, isFine) in [(TLSTrust.system, false), (.systemAnd(Certificates.authority.certificate), true)] {
            let pair = Pair(client: try .client(trust: trust), server: try Certificates.local.server())
            pair.settle()
            #expect((pair.client.phase == .open) == isFine)
        }
    }

    @Test(
        "An invalid host fails the session before a byte is sent",
        arguments: ["", "a b", "a..b", "localhost\0.example.com", "*.example.com", "1.2.3", "münchen.de", "-a.b"])
    func noHost(_ host: String) throws {
        let session = TLSSession(client: try Certificates.client(), host: host)
        #expect(session.phase == .failed)
        #expect(session.failure == .invalidName(host))
        #expect(!session.hasCiphertext)
        session.receive([1, 2, 3])
        session.receiveEndOfStream()
        session.close()
        #expect(session.failure == .invalidName(host))
    }
}
