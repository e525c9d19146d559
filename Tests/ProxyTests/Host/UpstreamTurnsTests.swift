import FitIQAPI
import Hosting
import Sockets
import TLS
import TestSupport
import Testing
import Text

@testable import Proxy

/// A host without a thread or an engine; the test settles it whenever necessary.
@Suite("Connections to upstreams, turn by turn", .timeLimit(.minutes(1)))
final class UpstreamTurnsTests {
    private let listener: Listener
    private let now = Timestamp(secondsSinceEpoch: 1_738_146_600)

    init() throws { listener = try Listener(address: SocketAddress(host: "127.0.0.1", port: 0)) }

    deinit { listener.close() }

    private func makeHost(_ limits: RelayLimits = RelayLimits()) throws -> UpstreamHost {
        UpstreamHost(
            in: try HostLoop(listeningOn: SocketAddress(host: "127.0.0.1", port: 0), secure: nil), limits: limits)
    }

    /// Adds a relay whose client has not sent anything yet.
    private func makePair(of host: UpstreamHost) throws -> UpstreamPair {
        host.touch(
            RelaySide(Relay(upstream: try UpstreamURL("http://\(listener.localAddress)"), isClientSecure: false)), now)
        return try #require(host.pairs.last { $0?.wakesAt == nil } ?? nil)
    }

    private func makePair(_ limits: RelayLimits = RelayLimits()) throws -> (UpstreamHost, UpstreamPair) {
        let host = try makeHost(limits)
        return (host, try makePair(of: host))
    }

    /// A connection that its peer has reset; only a write detects the reset.
    private func brokenSocket() throws -> Socket {
        let socket = try Socket.connect(to: listener.localAddress)
        try BlockingStream.accept(listener).reset()
        let deadline = MonotonicInstant.now().advanced(by: BlockingStream.patience)
        SingleDescriptorPoll.wait(for: .read, on: socket.descriptor, until: deadline)
        return socket
    }

    @Test("Bytes for a disconnected upstream are dropped")
    func broken() throws {
        let (host, pair) = try makePair()
        let stream = try host.loop.add(brokenSocket(), token: 1, for: .write) { nil }
        let link = UpstreamLink(number: 1, recordingID: 1, addresses: [], endsAt: now)
        pair.relay.toUpstream.append([0])
        host.send(link, stream, pair, now)
        #expect(stream.takesNothing && pair.relay.toUpstream.isEmpty)
        host.loop.close(stream)
    }

    @Test("Dropping a pair twice frees its slot once")
    func dropsOnce() throws {
        let (host, pair) = try makePair()
        for _ in 0..<2 { host.drop(pair) }
        #expect(host.pairCount == 0 && host.freePlaces == [0])
    }

    @Test("A relay that has ended is removed once its engine has every byte", arguments: [RelayEnding.close, .reset])
    func leaves(_ ending: RelayEnding) throws {
        let (host, pair) = try makePair()
        pair.relay.toClient.append([0])
        pair.relay.clientEnding = ending
        host.settle(now)
        #expect(!pair.isGone)
        pair.relay.sentToClient(1)
        host.touch(pair)
        host.settle(now)
        #expect(pair.isGone && host.pairCount == 0 && host.nextDeadline == nil)
    }

    @Test("The host queues another deadline for a pair only if it is earlier")
    func deadlines() throws {
        var limits = RelayLimits()
        limits.answerTime = .seconds(1)
        let (host, pair) = try makePair(limits)
        let idle = now.advanced(by: limits.idleTime)
        host.settle(now)
        #expect(host.nextDeadline == idle)
        for activity in [now, idle] {
            pair.lastActivity = activity
            host.touch(pair)
            host.settle(now)
            #expect(host.nextDeadline == idle && host.deadlines.count == 1)
        }
        Array(RelayCase.get.utf8).withUnsafeBytes { pair.relay.receiveFromClient($0) }
        pair.lastActivity = now
        host.touch(pair)
        host.settle(now)
        #expect(host.nextDeadline == now.advanced(by: limits.connectTime) && host.deadlines.count == 2)
        host.drop(pair)
    }

    @Test("A client's activity restarts its relay's idle time")
    func activity() throws {
        let (host, pair) = try makePair()
        let later = now.advanced(by: .seconds(1))
        host.touch(pair.side, later)
        #expect(pair.lastActivity == now)
        pair.side.hasMoved = true
        host.touch(pair.side, later)
        #expect(pair.lastActivity == later && !pair.side.hasMoved)
    }

    @Test("The host removes the deadlines of dropped pairs early and meets all other deadlines")
    func goneClients() throws {
        let host = try makeHost()
        func begin() throws -> UpstreamPair {
            let pair = try makePair(of: host)
            host.settle(now)
            return pair
        }
        let present = try (0..<10).map { _ in try begin() }
        var most = 0
        for _ in 0..<1000 {
            host.drop(try begin())
            most = max(most, host.deadlines.count)
        }
        // The maximum is two deadlines for each pair, plus 64.
        #expect(most == 84 && host.pairCount == present.count)
        let due = now.advanced(by: host.limits.idleTime)
        #expect(host.nextDeadline == due)
        #expect(present.allSatisfy { $0.relay.clientEnding == .none })
        host.settle(due)
        #expect(present.allSatisfy { $0.isGone && $0.relay.clientEnding == .close })
    }

    @Test("Each remaining address gets an equal share of the remaining connect time")
    func shares() throws {
        var limits = RelayLimits()
        limits.connectTime = .seconds(12)
        let (host, pair) = try makePair(limits)
        pair.server.addresses = Array(repeating: listener.localAddress, count: 3)
        host.connect(pair, number: 1, now)
        let link = try #require(pair.link)
        for end in [4, 8, 12] {
            #expect(link.attemptEndsAt == now.advanced(by: .seconds(end)))
            host.attemptTimedOut(link, of: pair, link.attemptEndsAt)
        }
        // The next lookup of the name may return different addresses.
        #expect(pair.link == nil && pair.server.addresses.isEmpty)
    }

    @Test("After both sides have ended a stream, the host reads it to the end, even if reads are not watched")
    func hangUp() throws {
        let host = try makeHost()
        let socket = try Socket.connect(to: listener.localAddress)
        let peer = try BlockingStream.accept(listener)
        let stream = try host.loop.add(socket, token: 1, for: .read) { nil }
        try peer.send("last words")
        peer.finishWriting()
        socket.shutdownWriting()
        let queue = try EventQueue()
        try queue.add(socket.descriptor, token: 0, interest: [])
        defer { queue.remove(socket.descriptor) }
        var news: Readiness?
        try queue.wait(until: MonotonicInstant.now().advanced(by: BlockingStream.patience)) { news = $0 }
        let readiness = try #require(news)
        #expect(readiness.hangUp && !readiness.error && !readiness.readable)
        var text = ""
        for _ in 0..<2 { _ = host.read(stream, readiness) { text += String(decoding: $0, as: UTF8.self) } }
        #expect(text == "last words" && stream.hasEnded)
    }

    /// A TLS client in memory that has a ticket from the server.
    private static func makeSession() throws -> TLSSession {
        let (secure, authority) = try RelayingHostTests.secureEndpoint()
        let server = TLSSession(server: try .server(certificates: secure.certificates, key: secure.key))
        let client = TLSSession(client: try .client(trust: .only(authority)), host: "127.0.0.1")
        while client.hasCiphertext || server.hasCiphertext {
            for (sender, receiver) in [(client, server), (server, client)] {
                let bytes = sender.withCiphertext { Array($0) }
                sender.takeCiphertext(bytes.count)
                bytes.withUnsafeBytes { receiver.receive($0) }
            }
        }
        // Tickets arrive after the handshake and are read like plaintext.
        var plaintext: [UInt8] = []
        while client.readPlaintext(into: &plaintext, limit: 1024) {}
        return client
    }

    @Test("The host keeps up to 16 TLS tickets from an upstream", arguments: [0, 15, 16])
    func tickets(_ present: Int) throws {
        let (host, pair) = try makePair()
        let earlier = try Self.makeSession()
        let ticket = try #require(earlier.takeTicket())
        pair.server.tickets = Array(repeating: ticket, count: present)
        let session = try Self.makeSession()
        let link = UpstreamLink(number: 1, recordingID: 1, addresses: [], endsAt: now)
        link.stream = try host.loop.add(Socket.connect(to: listener.localAddress), token: 1, for: .write) { session }
        host.close(link, of: pair, reset: false)
        #expect(pair.server.tickets.count == min(present + 1, 16))
    }
}
