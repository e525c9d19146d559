import FitIQAPI
import Hosting
import Sockets
import TLS
import Text

/// Connects an engine's relays to their upstream servers, on the loop of the engine's host.
///
/// This type owns the connections' descriptors and reads the clock. ``Relay`` decides what to forward, and how.
package final class UpstreamHost {
    let limits: RelayLimits
    let loop: HostLoop
    /// Observes the traffic with the upstreams; set it before the loop runs.
    package var tap: (any Tap)?
    /// Called when a relay has output for its engine.
    package var deliver: ((RelaySide, Timestamp) -> Void)?
    var servers: [UpstreamURL: UpstreamServer] = [:]
    /// The upstreams whose addresses are being looked up.
    var searching: [UpstreamServer] = []
    private let trust: TLSTrust
    var pairs: [UpstreamPair?] = []
    var freePlaces: [Int] = []
    var pairCount = 0
    private var touched: [UpstreamPair] = []
    var linkCount: UInt64 = 0
    /// The pairs' places, in the order of their deadlines.
    private(set) var deadlines = DeadlineQueue<Int>()

    /// The number of obsolete deadlines below which the host does not search for them.
    private static let deadlinesKept = 64
    /// The maximum number of upstreams whose addresses and TLS tickets are remembered.
    private static let serversKept = 64
    /// The token of the first pair: greater than any token of a client's connection, and less than the listeners'
    /// tokens.
    static let firstToken: UInt64 = 1 << 36

    /// - Parameter trust: The certificates to trust if an upstream uses TLS.
    package init(in loop: HostLoop, trust: TLSTrust = .system, limits: RelayLimits = RelayLimits()) {
        (self.loop, self.trust, self.limits) = (loop, trust, limits)
    }

    /// Whether a token belongs to a connection to an upstream.
    package static func isUpstream(_ token: UInt64) -> Bool { token >= firstToken }

    /// Resolves an upstream's host name before the first client needs it.
    ///
    /// - Throws: An error if the host cannot be resolved within ``RelayLimits/connectTime``, or the TLS files cannot be
    ///   used; `StartError.configuration` if the upstream is this server itself.
    package func resolve(
        _ url: UpstreamURL, with resolve: @escaping HostLookup.Resolve = SocketAddress.resolve
    ) throws(StartError) {
        let server = try Result { () throws(TLSError) in try self.server(at: url) }.mapError(StartError.tls).get()
        server.addresses = try Result { () throws(SocketError) in
            try HostLookup.addresses(ofHost: url.host, port: url.port, within: limits.connectTime, resolve: resolve)
        }.mapError(StartError.listening).get()
        if server.addresses.contains(where: isOwn) { throw .configuration(Messages.ownUpstream(url)) }
    }

    private func server(at url: UpstreamURL) throws(TLSError) -> UpstreamServer {
        if let known = servers[url] { return known }
        let server = try UpstreamServer(url, trust: trust)
        // Pairs retain their servers; other servers are created again when needed.
        if servers.count >= Self.serversKept { servers.removeAll() }
        servers[url] = server
        return server
    }

    /// Whether this loop listens on an address.
    func isOwn(_ address: SocketAddress) -> Bool {
        [loop.address, loop.secureAddress].contains { own in
            guard let own else { return false }
            // A connection to the wildcard address reaches this machine.
            return address == own
                || address.port == own.port && (address.isUnspecified || own.isUnspecified && address.isLoopback)
        }
    }

    // MARK: Relays

    /// Serves a relay at the end of the turn; the first call also assigns a place to the relay.
    package func touch(_ side: RelaySide, _ now: Timestamp) {
        if let place = side.place, let pair = pairs[place], pair.side === side {
            if side.hasMoved { pair.lastActivity = now }
            side.hasMoved = false
            return touch(pair)
        }
        guard !side.isAbandoned, side.place == nil else { return }
        do throws(TLSError) {
            touch(begin(side, to: try self.server(at: side.relay.upstream), now))
        } catch {
            side.relay.upstreamFailed(.tls(error.description, isCertificate: false))
            deliver?(side, now)
        }
    }

    private func begin(_ side: RelaySide, to server: UpstreamServer, _ now: Timestamp) -> UpstreamPair {
        let place = freePlaces.popLast() ?? pairs.count
        if place == pairs.count { pairs.append(nil) }
        let pair = UpstreamPair(place: place, side, server, now: now)
        side.place = place
        pairs[place] = pair
        pairCount += 1
        return pair
    }

    func touch(_ pair: UpstreamPair) {
        guard !pair.isTouched else { return }
        pair.isTouched = true
        touched.append(pair)
    }

    /// Delivers a relay's output to its engine; returns false if that ends the pair.
    private func deliver(_ pair: UpstreamPair, _ now: Timestamp) -> Bool {
        if !pair.side.isAbandoned { deliver?(pair.side, now) }
        if pair.side.isAbandoned { pair.relay.sentToClient(pair.relay.toClient.count) }
        let ending = pair.relay.clientEnding
        guard ending == .reset || ending == .close, pair.relay.toClient.isEmpty else { return true }
        drop(pair)
        return false
    }

    func drop(_ pair: UpstreamPair) {
        guard !pair.isGone else { return }
        pair.isGone = true
        if let link = pair.link { close(link, of: pair, reset: pair.relay.resetsUpstream) }
        pairs[pair.place] = nil
        freePlaces.append(pair.place)
        pairCount -= 1
        // Removes obsolete deadlines once they are the majority, so that each deadline costs constant time.
        guard deadlines.count > 2 * pairCount + Self.deadlinesKept else { return }
        deadlines.removeAll { place, time in pairs[place]?.wakesAt != time }
    }

    // MARK: Calls from the loop's owner

    package func serve(_ readiness: Readiness, at time: Timestamp) {
        guard let pair = pairs[Int(readiness.token - Self.firstToken)] else { return }
        linkIsReady(pair, readiness, time)
        touch(pair)
    }

    /// Whether any relay needs this host.
    package var isUsed: Bool { pairCount > 0 }

    /// The next deadline; nil if there are no relays, although the queue may still contain obsolete deadlines.
    package var nextDeadline: Timestamp? { isUsed ? deadlines.next : nil }

    /// Does the work that is due, and the work left over from this turn.
    package func settle(_ time: Timestamp) {
        followLookups(time)
        meetDeadlines(time)
        // Write first, so that the file contains everything that a client has seen, even if this process dies.
        tap?.write()
        while let pair = touched.popLast() {
            pair.isTouched = false
            if !pair.isGone { settle(pair, time) }
        }
        tap?.write()
    }

    /// Carries out the relay's requests: connects, sends, ends and watches.
    private func settle(_ pair: UpstreamPair, _ now: Timestamp) {
        // Each round may cause another round: a failure leads to a refusal, and a closed connection leads to a new
        // connection.
        while !pair.isGone {
            if let link = pair.link, link.number != pair.relay.upstreamNumber {
                close(link, of: pair, reset: pair.relay.resetsUpstream)
            }
            if pair.link == nil, let number = pair.relay.upstreamNumber {
                connect(pair, number: number, now)
                if pair.relay.upstreamNumber != number { continue }
            }
            if let link = pair.link, let stream = link.stream, link.isConnected {
                send(link, stream, pair, now)
                if pair.relay.upstreamNumber != link.number { continue }
            }
            break
        }
        guard !pair.isGone, deliver(pair, now) else { return }
        watch(pair)
        guard let deadline = pair.deadline(limits) else { return }
        if let present = pair.wakesAt, present <= deadline { return }
        pair.wakesAt = deadline
        deadlines.insert(pair.place, at: deadline)
    }

    private func watch(_ pair: UpstreamPair) {
        guard let link = pair.link, let stream = link.stream else { return }
        guard link.isConnected else { return loop.watch(stream, for: .write) }
        let reads = pair.relay.wantsUpstreamBytes || !link.isOpen
        loop.watch(stream, for: stream.interest(reads: reads, hasOutput: !pair.relay.toUpstream.isEmpty))
    }

    private func meetDeadlines(_ now: Timestamp) {
        while let (place, time) = deadlines.popDue(at: now) {
            // Skip an entry whose pair is gone or has an earlier entry.
            guard let pair = pairs[place], pair.wakesAt == time else { continue }
            pair.wakesAt = nil
            if let deadline = pair.deadline(limits), deadline <= now {
                if let link = pair.link, !link.isOpen {
                    attemptTimedOut(link, of: pair, now)
                } else {
                    pair.relay.timeIsUp()
                }
            }
            touch(pair)
        }
    }
}
