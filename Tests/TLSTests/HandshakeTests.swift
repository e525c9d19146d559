import COpenSSL
import Testing

@testable import TLS

@Suite("Handshakes")
struct HandshakeTests {
    @Test("Each TLS version completes a handshake and carries bytes both ways", arguments: TLSVersion.allCases)
    func carries(_ version: TLSVersion) throws {
        let pair = try Pair.open([version])
        for session in [pair.client, pair.server] {
            #expect(session.phase == .open)
            #expect(session.failure == nil)
            #expect(session.version == version)
            #expect(session.applicationProtocol == "http/1.1")
            #expect(!session.wasResumed)
            #expect(session.cipherSuite?.contains("GCM") == true)
        }
        #expect(pair.server.serverName == "localhost")
        #expect(pair.client.write(Array("question".utf8)) == 8)
        #expect(pair.server.write(Array("answer".utf8)) == 6)
        pair.settle()
        #expect(pair.server.readAll() == Array("question".utf8))
        #expect(pair.client.readAll() == Array("answer".utf8))
    }

    @Test("A handshake selects the highest common version")
    func highest() throws {
        for (client, server, agreed) in [
            (Set(TLSVersion.allCases), Set(TLSVersion.allCases), TLSVersion.tls13),
            ([.tls12], Set(TLSVersion.allCases), .tls12), (Set(TLSVersion.allCases), [.tls12], .tls12),
        ] {
            let pair = try Pair(
                client: Certificates.client(versions: client), server: Certificates.local.server(versions: server))
            pair.settle()
            #expect(pair.server.version == agreed)
            #expect(pair.client.version == agreed)
        }
    }

    @Test(
        "If there is no common version, both sides say so",
        arguments: [(TLSVersion.tls12, TLSVersion.tls13), (.tls13, .tls12)])
    func noCommonVersion(_ client: TLSVersion, _ server: TLSVersion) throws {
        let pair = try Pair(
            client: Certificates.client(versions: [client]), server: Certificates.local.server(versions: [server]))
        pair.settle()
        #expect(pair.server.phase == .failed)
        #expect(pair.server.failure == .noCommonVersion(from: .client))
        #expect(pair.client.failure == .alert(70, from: .server, inHandshake: true))
        #expect(pair.client.version == nil)
    }

    @Test("If there is no common cipher suite, both sides say so")
    func noCommonCipher() throws {
        let context = try Certificates.client(versions: [.tls12])
        #expect(SSL_CTX_set_cipher_list(context.pointer, "ECDHE-RSA-AES256-SHA384") == 1)
        let pair = Pair(client: context, server: try Certificates.local.server())
        pair.settle()
        #expect(pair.server.failure == .noCommonCipher(from: .client))
        #expect(pair.client.failure == .alert(40, from: .server, inHandshake: true))
    }

    @Test(
        "The server selects http/1.1 if the client offers it",
        arguments: [(["h2", "http/1.1"], "http/1.1"), (["http/1.1"], "http/1.1"), ([], nil)] as [([String], String?)],
        TLSVersion.allCases)
    func agreesOnProtocol(_ table: (offer: [String], agreed: String?), _ version: TLSVersion) throws {
        let pair = Pair(
            client: try Certificates.client(versions: [version], offer: table.offer),
            server: try Certificates.local.server())
        pair.settle()
        #expect(pair.server.phase == .open)
        #expect(pair.server.applicationProtocol == table.agreed)
        #expect(pair.client.applicationProtocol == table.agreed)
    }

    @Test("The server rejects a client that offers only other protocols", arguments: TLSVersion.allCases)
    func refusesProtocols(_ version: TLSVersion) throws {
        let pair = Pair(
            client: try Certificates.client(versions: [version], offer: ["h2", "spdy/3"]),
            server: try Certificates.local.server())
        pair.settle()
        #expect(pair.server.failure == .noCommonProtocol(offered: ["h2", "spdy/3"]))
        #expect(pair.client.failure == .alert(120, from: .server, inHandshake: true))
    }

    @Test(
        "The protocol selection does not read beyond the end of the client's offer", arguments: [9, 8, 0] as [UInt32])
    func endOfOffer(_ count: UInt32) {
        let bytes = ALPN.encoded(["http/1.1"])
        var selectedCount: UInt8 = 0
        let result =
            count == 0
            ? ALPN.select(nil, nil, &selectedCount, nil, 0) : ALPN.select(nil, nil, &selectedCount, bytes, count)
        #expect(result == (count == 9 ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL))
        #expect(selectedCount == (count == 9 ? 8 : 0))
    }

    @Test("A session neither reads nor writes data during a handshake")
    func waits() throws {
        let client = TLSSession(client: try Certificates.client(), host: "localhost", now: Certificates.now)
        let server = TLSSession(server: try Certificates.local.server())
        #expect(client.phase == .handshaking)
        #expect(client.hasCiphertext)
        #expect(!server.hasCiphertext)
        for session in [client, server] {
            #expect(session.write([1, 2, 3]) == 0)
            #expect(session.readAll().isEmpty)
            #expect(session.version == nil)
            #expect(session.cipherSuite == nil)
            #expect(session.applicationProtocol == nil)
        }
    }

    @Test("A client rejects renegotiation with an alert and continues")
    func refusesServersRenegotiation() throws {
        let pair = try Pair.open([.tls12])
        SSL_clear_options(pair.server.pointer, SSL_get_options(pair.server.pointer))
        #expect(SSL_renegotiate(pair.server.pointer) == 1)
        SSL_do_handshake(pair.server.pointer)
        Pair.carry(from: pair.server, to: pair.client)
        #expect(pair.client.readAll().isEmpty)
        #expect(pair.client.phase == .open)
        // An alert is a record of 5, 8, 2 and 16 bytes with AES-GCM; a greeting would be longer.
        #expect(pair.client.withCiphertext { $0.count } == 31)
        #expect(pair.client.write([1]) == 1)
    }

    @Test("A server rejects renegotiation with an alert and continues")
    func refusesRenegotiation() throws {
        let pair = try Pair.open([.tls12])
        // Our client would not do this, so clear OpenSSL's options.
        SSL_clear_options(pair.client.pointer, SSL_get_options(pair.client.pointer))
        #expect(SSL_renegotiate(pair.client.pointer) == 1)
        SSL_do_handshake(pair.client.pointer)
        pair.settle()
        #expect(pair.server.readAll().isEmpty)
        pair.settle()
        #expect(pair.client.readAll().isEmpty)
        #expect(pair.server.phase == .open)
        #expect(pair.server.write([1]) == 1)
        #expect(pair.client.failure == .violation(from: .server, reason: "no renegotiation"))
    }
}
