import FitIQAPI
import JSON
import MockServer
import Scenarios
import TestSupport
import Testing
import Text

@testable import Proxy

/// A server behind a world, in memory.
enum VirtualServer: Sendable {
    /// The fake in ``VirtualUpstreams/back``.
    case fake
    /// Answers each connection with these bytes, and then ends it in this way.
    case bytes(String, VirtualUpstreams.Ending)
    case unreachable
    /// Accepts connections, and stays silent.
    case silent
}

/// Connects an engine with the servers behind its worlds, as ``UpstreamHost`` does with sockets.
final class VirtualUpstreams {
    enum Ending: Sendable { case open, finish, reset }

    private final class Link {
        let side: RelaySide
        var number = 0
        var client: VirtualClient?
        var read = 0
        var hasEnded = false

        init(_ side: RelaySide) { self.side = side }
    }

    let front: VirtualNetwork, back: VirtualNetwork
    var server: VirtualServer
    private var links: [Link] = []
    /// The bytes sent to a server that is not a fake.
    private(set) var sent = ""
    var openCount: Int { links.filter { $0.side.relay.upstreamNumber != nil }.count }

    init(_ front: VirtualNetwork, _ back: VirtualNetwork, _ server: VirtualServer) {
        (self.front, self.back, self.server) = (front, back, server)
        front.engine.reachesUpstreams = true
        front.serveUpstreams = { [unowned self] in serve() }
    }

    func timeIsUp() {
        for link in links { link.side.relay.timeIsUp() }
        for link in links { front.engine.receive(from: link.side, at: front.now) }
        front.settle()
    }

    /// Ends every connection to a server from the server's side, without a close frame.
    func end(isReset: Bool) {
        for link in links {
            link.hasEnded = true
            if isReset { link.side.relay.upstreamBroke() } else { link.side.relay.upstreamFinished() }
            front.engine.receive(from: link.side, at: front.now)
        }
        front.settle()
    }

    private func serve() -> Bool {
        let touched = front.engine.takeTouchedUpstreams()
        var moved = !touched.isEmpty
        for side in touched {
            if !links.contains(where: { $0.side === side }) { links.append(Link(side)) }
        }
        for link in links where serve(link) {
            moved = true
            front.engine.receive(from: link.side, at: front.now)
        }
        for side in touched { front.engine.receive(from: side, at: front.now) }
        links.removeAll { $0.side.isAbandoned && $0.side.relay.upstreamNumber == nil }
        return moved
    }

    private func serve(_ link: Link) -> Bool {
        let number = link.side.relay.upstreamNumber ?? 0
        if link.number != number {
            link.client?.vanish()
            (link.client, link.number, link.read, link.hasEnded) = (nil, number, 0, false)
            if number > 0, case .unreachable = server {
                link.side.relay.upstreamFailed(.unreachable("Connection refused"))
                return true
            }
            if number > 0, case .fake = server { link.client = back.connect() }
            return true
        }
        guard number > 0 else { return false }
        var moved = false
        let output = link.side.relay.toUpstream.withBytes { Array($0) }
        if !output.isEmpty {
            link.side.relay.sentToUpstream(output.count)
            moved = true
            link.client?.send(output)
            if case .bytes(let answer, let ending) = server, !link.hasEnded {
                sent += String(decoding: output, as: UTF8.self)
                link.hasEnded = ending != .open
                Array(answer.utf8).withUnsafeBytes { link.side.relay.receiveFromUpstream($0) }
                switch ending {
                case .open: break
                case .finish: link.side.relay.upstreamFinished()
                case .reset: link.side.relay.upstreamBroke()
                }
            }
        }
        guard let client = link.client else { return moved }
        if link.side.isAbandoned { link.side.relay.sentToClient(link.side.relay.toClient.count) }
        if link.read < client.received.count, link.side.relay.wantsUpstreamBytes {
            let piece = Array(client.received[link.read...].prefix(16 * 1024))
            link.read += piece.count
            piece.withUnsafeBytes { link.side.relay.receiveFromUpstream($0) }
            return true
        }
        if link.read == client.received.count, !link.hasEnded, client.ending != .open || client.sawEndOfStream {
            link.hasEnded = true
            if client.ending == .reset { link.side.relay.upstreamBroke() } else { link.side.relay.upstreamFinished() }
            return true
        }
        return moved
    }
}

/// A fake in front of another server, both in memory, with the same seed and time.
struct FrontWorld {
    let front: VirtualNetwork
    let back: VirtualNetwork
    let upstreams: VirtualUpstreams
    static let url = "http://real.example"

    init(
        _ scenario: Scenario = Scenario(), _ server: VirtualServer = .fake, behind real: Scenario = Scenario(),
        _ credentials: UpstreamCredentials = UpstreamCredentials()
    ) throws {
        back = try Self.network(real)
        var scenario = scenario
        if scenario.upstream == nil { scenario.upstream = Upstream(try UpstreamURL(Self.url)) }
        front = try Self.network(scenario, credentials)
        upstreams = VirtualUpstreams(front, back, server)
    }

    static let start = Timestamp(secondsSinceEpoch: 1_738_146_600)

    static func network(
        _ scenario: Scenario, _ credentials: UpstreamCredentials = UpstreamCredentials()
    ) throws -> VirtualNetwork {
        var configuration = Engine.Configuration(pace: .instant)
        configuration.adopt(scenario)
        configuration.upstreamCredentials = credentials
        let network = VirtualNetwork(try Engine(configuration, now: start), now: start)
        network.report = { Issue.record("\($0)") }
        return network
    }

    /// Advances the time of both servers.
    func advance(by duration: Duration) {
        back.advance(by: duration)
        front.advance(by: duration)
    }

    func client() throws -> HTTPClient<VirtualClient> { HTTPClient(try #require(front.connect())) }

    func exchange(_ request: Request) throws -> Response { try front.exchange(request) }

    /// A client that has sent a request, whose answer may be pending.
    func asking(_ request: Request = UpstreamWorldTests.goals) throws -> HTTPClient<VirtualClient> {
        let client = try client()
        client.wire.send(request.bytes)
        return client
    }

    func journal() throws -> String { try exchange(Request(target: "/__admin/journal")).text }

    /// The journal's entries that say who answered, and its notes.
    func story() throws -> [String] {
        try journal().split(separator: "\n").map { try JSON.parse(Array($0.utf8)) }.compactMap { entry in
            if let text = entry["text"]?.string { return "note: \(text)" }
            guard let method = entry["request"]?["method"]?.string else { return nil }
            let status = entry["response"]?["status"]?.int.map(String.init) ?? "none"
            return "\(method) \(status) \(entry["answered_by"]?.string ?? "nobody")"
        }
    }
}

extension VirtualClient { var text: String { String(decoding: received, as: UTF8.self) } }

extension VirtualNetwork {
    /// Sends one request on its own connection.
    func exchange(_ request: Request) throws -> Response {
        let client = HTTPClient(try #require(connect()))
        defer { client.wire.vanish() }
        return try client.exchange(request)
    }

    /// The number of requests in the server's journal.
    var askedCount: Int? {
        get throws { try exchange(Request(target: "/__admin/requests")).json?["entries"]?.array?.count }
    }
}
