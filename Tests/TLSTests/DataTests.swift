import COpenSSL
import TestSupport
import Testing

@testable import TLS

@Suite("Plaintext")
struct DataTests {
    @Test("Long writes in both directions are accepted in pieces and arrive whole", arguments: TLSVersion.allCases)
    func bigWrites(_ version: TLSVersion) throws {
        let pair = try Pair.open([version])
        var numbers = Draw(seed: 1)
        let question = numbers.bytes(3_000_001)
        let answer = numbers.bytes(2_500_003)
        var sent = (client: 0, server: 0)
        var received: (client: [UInt8], server: [UInt8]) = ([], [])
        while received.server.count < question.count || received.client.count < answer.count {
            sent.client += pair.client.write(Array(question[sent.client...].prefix(200_000)))
            sent.server += pair.server.write(Array(answer[sent.server...].prefix(200_000)))
            for session in [pair.client, pair.server] {
                #expect(session.withCiphertext { $0.count } < TLSLimits.unsentCiphertext + 17_000)
            }
            pair.settle()
            received.server += pair.server.readAll()
            received.client += pair.client.readAll()
        }
        #expect(received.server == question)
        #expect(received.client == answer)
    }

    @Test("At the limit of unsent ciphertext, a session accepts no writes until some is sent")
    func backPressure() throws {
        let pair = try Pair.open()
        let bytes = [UInt8](repeating: 1, count: 1_000_000)
        let taken = pair.server.write(bytes)
        #expect((49_152...81_920).contains(taken))
        #expect(pair.server.write(bytes) == 0)
        #expect(pair.server.phase == .open)
        let piece = pair.server.withCiphertext { Array($0.prefix(30_000)) }
        pair.server.takeCiphertext(piece.count)
        pair.client.receive(piece)
        #expect(pair.server.write(bytes) > 0)
        pair.settle()
        #expect(pair.client.readAll().count > taken)
    }

    @Test("A session accepts writes up to exactly the limit of unsent ciphertext")
    func exactBackPressure() throws {
        let pair = try Pair.open()
        // These bytes take the place of OpenSSL's output.
        let unsent = [UInt8](repeating: 0, count: TLSLimits.unsentCiphertext)
        #expect(BIO_write(SSL_get_wbio(pair.client.pointer), unsent, Int32(unsent.count)) == Int32(unsent.count))
        #expect(pair.client.write([1]) == 0)
        pair.client.takeCiphertext(1)
        #expect(pair.client.write([1]) == 1)
    }

    @Test("A session frees sent ciphertext beyond the limit")
    func forgetsWhatWasSent() throws {
        let pair = try Pair.open()
        let limit = TLSLimits.unsentCiphertext
        #expect(pair.client.write([UInt8](repeating: 1, count: limit)) == limit)
        let unsent = pair.client.wire.unsentCount
        pair.client.takeCiphertext(limit - 1)
        #expect(pair.client.wire.outgoing.count == unsent)
        pair.client.takeCiphertext(1)
        #expect(pair.client.wire.outgoing.count == unsent - limit)
        #expect(pair.client.withCiphertext { $0.count } == unsent - limit)
        #expect(pair.client.hasCiphertext)
    }

    @Test("A session stops reading at the limit and then continues", arguments: [1, 7, 16_384, 16_385, 100_000])
    func limitedReading(_ limit: Int) throws {
        let pair = try Pair.open()
        var numbers = Draw(seed: 2)
        let bytes = numbers.bytes(40_000)
        #expect(pair.client.write(bytes) == bytes.count)
        pair.settle()
        var read: [UInt8] = [42]
        var count = 1
        #expect(pair.server.hasUnread)
        while pair.server.readPlaintext(into: &read, limit: limit) {
            #expect(read.count - count <= limit)
            count = read.count
            #expect(pair.server.hasUnread || count == bytes.count + 1)
        }
        #expect(read == [42] + bytes)
        #expect(!pair.server.hasUnread)
        #expect(!pair.server.readPlaintext(into: &read, limit: 0))
    }

    @Test("A session receives many small records", arguments: TLSVersion.allCases)
    func manyRecords(_ version: TLSVersion) throws {
        let pair = try Pair.open([version])
        pair.step = 13
        var expected: [UInt8] = []
        var read: [UInt8] = []
        for number in 0..<5_000 {
            let bytes = [UInt8](repeating: UInt8(number % 251), count: number % 5 + 1)
            expected += bytes
            #expect(pair.client.write(bytes) == bytes.count)
            if number % 100 == 99 {
                pair.settle()
                read += pair.server.readAll()
            }
        }
        #expect(read == expected)
    }

    @Test("An empty write sends no record")
    func emptyWrite() throws {
        let pair = try Pair.open()
        #expect(pair.client.write([]) == 0)
        #expect(!pair.client.hasCiphertext)
        pair.server.receive([])
        #expect(pair.server.phase == .open)
    }

    @Test("An idle session holds no unread or unsent ciphertext")
    func holdsNothing() throws {
        let pair = try Pair.open()
        #expect(pair.client.write([UInt8](repeating: 1, count: 60_000)) == 60_000)
        pair.settle()
        #expect(pair.server.readAll().count == 60_000)
        #expect(pair.client.readAll().isEmpty)
        for session in [pair.client, pair.server] {
            #expect(session.wire.incoming.capacity == 0)
            #expect(session.wire.outgoing.capacity == 0)
        }
    }

    @Test("A session frees plaintext that has been read, even while more arrives")
    func forgetsWhatWasRead() throws {
        let pair = try Pair.open()
        for _ in 0..<300 {
            #expect(pair.client.write([UInt8](repeating: 1, count: 10_000)) == 10_000)
            pair.settle()
            var bytes: [UInt8] = []
            // Read slightly less than arrived, so that unread bytes add up to 200 KB.
            #expect(pair.server.readPlaintext(into: &bytes, limit: 9_400))
        }
        #expect(pair.server.wire.incoming.count < 600_000)
        #expect(pair.server.readAll().count == 300 * 600)
    }

    @Test("A session fails if its unread ciphertext exceeds the limit")
    func overrun() throws {
        let pair = try Pair.open()
        var sent = 0
        while sent + 70_000 <= TLSLimits.unreadCiphertext {
            #expect(pair.client.write([UInt8](repeating: 1, count: 60_000)) == 60_000)
            sent += Pair.carry(from: pair.client, to: pair.server).count
        }
        pair.server.receive([UInt8](repeating: 0, count: TLSLimits.unreadCiphertext - sent))
        #expect(pair.server.phase == .open)
        pair.server.receive([0])
        #expect(pair.server.failure == .overrun)
        #expect(pair.server.wire.incoming.isEmpty)
    }
}
