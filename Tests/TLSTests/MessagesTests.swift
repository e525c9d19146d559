import Testing

@testable import TLS

@Suite("TLS messages")
struct MessagesTests {
    static let time = Certificates.now

    static let files: [(TLSError, String)] = [
        (
            .notPEM(.certificate),
            "This file has no certificate in PEM format: expected a block between -----BEGIN CERTIFICATE----- and "
                + "-----END CERTIFICATE-----."
        ),
        (
            .notPEM(.key),
            "This file has no private key in PEM format: expected a block between -----BEGIN PRIVATE KEY----- and "
                + "-----END PRIVATE KEY-----."
        ),
        (
            .damaged(.trust),
            "The PEM contains a trusted certificate that cannot be decoded; the data was truncated or changed. "
                + "Export the file again."
        ),
        (
            .tooLarge(.certificate, bytes: 1_048_577),
            "The PEM data with the certificate has 1048577 bytes; at most 1048576 are allowed."
        ),
        (
            .encryptedKey,
            "The key is encrypted with a passphrase; save it without one: openssl pkey -in locked.pem -out key.pem."
        ),
        (.wrongKey(position: nil), "The key does not belong to the certificate: their public keys differ."),
        (
            .wrongKey(position: 3),
            "The key belongs to certificate 3 in the file; put that certificate first, then the intermediate "
                + "certificates."
        ),
        (
            .expired(subject: "a.b", notAfter: time),
            "The certificate for 'a.b' expired at 2026-11-21 12:00:00 UTC; get a new one."
        ),
        (
            .notYetValid(subject: "", notBefore: time),
            "The certificate for (no name) is not valid before 2026-11-21 12:00:00 UTC; is the clock right?"
        ),
        (
            .notAnAuthority(subject: "a.b"),
            "The certificate for 'a.b' may not sign other certificates; use a CA certificate (CA:TRUE)."
        ),
        (
            .invalidName("münchen.de"),
            "'münchen.de' is neither a host name nor an IP address; write internationalized names in "
                + "Punycode (xn--…)."
        ),
        (.nameCount(101), "A certificate may have from 1 to 100 names, not 101."),
        (
            .nameNotPermitted(.ip([10, 0, 2, 2])),
            "The authority may not sign a certificate for 10.0.2.2; its own certificate restricts it to other names."
        ),
        (.unusable(.certificate, reason: "ee key too small"), "The certificate cannot be used: ee key too small."),
        (.outOfMemory(reason: "SSL_CTX_new"), "OpenSSL failed in SSL_CTX_new; is the machine out of memory?"),
    ]

    static let sessions: [(TLSError, String)] = [
        (
            .plainHTTP(from: .client, excerpt: "GET / HTTP/1.1"),
            "The client sent plain HTTP ('GET / HTTP/1.1') to the TLS port; use https:// or wss:// here."
        ),
        (
            .plainHTTP(from: .server, excerpt: "HTTP/"),
            "The server sent plain HTTP ('HTTP/') on this port; use http:// or ws://, or its TLS port."
        ),
        (
            .notTLS(from: .client, bytes: [0, 15, 16, 255]),
            "The client does not speak TLS: it began with the bytes 00 0f 10 ff."
        ),
        (
            .noCommonVersion(from: .client),
            "The client and this end have no TLS version in common; 1.2 and 1.3 are supported here, unless the "
                + "versions were limited."
        ),
        (
            .noCommonCipher(from: .server),
            "The server and this end have no cipher suite or key exchange in common; TLS 1.3, or ECDHE with AES-GCM "
                + "or ChaCha20, is needed."
        ),
        (
            .noCommonProtocol(offered: ["h2", "h\n3"]),
            "The client offered h2, h?3 in ALPN, but only http/1.1 is supported here. The client must also offer "
                + "http/1.1, or not use ALPN."
        ),
        (
            .noCommonProtocol(offered: ["1", "2", "3", "4", "5"]),
            "The client offered 1, 2, 3, 4, 5 in ALPN, but only http/1.1 is supported here. The client must also "
                + "offer http/1.1, or not use ALPN."
        ),
        (
            .noCommonProtocol(offered: ["1", "2", "3", "4", "5", "6", "7"]),
            "The client offered 1, 2, 3, 4, 5 and 2 more in ALPN, but only http/1.1 is supported here. The client must "
                + "also offer http/1.1, or not use ALPN."
        ),
        (
            .hungUp(from: .client, afterBytes: 0),
            "The client closed the connection without sending anything; it may have been a port scan."
        ),
        (
            .hungUp(from: .client, afterBytes: 1),
            "The client closed the connection in the middle of the handshake, after 1 byte; some clients do that when "
                + "they do not trust the certificate."
        ),
        (
            .hungUp(from: .server, afterBytes: 0),
            "The server closed the connection without sending anything; does that port use TLS?"
        ),
        (
            .hungUp(from: .server, afterBytes: 12),
            "The server closed the connection in the middle of the handshake, after 12 bytes; does that port use TLS?"
        ),
        (
            .truncated(from: .server),
            "The server closed the connection without close_notify; the last data may be incomplete."
        ),
        (.badRecord(from: .client), "A record from the client cannot be decrypted; it was changed in transit."),
        (.violation(from: .client, reason: "bad\u{1B}[0m"), "The client broke the TLS protocol: bad?[0m."),
        (.violation(from: .server, reason: ""), "The server broke the TLS protocol."),
        (
            .flooded(from: .client),
            "The client keeps requesting responses but reads none; more than 131072 bytes are waiting to be sent."
        ),
        (.overrun, "More than 1048576 bytes are waiting to be decrypted; no more are accepted."),
    ]

    static let alerts: [(TLSError, String)] = [
        (
            .alert(48, from: .client, inHandshake: true),
            "The client refused the handshake (unknown_ca, alert 48): it does not trust the CA that issued "
                + "our certificate; make it trust that CA."
        ),
        (
            .alert(46, from: .client, inHandshake: true),
            "The client refused the handshake (certificate_unknown, alert 46): it does not accept our "
                + "certificate; it probably does not trust the authority, or uses another name for the host."
        ),
        (
            .alert(45, from: .client, inHandshake: true),
            "The client refused the handshake (certificate_expired, alert 45): it considers our certificate expired or "
                + "not yet valid; compare the clocks."
        ),
        (
            .alert(40, from: .server, inHandshake: true),
            "The server refused the handshake (handshake_failure, alert 40): it found no cipher suite, key exchange "
                + "or signature that it accepts."
        ),
        (
            .alert(70, from: .server, inHandshake: true),
            "The server refused the handshake (protocol_version, alert 70): it supports none of the offered TLS "
                + "versions."
        ),
        (
            .alert(112, from: .server, inHandshake: true),
            "The server refused the handshake (unrecognized_name, alert 112): it has no site with that name."
        ),
        (
            .alert(116, from: .server, inHandshake: false),
            "The server ended the connection (certificate_required, alert 116): it requested a client certificate, "
                + "which is not supported."
        ),
        (
            .alert(120, from: .server, inHandshake: true),
            "The server refused the handshake (no_application_protocol, alert 120): it supports none of the offered "
                + "application protocols."
        ),
        (.alert(80, from: .client, inHandshake: false), "The client ended the connection (internal_error, alert 80)."),
        (.alert(199, from: .client, inHandshake: false), "The client ended the connection (alert 199)."),
    ]

    static let refusals: [(CertificateRefusal, String)] = [
        (
            .expired(subject: "Old CA", notAfter: time),
            "The certificate from 'api.a.b' was rejected: the certificate for 'Old CA' expired at 2026-11-21 12:00:00 UTC."
        ),
        (
            .notYetValid(subject: "a.b", notBefore: time),
            "The certificate from 'api.a.b' was rejected: the certificate for 'a.b' is not valid before 2026-11-21 "
                + "12:00:00 UTC; is the clock right?"
        ),
        (
            .unknownAuthority(issuer: "Corp CA"),
            "The certificate from 'api.a.b' was rejected: it was issued by 'Corp CA', which is not trusted here, or "
                + "the server does not send the intermediate certificates."
        ),
        (
            .selfSigned(subject: "a.b"),
            "The certificate from 'api.a.b' was rejected: 'a.b' is self-signed; trust that certificate, or use one "
                + "from a trusted authority."
        ),
        (
            .wrongName([.dns("a.b"), .ip([10, 0, 0, 1])]),
            "The certificate is not for 'api.a.b', but for a.b, 10.0.0.1."
        ),
        (.wrongName([]), "The certificate is not for 'api.a.b', but for nothing."),
        (
            .other(subject: "a.b", reason: "permitted subtree violation"),
            "The certificate from 'api.a.b' was rejected: permitted subtree violation ('a.b')."
        ),
    ]

    @Test("Each error has the expected message", arguments: files + sessions + alerts)
    func errors(_ error: TLSError, _ text: String) { #expect(error.description == text) }

    @Test("Each error about a certificate says why it was rejected", arguments: refusals)
    func refused(_ refusal: CertificateRefusal, _ text: String) {
        #expect(TLSError.refused(host: "api.a.b", refusal).description == text)
    }

    @Test("Messages shorten text from the other side and strip control characters")
    func excerpts() {
        #expect(Messages.printable(String(repeating: "a", count: 100)) == String(repeating: "a", count: 100))
        #expect(Messages.printable(String(repeating: "a", count: 101)) == String(repeating: "a", count: 100) + "…")
        #expect(Messages.printable("a\u{202E}b\u{7F}c\0d") == "a?b?c?d")
    }

    @Test(
        "Messages print times as calendar dates",
        arguments: [
            (0, "1970-01-01 00:00:00 UTC"), (-1, "1969-12-31 23:59:59 UTC"), (951_782_399, "2000-02-28 23:59:59 UTC"),
            (951_782_400, "2000-02-29 00:00:00 UTC"), (951_868_800, "2000-03-01 00:00:00 UTC"),
            (4_107_542_399, "2100-02-28 23:59:59 UTC"), (4_107_542_400, "2100-03-01 00:00:00 UTC"),
            (253_402_300_799, "9999-12-31 23:59:59 UTC"), (time, "2026-11-21 12:00:00 UTC"),
            (36_610, "1970-01-01 10:10:10 UTC"),
        ])
    func times(_ seconds: Int64, _ text: String) { #expect(Messages.time(seconds) == text) }

    @Test("Advice on trust appears only if a client rejects the server's certificate")
    func advice() {
        for error: TLSError in [
            .alert(42, from: .client, inHandshake: true), .alert(43, from: .client, inHandshake: true),
            .alert(46, from: .client, inHandshake: true), .alert(48, from: .client, inHandshake: true),
            .hungUp(from: .client, afterBytes: 1),
        ] {
            #expect(error.description(advice: "See there.") == error.description + " See there.")
            #expect(error.description(advice: "") == error.description)
        }
        for error: TLSError in [
            .alert(48, from: .server, inHandshake: true), .alert(45, from: .client, inHandshake: true),
            .hungUp(from: .client, afterBytes: 0), .hungUp(from: .server, afterBytes: 1),
            .noCommonVersion(from: .client),
        ] {
            #expect(error.description(advice: "See there.") == error.description)
        }
    }
}
