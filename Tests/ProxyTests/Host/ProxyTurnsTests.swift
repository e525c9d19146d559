import Hosting
import Sockets
import TLS
import TestSupport
import Testing
import Text

@testable import Proxy

/// A host without a thread: the test accepts its clients, and ends its turns at any time.
@Suite("A proxy, turn by turn", .timeLimit(.minutes(1)))
struct ProxyTurnsTests {
    private let listener: Listener
    private let now = MonotonicInstant.now()

    init() throws { listener = try Listener(address: SocketAddress(host: "127.0.0.1", port: 0)) }

    private func makeHost(_ limits: RelayLimits = RelayLimits()) throws -> ProxyHost {
        try ProxyHost(
            listeningOn: SocketAddress(host: "127.0.0.1", port: 0),
            upstream: UpstreamURL("http://\(listener.localAddress)"), limits: limits)
    }

    /// Connects a client to the host, and returns its end.
    private func connect(to host: ProxyHost) throws -> BlockingStream {
        let socket = try Socket.connect(to: listener.localAddress)
        let peer = try BlockingStream.accept(listener)
        host.begin(socket, isSecure: false, host.loop.time(now))
        return peer
    }

    private func makeClient(of host: ProxyHost) throws -> (pair: ProxyPair, peer: BlockingStream) {
        let peer = try connect(to: host)
        return (try #require(host.pairs.last ?? nil), peer)
    }

    @Test("A number of clients beyond the limit are refused, and one more is reset")
    func refusals() throws {
        defer { listener.close() }
        var limits = RelayLimits()
        limits.connections = 2
        let host = try makeHost(limits)
        let peers = try (0..<35).map { _ in try connect(to: host) }
        #expect(host.pairCount == 34 && host.pairs.count == 34)
        let refused = host.pairs.map { $0?.relay.clientEnding == .close }
        #expect(refused == [false, false] + Array(repeating: true, count: 32))
        #expect(try peers[34].isReset())
    }

    @Test("An ending connection stays until its client has ended it, too, or its time is up")
    func lingers() throws {
        defer { listener.close() }
        let host = try makeHost()
        let (pair, peer) = try makeClient(of: host)
        pair.relay.clientEnding = .close
        let due = now.advanced(by: host.limits.lingerTime)
        #expect(host.turnEnded(now: now) == due)
        #expect(pair.client?.isShutDown == true && !pair.isGone)
        _ = host.turnEnded(now: due)
        #expect(pair.isGone && host.pairCount == 0)
        #expect(try peer.receive() == nil)
    }

    @Test("A reset connection is gone at once, and leaves no deadline behind")
    func resets() throws {
        defer { listener.close() }
        let host = try makeHost()
        let (pair, peer) = try makeClient(of: host)
        pair.relay.clientEnding = .reset
        #expect(host.turnEnded(now: now) == nil)
        #expect(pair.isGone && host.pairCount == 0)
        #expect(try peer.isReset())
    }

    @Test("Only a client with unread bytes at its time limit is reset", arguments: [true, false])
    func cutOff(_ hasTakenAll: Bool) throws {
        defer { listener.close() }
        let host = try makeHost()
        let (pair, peer) = try makeClient(of: host)
        let due = try #require(host.turnEnded(now: now))
        pair.relay.clientEnding = .close
        pair.endingSince = host.loop.time(now)
        if hasTakenAll { pair.client?.finish() } else { pair.relay.toClient.append([0]) }
        _ = host.turnEnded(now: due)
        #expect(pair.isGone)
        #expect(try peer.isReset() == !hasTakenAll)
    }

    @Test("A client dropped twice has freed its place once")
    func dropsOnce() throws {
        defer { listener.close() }
        let host = try makeHost()
        let (pair, _) = try makeClient(of: host)
        for _ in 0..<2 { host.drop(pair, reset: true) }
        #expect(host.pairCount == 0 && host.freePlaces == [0])
    }

    @Test("A deadline is added again only if it is earlier")
    func deadlines() throws {
        defer { listener.close() }
        let host = try makeHost()
        let (pair, _) = try makeClient(of: host)
        let idle = now.advanced(by: host.limits.idleTime)
        #expect(host.turnEnded(now: now) == idle)
        host.touch(pair)
        #expect(host.turnEnded(now: now) == idle && host.deadlines.count == 1)
        pair.lastActivity = host.loop.time(idle)
        host.touch(pair)
        #expect(host.turnEnded(now: now) == idle && host.deadlines.count == 1)
        pair.relay.clientEnding = .close
        host.touch(pair)
        #expect(host.turnEnded(now: now) == now.advanced(by: host.limits.lingerTime) && host.deadlines.count == 2)
    }

    @Test("Each remaining address has an equal share of the remaining time to connect")
    func shares() throws {
        defer { listener.close() }
        var limits = RelayLimits()
        limits.connectTime = .seconds(12)
        let host = try makeHost(limits)
        let (pair, _) = try makeClient(of: host)
        let time = host.loop.time(now)
        pair.server.addresses = Array(repeating: listener.localAddress, count: 3)
        host.connect(pair, number: 1, time)
        let link = try #require(pair.upstream)
        for end in [4, 8, 12] {
            #expect(link.attemptEndsAt == time.advanced(by: .seconds(end)))
            host.attemptTimedOut(link, of: pair, link.attemptEndsAt)
        }
        #expect(pair.upstream == nil)
    }

    @Test("A stream that both sides have ended is read to its end, even without a reader")
    func hangUp() throws {
        defer { listener.close() }
        let host = try makeHost()
        let (pair, peer) = try makeClient(of: host)
        try peer.send("last words")
        peer.finishWriting()
        let client = try #require(pair.client)
        client.socket.shutdownWriting()
        let queue = try EventQueue()
        try queue.add(client.socket.descriptor, token: 0, interest: [])
        defer { queue.remove(client.socket.descriptor) }
        var news: Readiness?
        try queue.wait(until: MonotonicInstant.now().advanced(by: BlockingStream.patience)) { news = $0 }
        let readiness = try #require(news)
        #expect(readiness.hangUp && !readiness.error && !readiness.readable)
        var text = ""
        for _ in 0..<2 {
            _ = host.read(client, readiness) { text += String(decoding: $0, as: UTF8.self) }
        }
        #expect(text == "last words" && client.hasEnded)
    }

    @Test("A stopping proxy ends with its last answer, or at its time limit", arguments: [true, false])
    func stops(_ isAnswered: Bool) throws {
        defer { listener.close() }
        var limits = RelayLimits()
        (limits.shutdownTime, limits.answerTime) = (.seconds(20), .seconds(40))
        let host = try makeHost(limits)
        let (pair, _) = try makeClient(of: host)
        Array(RelayCase.get.utf8).withUnsafeBytes { pair.relay.receiveFromClient($0) }
        host.stop()
        let end = try #require(host.loop.stopsAt)
        _ = host.turnEnded(now: isAnswered ? now : end)
        if isAnswered {
            pair.relay.upstreamFailed(.unreachable("gone"))
            host.touch(pair)
        }
        #expect(try host.run())
        #expect(MonotonicInstant.now() < end)
    }

    /// A client's end of TLS in memory, with a ticket from the server.
    private static func makeSession() throws -> TLSSession {
        let (secure, authority) = try ProxyHostTests.secureEndpoint()
        let server = TLSSession(server: try .server(certificates: secure.certificates, key: secure.key))
        let client = TLSSession(client: try .client(trust: .only(authority)), host: "127.0.0.1")
        while client.hasCiphertext || server.hasCiphertext {
            for (sender, receiver) in [(client, server), (server, client)] {
                let bytes = sender.withCiphertext { Array($0) }
                sender.takeCiphertext(bytes.count)
                bytes.withUnsafeBytes { receiver.receive($0) }
            }
        }
        // Tickets come after the handshake, and are read like plaintext.
        var plaintext: [UInt8] = []
        while client.readPlaintext(into: &plaintext, limit: 1024) {}
        return client
    }

    @Test("An upstream's ticket is added to earlier ones, up to 16", arguments: [0, 15, 16])
    func tickets(_ present: Int) throws {
        defer { listener.close() }
        let host = try makeHost()
        let (pair, _) = try makeClient(of: host)
        let earlier = try Self.makeSession()
        let ticket = try #require(earlier.takeTicket())
        pair.server.tickets = Array(repeating: ticket, count: present)
        let session = try Self.makeSession()
        let link = UpstreamLink(number: 1, recordingID: 1, addresses: [], endsAt: host.loop.time(now))
        link.stream = try host.loop.add(Socket.connect(to: listener.localAddress), token: 1, for: .write) { session }
        host.close(link, of: pair, reset: false)
        #expect(pair.server.tickets.count == min(present + 1, 16))
    }
}
