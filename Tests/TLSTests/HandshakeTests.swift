import TLS
import Testing

@Suite("Handshakes")
struct HandshakeTests {
    @Test("Each version shakes hands and carries bytes both ways", arguments: TLSVersion.allCases)
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
}
