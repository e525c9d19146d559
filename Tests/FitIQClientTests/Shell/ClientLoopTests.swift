import Sockets
import Synchronization
import TestSupport
import Testing

@testable import FitIQClient

@Suite("Client transports")
final class ClientLoopTests {
    private let news = ClientNews()
    private let inbox = ClientInbox()
    private let listener: Listener
    private var url: String { "http://\(listener.localAddress)" }

    init() throws { listener = try Listener(address: SocketAddress(host: "127.0.0.1", port: 0)) }

    deinit { listener.close() }

    /// A client's loop that is run by the test itself.
    private func made(
        _ url: String, credentials: Credentials = ShellTests.credentials,
        resolve: @escaping NameLookup.Resolve = SocketAddress.resolve
    ) throws -> (ClientLoop, EventLoop) {
        let loop = try EventLoop()
        let client = ClientLoop(
            loop, ClientConfiguration(credentials: credentials), try BaseURL(url), inbox: inbox, news: news,
            refreshToken: nil, resolve: resolve)
        return (client, loop)
    }

    /// A client's loop with one started request.
    private func begun(
        _ url: String, body: Int, resolve: @escaping NameLookup.Resolve = SocketAddress.resolve
    ) throws -> (ClientLoop, EventLoop) {
        let (client, loop) = try made(url, resolve: resolve)
        ask(client, number: 1, body: body)
        return (client, loop)
    }

    private func ask(_ client: ClientLoop, number: Int, body: Int) {
        let bytes = [UInt8](repeating: 65, count: body)
        client.wire.perform(.send(ClientRequest(number: number, method: .post, target: "/", fields: [:], body: bytes)))
        for command in client.wire.takeCommands() { client.carryOut(command) }
    }

    /// Makes the connection for the request succeed or fail.
    private func connect(_ client: ClientLoop) throws {
        let transport = try #require(client.transports[1])
        let queue = try EventQueue()
        try queue.add(transport.socket.descriptor, token: 1, interest: .write)
        try queue.wait(until: MonotonicInstant.now().advanced(by: .seconds(30))) { _ in }
        queue.remove(transport.socket.descriptor)
        client.connected(1)
    }

    @Test("Once too many bytes are queued, the client gives up on a server that does not read")
    func unsent() throws {
        // Send more than any system's buffers can hold.
        let (client, _) = try begun(url, body: 64 << 20)
        try connect(client)
        let reason = "the server has left more than 1048576 bytes unread, so the client dropped the connection."
        #expect(client.wire.takeInputs().map(Played.words) == ["1: failed: \(reason)"])
        for command in client.wire.takeCommands() { client.carryOut(command) }
        #expect(client.transports.isEmpty)
    }

    @Test("Without a queue, the client sends only the bytes that the system accepts immediately")
    func nothingUnsent() throws {
        let (client, _) = try made(url)
        var limits = WireLimits()
        limits.unsentBytes = 0
        client.wire = ClientWire(base: client.wire.base, seed: 1, limits: limits)
        ask(client, number: 1, body: 100)
        try connect(client)
        #expect(client.transports[1]?.unsent.isEmpty == true && client.wire.takeInputs().isEmpty)
    }

    @Test("The client sends the remaining bytes once the system accepts them")
    func flushed() throws {
        let (client, _) = try begun(url, body: 100)
        #expect(client.transports[1]?.isConnected == false)
        try connect(client)
        let transport = try #require(client.transports[1])
        #expect(transport.isConnected && transport.unsent.isEmpty && transport.interest == .read)
    }

    @Test("One background name lookup serves all connections that are waiting for it")
    func names() throws {
        let gate = try Gate()
        let asked = Mutex(0)
        let address = listener.localAddress
        let (client, loop) = try begun("http://backend.test", body: 100) { host, port throws(SocketError) in
            asked.withLock { $0 += 1 }
            gate.wait()
            return [address]
        }
        let now = MonotonicInstant.now()
        client.serveLookup(now)
        #expect(client.transports.isEmpty && client.wire.takeInputs().isEmpty)
        client.serveLookup(now.advanced(by: .seconds(20)))
        #expect(
            client.wire.takeInputs().map(Played.words) == [
                "1: failed: cannot find the host \"backend.test\": the name server did not answer; use an "
                    + "address such as 127.0.0.1 instead."
            ])
        for command in client.wire.takeCommands() { client.carryOut(command) }
        ask(client, number: 2, body: 100)
        #expect(client.transports.isEmpty)
        gate.open()
        let queue = try EventQueue()
        try queue.add(loop.mailbox.descriptor, token: 1, interest: .read)
        try queue.wait(until: MonotonicInstant.now().advanced(by: .seconds(30))) { _ in }
        client.serveLookup(now)
        #expect(client.transports.values.map(\.address) == [address])
        #expect(client.transports.values.first?.unsent.isEmpty == false && asked.withLock { $0 } == 1)
    }

    @Test("A connection waits exactly ten seconds for a name lookup")
    func patience() throws {
        let loop = try EventLoop()
        var lookup = NameLookup(loop.mailbox) { _, _ throws(SocketError) in [] }
        let now = MonotonicInstant.now()
        try lookup.wait(1, for: BaseURL("http://backend.test"), now: now)
        let end = now.advanced(by: .seconds(10))
        let early = lookup.takeOverdue(MonotonicInstant(nanoseconds: end.nanoseconds - 1))
        let overdue = lookup.takeOverdue(end)
        #expect(early.isEmpty && overdue == [1] && lookup.nextDeadline == nil)
    }

    @Test("A turn publishes a snapshot only if something changed or a command started")
    func turns() throws {
        let (client, _) = try made("http://127.0.0.1:9")
        let earlier = ClientSnapshot(begun: 7)
        news.publish(earlier)
        _ = client.turnEnded(now: .now())
        #expect(news.snapshot.begun == 7)
        // The command has no other effect.
        #expect(inbox.add(.giveUpToken) == 1)
        _ = client.turnEnded(now: .now())
        #expect(news.snapshot.begun == 1)
        news.publish(earlier)
        _ = client.turnEnded(now: .now())
        #expect(news.snapshot.begun == 7)
    }

    @Test("A failure is reported even if the client's state does not change")
    func failures() throws {
        let (client, _) = try begun(url, body: 0)
        client.fail(1, .truncatedResponse)
        _ = client.turnEnded(now: .now())
        #expect(news.snapshot.failure?.description == ClientError.truncatedResponse.description)
        ask(client, number: 2, body: 0)
        client.wire.receive(Array("HTTP/1.1 503 Down\r\nContent-Length: 0\r\n\r\n".utf8), on: 2)
        _ = client.turnEnded(now: .now())
        #expect(news.snapshot.failure?.description == "the server answered 503: the response contains no message.")
    }

    @Test("Work that is due runs on time")
    func dueOnTime() throws {
        let (client, _) = try made("http://127.0.0.1:9", credentials: Credentials(apiKey: "key"))
        let now = MonotonicInstant.now()
        // Without a token, the client sends nothing and waits for a token.
        #expect(inbox.add(.loadGoals) == 1)
        let due = try #require(client.turnEnded(now: now))
        #expect(due == now.advanced(by: .seconds(60)) && news.snapshot.problemCount == 0)
        _ = client.turnEnded(now: due)
        #expect(news.snapshot.problem?.kind == .unauthorized && news.snapshot.problemCount == 1)
    }

    @Test("A closing client waits up to one second for its connections")
    func closesInTime() throws {
        let now = MonotonicInstant.now()
        inbox.close()
        let (idle, _) = try made(url)
        #expect(idle.turnEnded(now: now) == nil)
        let (busy, _) = try begun(url, body: 0)
        let end = now.advanced(by: .seconds(1))
        #expect([busy.turnEnded(now: now), busy.turnEnded(now: end)] == [end, nil])
    }

    @Test("A client can close during a name lookup")
    func closing() async throws {
        let gate = try Gate()
        let client = try FitIQClient(url: "http://backend.test", credentials: ShellTests.credentials) {
            _, _ throws(SocketError) in
            gate.wait()
            throw .resolutionTimeout(host: "backend.test")
        }
        client.perform(.startConsultation(persona: .nutritionist))
        await client.close()
        gate.open()
    }

    @Test("The client tries the next address if one fails and reports the first error if all fail")
    func alternatives() throws {
        let refusing = [try RefusingAddress(), try RefusingAddress()]
        let (client, _) = try made("http://backend.test")
        client.addresses = [refusing[0].address, listener.localAddress]
        ask(client, number: 1, body: 0)
        try connect(client)
        #expect(client.transports[1]?.address == listener.localAddress)
        try connect(client)
        #expect(client.transports[1]?.isConnected == true)

        let (other, _) = try made("http://backend.test")
        other.addresses = refusing.map(\.address)
        ask(other, number: 1, body: 0)
        try connect(other)
        try connect(other)
        let told = other.wire.takeInputs().map(Played.words)
        #expect(told == ["1: failed: cannot connect to \(refusing[0].address): nothing is listening there."])
        // The next connection looks up the name again.
        #expect(other.addresses.isEmpty)
    }
}
