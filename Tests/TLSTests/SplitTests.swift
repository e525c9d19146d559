import TLS
import Testing

@Suite("Split TLS streams")
struct SplitTests {
    @Test("A session works the same when it receives single bytes", arguments: TLSVersion.allCases)
    func byteByByte(_ version: TLSVersion) throws {
        let pair = Pair(client: try Certificates.client(versions: [version]), server: try Certificates.local.server())
        pair.step = 1
        pair.settle()
        #expect(pair.server.version == version)
        #expect(pair.client.write([UInt8](repeating: 9, count: 20_000)) == 20_000)
        pair.settle()
        #expect(pair.server.readAll() == [UInt8](repeating: 9, count: 20_000))
    }

    /// Performs a handshake in which each flight from one side is split at a certain position; returns the longest
    /// flight's length.
    private func shakeHands(cutAt cut: Int, of cutSide: TLSRole, _ client: TLSContext, _ server: TLSContext) -> Int {
        let pair = Pair(client: client, server: server)
        var longest = 0
        while pair.client.hasCiphertext || pair.server.hasCiphertext {
            for (sender, receiver) in [(pair.client, pair.server), (pair.server, pair.client)] {
                guard sender.role == cutSide else {
                    Pair.carry(from: sender, to: receiver)
                    continue
                }
                let flight = Pair.carry(from: sender, to: nil)
                longest = max(longest, flight.count)
                receiver.receive(Array(flight.prefix(cut)))
                receiver.receive(Array(flight.dropFirst(cut)))
            }
        }
        #expect(pair.client.phase == .open, "cut at \(cut) of \(cutSide)")
        #expect(pair.server.phase == .open, "cut at \(cut) of \(cutSide)")
        #expect(pair.server.write([1]) == 1 && pair.client.write([2]) == 1)
        pair.settle()
        #expect(pair.client.readAll() == [1] && pair.server.readAll() == [2], "cut at \(cut) of \(cutSide)")
        return longest
    }

    @Test("A handshake succeeds when split after any byte", arguments: TLSVersion.allCases, [TLSRole.client, .server])
    func cut(_ version: TLSVersion, _ side: TLSRole) throws {
        let client = try Certificates.client(versions: [version])
        let server = try Certificates.local.server()
        var cut = 0
        while cut <= shakeHands(cutAt: cut, of: side, client, server) { cut += 1 }
        #expect(cut > 200)
    }

    @Test("A session reports a hang-up after any byte of a handshake", arguments: TLSVersion.allCases)
    func hangUp(_ version: TLSVersion) throws {
        let client = TLSSession(client: try Certificates.client(versions: [version]), host: "localhost")
        let hello = Pair.carry(from: client, to: nil)
        let context = try Certificates.local.server()
        for count in 0..<hello.count {
            let server = TLSSession(server: context)
            server.receive(Array(hello.prefix(count)))
            #expect(server.phase == .handshaking)
            server.receiveEndOfStream()
            #expect(server.phase == .failed)
            #expect(server.failure == .hungUp(from: .client, afterBytes: count))
        }
    }
}
