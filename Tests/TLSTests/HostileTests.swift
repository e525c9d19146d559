import COpenSSL
import TestSupport
import Testing

@testable import TLS

@Suite("Hostile bytes")
struct HostileTests {
    @Test(
        "The server recognizes plain HTTP however it is split and does not send an alert",
        arguments: [
            ("GET /health HTTP/1.1\r\nHost: a\r\n\r\n", "GET /health HTTP/1.1"),
            ("POST /x HTTP/1.1\r\n", "POST /x HTTP/1.1"),
            ("OPTIONS * HTTP/1.1\r\n", "OPTIONS * HTTP/1.1"), ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "PRI * HTTP/2.0"),
            ("CONNECT a:443 HTTP/1.1\r\n", "CONNECT a:443 HTTP/1.1"),
            // The longest method that the session waits for has 16 letters.
            ("BASELINE-CONTROL /a HTTP/1.1\r\n", "BASELINE-CONTROL /a HTTP/1.1"),
        ])
    func plainHTTP(_ request: (text: String, line: String)) throws {
        let bytes = Array(request.text.utf8)
        let context = try Certificates.local.server()
        for cut in 0...bytes.count {
            let session = TLSSession(server: context)
            session.receive(Array(bytes.prefix(cut)))
            session.receive(Array(bytes.dropFirst(cut)))
            #expect(session.phase == .failed)
            guard case .plainHTTP(.client, let excerpt) = session.failure else {
                Issue.record("cut at \(cut): \(String(describing: session.failure))")
                continue
            }
            #expect(request.line.hasPrefix(excerpt) && excerpt.contains(" "))
            #expect(!session.hasCiphertext)
        }
        let whole = TLSSession(server: context)
        whole.receive(bytes)
        #expect(whole.failure == .plainHTTP(from: .client, excerpt: request.line))
    }

    @Test("The client recognizes a plain HTTP answer however it is split")
    func plainAnswer() throws {
        let bytes = Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)
        let context = try Certificates.client()
        for cut in 0...bytes.count {
            let session = TLSSession(client: context, host: "localhost")
            session.receive(Array(bytes.prefix(cut)))
            session.receive(Array(bytes.dropFirst(cut)))
            guard case .plainHTTP(.server, _) = session.failure else {
                Issue.record("cut at \(cut): \(String(describing: session.failure))")
                continue
            }
            #expect(!session.hasCiphertext)
        }
    }

    @Test(
        "A session that receives another protocol reports its first bytes",
        arguments: [
            Array("SSH-2.0-OpenSSH_9.6\r\n".utf8), Array("get / http/1.1\r\n".utf8), [0], Array("\r\n\r\n".utf8),
            [UInt8](repeating: 0x41, count: 17), Array("HTTP/1.1 200".utf8), [22, 9, 9, 0, 5, 1, 2, 3, 4, 5],
        ])
    func other(_ bytes: [UInt8]) throws {
        let session = TLSSession(server: try Certificates.local.server())
        session.receive(bytes)
        #expect(session.failure == .notTLS(from: .client, bytes: Array(bytes.prefix(8))))
    }

    @Test("The server rejects SSL 2 and SSL 3 with a message")
    func oldVersions() throws {
        let context = try Certificates.local.server()
        let ssl2: [UInt8] = [0x80, 0x2E, 1, 0, 2, 0, 21, 0, 0, 0, 16] + [UInt8](repeating: 7, count: 40)
        let ssl3: [UInt8] =
            [22, 3, 0, 0, 45, 1, 0, 0, 41, 3, 0] + [UInt8](repeating: 7, count: 32) + [0, 0, 2, 0, 0x35, 1, 0]
        for hello in [ssl2, ssl3] {
            let session = TLSSession(server: context)
            session.receive(hello)
            #expect(session.phase == .failed)
            #expect(session.failure?.description.isEmpty == false)
        }
        let session = TLSSession(server: context)
        session.receive(ssl3)
        #expect(session.failure == .noCommonVersion(from: .client))
    }

    @Test("Random bytes never open a session; the session fails with a message", arguments: [TLSRole.client, .server])
    func garbage(_ role: TLSRole) throws {
        var numbers = Draw(seed: 3)
        let client = try Certificates.client()
        let server = try Certificates.local.server()
        for round in 0..<2_000 {
            let session = role == .client ? TLSSession(client: client, host: "localhost") : TLSSession(server: server)
            var bytes = numbers.bytes(Int.random(in: 1...600, using: &numbers))
            // Half of the inputs begin like a record, because otherwise OpenSSL would not read them at all.
            if round % 2 == 0 {
                bytes =
                    [22, 3, UInt8(round % 4), UInt8(round % 3), UInt8(truncatingIfNeeded: round), 1 + UInt8(round % 2)]
                    + bytes
            }
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Int.random(in: 1...200, using: &numbers)
                session.receive(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            session.receiveEndOfStream()
            #expect(session.phase == .failed)
            #expect(session.failure?.description.isEmpty == false)
        }
    }

    @Test("Random bytes after the handshake fail the session with a bad record", arguments: TLSVersion.allCases)
    func garbageWhenOpen(_ version: TLSVersion) throws {
        var numbers = Draw(seed: 4)
        for length in [1, 16, 17, 100, 16_384, 16_700, 65_535] {
            let pair = try Pair.open([version])
            pair.server.receive([23, 3, 3, UInt8(length >> 8), UInt8(length & 0xFF)] + numbers.bytes(length))
            #expect(pair.server.readAll().isEmpty)
            #expect(pair.server.phase == .failed, "\(length)")
            #expect(pair.server.hasCiphertext, "an alert")
        }
    }

    @Test("A flipped bit in a record fails the session before the record is delivered", arguments: TLSVersion.allCases)
    func flippedData(_ version: TLSVersion) throws {
        let client = try Certificates.client(versions: [version])
        let server = try Certificates.local.server()
        var index = 0
        while true {
            let pair = Pair(client: client, server: server)
            pair.settle()
            #expect(pair.client.write([1, 2, 3]) == 3)
            Pair.carry(from: pair.client, to: pair.server)
            #expect(pair.client.write([4, 5, 6]) == 3)
            var record = Pair.carry(from: pair.client, to: nil)
            guard index < record.count else { break }
            record[index] ^= 1 << UInt8(index % 8)
            pair.server.receive(record)
            pair.server.receiveEndOfStream()
            #expect(pair.server.readAll() == [1, 2, 3])
            #expect(pair.server.phase == .failed, "byte \(index)")
            if index >= 5 { #expect(pair.server.failure == .badRecord(from: .client), "byte \(index)") }
            pair.settle()
            #expect(pair.client.readAll().isEmpty)
            index += 1
        }
        #expect(index > 24)
    }

    /// Performs a handshake with a flipped bit in one side's bytes; returns whether there was such a byte.
    private func shakeHands(_ client: TLSContext, _ server: TLSContext, flip index: Int, of side: TLSRole) -> Bool {
        let pair = Pair(client: client, server: server)
        var seen = 0
        var original: UInt8?
        while pair.client.hasCiphertext || pair.server.hasCiphertext {
            for (sender, receiver) in [(pair.client, pair.server), (pair.server, pair.client)] {
                var bytes = Pair.carry(from: sender, to: nil)
                if sender.role == side, bytes.indices.contains(index - seen) {
                    original = bytes[index - seen]
                    bytes[index - seen] ^= 1 << UInt8(index % 8)
                }
                if sender.role == side { seen += bytes.count }
                receiver.receive(bytes)
            }
        }
        guard original != nil else { return false }
        for session in [pair.client, pair.server] {
            session.receiveEndOfStream()
            #expect(session.readAll().isEmpty)
            #expect(session.phase == .failed)
            #expect(session.failure?.description.isEmpty == false)
        }
        // One side must notice, unless the bit was in a record head's version, which is tolerated (RFC 8446 §5.1);
        // tickets come after the end.
        let noticed = [pair.client, pair.server].contains { session in
            switch session.failure {
            case .truncated, nil: false
            default: true
            }
        }
        if !noticed { #expect(pair.client.version == pair.server.version, "byte \(index) of \(side)") }
        return true
    }

    @Test(
        "A flipped bit anywhere in a handshake fails it with a message", arguments: TLSVersion.allCases,
        [TLSRole.client, .server])
    func flippedHandshake(_ version: TLSVersion, _ side: TLSRole) throws {
        let client = try Certificates.client(versions: [version])
        let server = try Certificates.local.server()
        var index = 0
        // Flip a bit in every third byte, so that some bytes in each record are hit, at different bits.
        while shakeHands(client, server, flip: index, of: side) { index += 3 }
        #expect(index > 300)
    }

    @Test("Answers that the other side requests but does not read fail the session at the limit")
    func flooded() throws {
        let pair = try Pair.open()
        let unsent = { pair.server.withCiphertext { $0.count } }
        while pair.server.write([UInt8](repeating: 1, count: 20_000)) > 0 {}
        // These bytes take the place of OpenSSL's output.
        let answers = [UInt8](repeating: 0, count: TLSLimits.answers - unsent())
        #expect(BIO_write(SSL_get_wbio(pair.server.pointer), answers, Int32(answers.count)) == Int32(answers.count))
        #expect(pair.client.write([1]) == 1)
        Pair.carry(from: pair.client, to: pair.server)
        #expect(pair.server.readAll() == [1])
        #expect(pair.server.phase == .open)
        #expect(BIO_write(SSL_get_wbio(pair.server.pointer), answers, 1) == 1)
        #expect(pair.client.write([2]) == 1)
        Pair.carry(from: pair.client, to: pair.server)
        #expect(pair.server.readAll() == [2])
        #expect(pair.server.failure == .flooded(from: .client))
    }

    @Test("A session answers endless key updates in bounded memory")
    func keyUpdates() throws {
        let pair = try Pair.open([.tls13])
        #expect(pair.client.readAll().isEmpty)
        for _ in 0..<2_000 {
            #expect(SSL_key_update(pair.client.pointer, SSL_KEY_UPDATE_REQUESTED) == 1)
            #expect(pair.client.write([1]) == 1)
            Pair.carry(from: pair.client, to: pair.server)
        }
        let read = pair.server.readAll()
        #expect(read.count <= 2_000)
        #expect(pair.server.withCiphertext { $0.count } < 100_000)
    }
}
