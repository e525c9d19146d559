import Hosting
import Sockets
import TestSupport
import Testing
import Text

@testable import Proxy

@Suite("A proxy with disconnected peers", .timeLimit(.minutes(1)))
struct BrokenPeerTests {
    private let listener: Listener
    private let host: ProxyHost
    private let now = MonotonicInstant.now()

    init() throws {
        listener = try Listener(address: SocketAddress(host: "127.0.0.1", port: 0))
        host = try ProxyHost(
            listeningOn: SocketAddress(host: "127.0.0.1", port: 0),
            upstream: UpstreamURL("http://\(listener.localAddress)"))
    }

    /// A connection that its peer has reset, which only a write notices.
    private func brokenSocket() throws -> Socket {
        let socket = try Socket.connect(to: listener.localAddress)
        try BlockingStream.accept(listener).reset()
        let deadline = MonotonicInstant.now().advanced(by: BlockingStream.patience)
        SingleDescriptorPoll.wait(for: .read, on: socket.descriptor, until: deadline)
        return socket
    }

    @Test("A client that left before the end of its last answer leaves no deadline behind")
    func client() throws {
        defer { listener.close() }
        let time = host.loop.time(now)
        host.begin(try brokenSocket(), isSecure: false, time)
        let pair = try #require(host.pairs[0])
        pair.relay.toClient.append([0])
        pair.relay.clientEnding = .close
        pair.endingSince = time
        #expect(host.turnEnded(now: now) == nil)
        #expect(host.pairCount == 0 && host.deadlines.next == nil)
    }

    @Test("Bytes for a disconnected upstream are dropped")
    func upstream() throws {
        defer { listener.close() }
        let time = host.loop.time(now)
        host.begin(try Socket.connect(to: listener.localAddress), isSecure: false, time)
        let client = try BlockingStream.accept(listener)
        let pair = try #require(host.pairs[0])
        let stream = try host.loop.add(brokenSocket(), token: 1, for: .write) { nil }
        let link = UpstreamLink(number: 1, recordingID: 1, addresses: [], endsAt: time)
        pair.relay.toUpstream.append([0])
        host.sendToUpstream(link, stream, pair, time)
        #expect(stream.takesNothing && pair.relay.toUpstream.isEmpty)
        host.loop.close(stream)
        client.close()
    }
}
