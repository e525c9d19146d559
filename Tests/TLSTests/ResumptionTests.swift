import TLS
import Testing

@Suite("Resumption")
struct ResumptionTests {
    /// Opens a pair, and returns the ticket that its client received.
    private func ticket(_ client: TLSContext, _ server: TLSContext, host: String = "localhost") throws -> TLSTicket {
        let pair = Pair(client: client, server: server, host: host)
        pair.settle()
        #expect(pair.server.phase == .open)
        #expect(pair.client.readAll().isEmpty)
        return try #require(pair.client.takeTicket())
    }

    @Test("A ticket resumes the session at both ends", arguments: TLSVersion.allCases)
    func resumes(_ version: TLSVersion) throws {
        let client = try Certificates.client(versions: [version])
        let server = try Certificates.local.server()
        let first = Pair(client: client, server: server)
        first.settle()
        #expect(first.client.readAll().isEmpty)
        let ticket = try #require(first.client.takeTicket())
        #expect(first.client.takeTicket() == nil)
        let second = Pair(client: client, server: server, resuming: ticket)
        second.settle()
        #expect(second.client.wasResumed)
        #expect(second.server.wasResumed)
        #expect(second.server.applicationProtocol == "http/1.1")
        #expect(second.fromServer.count < first.fromServer.count)
        #expect(second.client.write([7]) == 1)
        second.settle()
        #expect(second.server.readAll() == [7])
    }

    @Test("A resumed session also provides tickets", arguments: TLSVersion.allCases)
    func resumesAgain(_ version: TLSVersion) throws {
        let client = try Certificates.client(versions: [version])
        let server = try Certificates.local.server()
        var ticket = try ticket(client, server)
        for _ in 0..<3 {
            let pair = Pair(client: client, server: server, resuming: ticket)
            pair.settle()
            #expect(pair.server.wasResumed)
            #expect(pair.client.readAll().isEmpty)
            // TLS 1.2 keeps a ticket that is still valid.
            if let next = pair.client.takeTicket() { ticket = next } else { #expect(version == .tls12) }
        }
    }

    @Test("A ticket for a different host, context or server leads to a full handshake", arguments: TLSVersion.allCases)
    func passesOver(_ version: TLSVersion) throws {
        let client = try Certificates.client(versions: [version])
        let server = try Certificates.local.server()
        let ticket = try ticket(client, server)
        let otherHost = Pair(client: client, server: server, host: "127.0.0.1", resuming: ticket)
        let otherContext = Pair(client: try Certificates.client(versions: [version]), server: server, resuming: ticket)
        let otherServer = Pair(client: client, server: try Certificates.local.server(), resuming: ticket)
        for pair in [otherHost, otherContext, otherServer] {
            pair.settle()
            #expect(pair.server.phase == .open)
            #expect(pair.client.phase == .open)
            #expect(!pair.client.wasResumed)
            #expect(!pair.server.wasResumed)
        }
    }

    @Test("A server's session provides no ticket")
    func servesNone() throws {
        #expect(try Pair.open().server.takeTicket() == nil)
    }
}
