import TLS
import Testing

@Suite("Closing")
struct ClosingTests {
    @Test(
        "Either side can close first, and the other receives all bytes before the close",
        arguments: TLSVersion.allCases,
        [TLSRole.client, .server])
    func closes(_ version: TLSVersion, _ first: TLSRole) throws {
        let pair = try Pair.open([version])
        let (closer, other) = first == .client ? (pair.client, pair.server) : (pair.server, pair.client)
        #expect(closer.write([1, 2, 3]) == 3)
        closer.close()
        #expect(closer.phase == .open)
        #expect(closer.write([4]) == 0)
        pair.settle()
        #expect(other.phase == .open)
        #expect(other.readAll() == [1, 2, 3])
        #expect(other.phase == .closed)
        #expect(other.failure == nil)
        // The other direction is still open.
        #expect(other.write([5, 6]) == 2)
        other.close()
        pair.settle()
        #expect(closer.readAll() == [5, 6])
        #expect(closer.phase == .closed)
        closer.receiveEndOfStream()
        other.receiveEndOfStream()
        #expect(closer.failure == nil && other.failure == nil)
    }

    @Test("Both sides can close simultaneously", arguments: TLSVersion.allCases)
    func closeTogether(_ version: TLSVersion) throws {
        let pair = try Pair.open([version])
        pair.client.close()
        pair.server.close()
        pair.client.close()
        pair.settle()
        for session in [pair.client, pair.server] {
            #expect(session.readAll().isEmpty)
            #expect(session.phase == .closed)
            session.receive([1, 2, 3])
            #expect(session.failure == nil)
        }
    }

    @Test(
        "The end of the stream without close_notify counts as a truncation", arguments: TLSVersion.allCases,
        [TLSRole.client, .server])
    func truncated(_ version: TLSVersion, _ sender: TLSRole) throws {
        let pair = try Pair.open([version])
        let (gone, left) = sender == .client ? (pair.client, pair.server) : (pair.server, pair.client)
        #expect(left.readAll().isEmpty)
        #expect(gone.write([1, 2, 3]) == 3)
        pair.settle()
        left.receiveEndOfStream()
        #expect(left.phase == .open)
        #expect(left.readAll() == [1, 2, 3])
        #expect(left.phase == .failed)
        #expect(left.failure == .truncated(from: sender))
    }

    @Test("The end of the stream fails an idle session immediately", arguments: TLSVersion.allCases)
    func truncatedAtRest(_ version: TLSVersion) throws {
        let pair = try Pair.open([version])
        pair.server.receiveEndOfStream()
        #expect(pair.server.failure == .truncated(from: .client))
        #expect(pair.server.write([1]) == 0)
    }

    @Test("The end of the stream after a close_notify closes a session immediately", arguments: TLSVersion.allCases)
    func closedAtRest(_ version: TLSVersion) throws {
        let pair = try Pair.open([version])
        pair.client.close()
        Pair.carry(from: pair.client, to: pair.server)
        #expect(pair.server.phase == .open)
        pair.server.receiveEndOfStream()
        #expect(pair.server.phase == .closed)
        #expect(pair.server.failure == nil)
    }

    @Test("A truncated record counts as a truncation, and its bytes are not delivered", arguments: TLSVersion.allCases)
    func truncatedRecord(_ version: TLSVersion) throws {
        let pair = try Pair.open([version])
        #expect(pair.client.write([UInt8](repeating: 1, count: 50)) == 50)
        let record = Pair.carry(from: pair.client, to: nil)
        pair.server.receive(Array(record.dropLast()))
        pair.server.receiveEndOfStream()
        #expect(pair.server.readAll().isEmpty)
        #expect(pair.server.failure == .truncated(from: .client))
    }

    @Test("Closing during a handshake does nothing")
    func closeTooEarly() throws {
        let client = TLSSession(client: try Certificates.client(), host: "localhost", now: Certificates.now)
        let server = TLSSession(server: try Certificates.local.server())
        client.close()
        server.close()
        let pair = Pair(client: client, server: server)
        pair.settle()
        #expect(client.phase == .open && server.phase == .open)
    }

    @Test("The client reports a server that hangs up before or during its answer")
    func serverHangsUp() throws {
        let context = try Certificates.client()
        let silent = TLSSession(client: context, host: "localhost")
        silent.receiveEndOfStream()
        #expect(silent.failure == .hungUp(from: .server, afterBytes: 0))
        let pair = Pair(client: context, server: try Certificates.local.server())
        Pair.carry(from: pair.client, to: pair.server)
        pair.client.receive(Array(Pair.carry(from: pair.server, to: nil).prefix(300)))
        pair.client.receiveEndOfStream()
        #expect(pair.client.failure == .hungUp(from: .server, afterBytes: 300))
    }
}
