import FitIQAPI
import Hosting
import Logging
import Sockets
import TLS
import Text

/// A reverse proxy: one thread that accepts clients, connects each to the upstream, and passes bytes both ways.
///
/// It owns the descriptors and the clock. ``Relay`` decides what to forward, and how. On the loop of a server, a proxy
/// host accepts no clients and connects the server's engine with the upstreams of its worlds.
public final class ProxyHost: SocketHost {
    /// The upstream of a proxy; nil on the loop of a server.
    let server: UpstreamServer?
    let limits: RelayLimits
    public let loop: HostLoop
    let logger: Logger
    /// Observes the traffic with the upstream; set it before ``run()``.
    public var tap: (any Tap)?
    /// Called when a relay has output for its engine.
    package var deliver: ((RelaySide, Timestamp) -> Void)?
    /// The upstreams of an engine's worlds.
    var servers: [UpstreamURL: UpstreamServer] = [:]
    /// The upstreams whose addresses are being looked up.
    var searching: [UpstreamServer] = []
    let trust: TLSTrust
    /// The token of the first pair's client; connections of a server's own clients have smaller tokens.
    let firstToken: UInt64
    var pairs: [ProxyPair?] = []
    var freePlaces: [Int] = []
    var pairCount = 0
    private var touched: [ProxyPair] = []
    var linkCount: UInt64 = 0
    /// The places of pairs in the order of their deadlines.
    private(set) var deadlines = DeadlineQueue<Int>()

    /// The number of obsolete deadlines that are not worth a search.
    private static let deadlinesKept = 64

    /// Opens the listeners and resolves the upstream's host; ``run()`` then serves clients.
    ///
    /// - Parameter trust: The certificates to trust if the upstream speaks TLS.
    /// - Throws: An error if the proxy cannot listen, cannot resolve the upstream's host within
    ///   ``RelayLimits/connectTime``, or cannot use the TLS files; `StartError.configuration` if the upstream is the
    ///   proxy itself.
    public init(
        listeningOn wanted: SocketAddress, secure: SecureEndpoint? = nil, upstream: UpstreamURL,
        trust: TLSTrust = .system, limits: RelayLimits = RelayLimits(), logger: Logger = .silent,
        resolve: @escaping HostLookup.Resolve = SocketAddress.resolve
    ) throws(StartError) {
        (self.limits, self.logger, self.trust, firstToken) = (limits, logger, trust, 0)
        let server = try Result { () throws(TLSError) in
            try UpstreamServer(upstream, trust: trust)
        }.mapError(StartError.tls).get()
        server.addresses = try Result { () throws(SocketError) in
            try HostLookup.addresses(
                ofHost: upstream.host, port: upstream.port, within: limits.connectTime, resolve: resolve)
        }.mapError(StartError.listening).get()
        self.server = server
        loop = try HostLoop(listeningOn: wanted, secure: secure)
        if server.addresses.contains(where: isOwn) { throw .configuration(Messages.ownUpstream(upstream)) }
    }

    /// Creates a host that connects an engine with the upstreams of its worlds, on the loop of its server.
    package init(in loop: HostLoop, trust: TLSTrust, limits: RelayLimits = RelayLimits(), logger: Logger = .silent) {
        (self.loop, self.trust, self.limits, self.logger) = (loop, trust, limits, logger)
        (server, firstToken) = (nil, Self.sharedToken)
    }

    /// Greater than any token of a server's connections, and less than those of listeners.
    private static let sharedToken: UInt64 = 1 << 36

    /// Whether a token in the loop of a server belongs to a connection to an upstream.
    package static func isUpstream(_ token: UInt64) -> Bool { token >= sharedToken }

    /// Whether this loop listens at an address.
    func isOwn(_ address: SocketAddress) -> Bool {
        [loop.address, loop.secureAddress].contains { own in
            guard let own else { return false }
            // A connection to the wildcard address reaches this machine.
            return address == own
                || address.port == own.port && (address.isUnspecified || own.isUnspecified && address.isLoopback)
        }
    }

    /// Begins to stop; call it on the loop's thread.
    ///
    /// It accepts no more clients, and waits up to ``RelayLimits/shutdownTime`` for answers in progress.
    public func stop() {
        guard loop.beginStop(within: limits.shutdownTime) != nil else { return }
        if !hasAnswersUnderWay { loop.events.stop() }
    }

    var hasAnswersUnderWay: Bool {
        pairs.contains { $0.map { $0.relay.phase == .answer || !$0.relay.toClient.isEmpty } ?? false }
    }

    // MARK: Event loop callbacks

    public func readinessChanged(_ readiness: Readiness, now: MonotonicInstant) {
        followClock(now)
        let time = loop.time(now)
        guard !HostLoop.isListener(readiness.token) else {
            return loop.accept(readiness.token, now) { begin($0, isSecure: $1.isSecure, time) }
        }
        serve(readiness, at: time)
    }

    package func serve(_ readiness: Readiness, at time: Timestamp) {
        let token = readiness.token - firstToken
        guard let pair = pairs[Int(token / 2)] else { return }
        if token.isMultiple(of: 2) {
            clientIsReady(pair, readiness, time)
        } else {
            upstreamIsReady(pair, readiness, time)
        }
        touch(pair)
    }

    /// Reads from a ready stream; nil if there is nothing to handle.
    func read(
        _ stream: SocketStream, _ readiness: Readiness, _ body: (UnsafeRawBufferPointer) -> Void
    ) -> SocketStream.Reading? {
        let isFinished = readiness.hangUp || readiness.error
        guard readiness.readable || isFinished else { return nil }
        guard !stream.hasEnded else {
            // The connection is dead in both directions; only bytes that arrived before remain to be handled.
            if readiness.error { return .broken }
            if isFinished { loop.unwatch(stream) }
            return nil
        }
        let reading = stream.read(into: loop.buffer, body)
        if case .nothing = reading { return readiness.error ? .broken : nil }
        return reading
    }

    private func followClock(_ now: MonotonicInstant) {
        let step = loop.clockStep(now)
        if step != 0 { tap?.clockStepped(by: step) }
    }

    /// Sends and records the output of the turn; returns when the host has something to do next.
    public func turnEnded(now: MonotonicInstant) -> MonotonicInstant? {
        followClock(now)
        let time = loop.time(now)
        loop.endPause(now)
        settle(time)
        if let stopsAt = loop.stopsAt, stopsAt <= now || !hasAnswersUnderWay { loop.events.stop() }
        return [nextDeadline.map(loop.instant), loop.nextDeadline].compactMap { $0 }.min()
    }

    /// Whether any relay needs this host.
    package var isUsed: Bool { pairCount > 0 }

    /// The next deadline; nil without relays, although the queue may still have obsolete deadlines.
    package var nextDeadline: Timestamp? { isUsed ? deadlines.next : nil }

    /// Does the work that is due, and the work that the turn left.
    package func settle(_ time: Timestamp) {
        followLookups(time)
        meetDeadlines(time)
        // Writes first, so that the file has everything that a client has seen, even if this process dies.
        tap?.write()
        while let pair = touched.popLast() {
            pair.isTouched = false
            if !pair.isGone { settle(pair, time) }
        }
        tap?.write()
    }

    func touch(_ pair: ProxyPair) {
        guard !pair.isTouched else { return }
        pair.isTouched = true
        touched.append(pair)
    }

    /// Does what the relay wants with the streams: connects them, sends, ends and watches.
    private func settle(_ pair: ProxyPair, _ now: Timestamp) {
        // Each round may cause another one: a failure leads to a refusal, a closed connection to a new one.
        while !pair.isGone {
            if let link = pair.upstream, link.number != pair.relay.upstreamNumber {
                close(link, of: pair, reset: pair.relay.resetsUpstream)
            }
            if pair.upstream == nil, let number = pair.relay.upstreamNumber {
                connect(pair, number: number, now)
                if pair.relay.upstreamNumber != number { continue }
            }
            if let link = pair.upstream, let stream = link.stream, link.isConnected {
                sendToUpstream(link, stream, pair, now)
                if pair.relay.upstreamNumber != link.number { continue }
            }
            break
        }
        // Logs an answer before the client sees it.
        report(pair)
        guard !pair.isGone, sendToClient(pair, now) else { return }
        watch(pair)
        guard let deadline = pair.deadline(limits) else { return }
        if let present = pair.wakesAt, present <= deadline { return }
        pair.wakesAt = deadline
        deadlines.insert(pair.place, at: deadline)
    }

    private func watch(_ pair: ProxyPair) {
        if let client = pair.client {
            let readsClient = pair.relay.wantsClientBytes || pair.endingSince != nil || client.isShakingHands
            loop.watch(client, for: client.interest(reads: readsClient, hasOutput: !pair.relay.toClient.isEmpty))
        }
        guard let link = pair.upstream, let stream = link.stream else { return }
        guard link.isConnected else { return loop.watch(stream, for: .write) }
        let readsUpstream = pair.relay.wantsUpstreamBytes || !link.isOpen
        loop.watch(stream, for: stream.interest(reads: readsUpstream, hasOutput: !pair.relay.toUpstream.isEmpty))
    }

    private func meetDeadlines(_ now: Timestamp) {
        while let (place, time) = deadlines.popDue(at: now) {
            // Skips an entry whose pair is gone, or has an earlier entry.
            guard let pair = pairs[place], pair.wakesAt == time else { continue }
            pair.wakesAt = nil
            if let deadline = pair.deadline(limits), deadline <= now { timeIsUp(pair, now) }
            touch(pair)
        }
    }

    /// Removes obsolete deadlines once they are the majority, so that each costs constant time.
    func forgetDeadlines() {
        guard deadlines.count > 2 * pairCount + ProxyHost.deadlinesKept else { return }
        deadlines.removeAll { place, time in pairs[place]?.wakesAt != time }
    }

    private func timeIsUp(_ pair: ProxyPair, _ now: Timestamp) {
        if pair.endingSince != nil {
            // Bytes that the system has accepted are still on their way to the client, and a reset would drop them.
            drop(pair, reset: pair.relay.clientEnding != .close || pair.client?.isShutDown == false)
        } else if pair.client?.isShakingHands == true {
            logger.notice("\(Messages.handshakeTimeout(limits.handshakeTime))")
            drop(pair, reset: true)
        } else if let link = pair.upstream, !link.isOpen {
            attemptTimedOut(link, of: pair, now)
        } else {
            pair.relay.timeIsUp()
        }
    }

    func report(_ pair: ProxyPair) {
        // An engine records these events in a journal.
        guard pair.client != nil else { return }
        for event in pair.relay.takeEvents() {
            switch event {
            case .answered(let method, let target, let status):
                logger.info("\(method) \(Messages.printable(target)) \(status)")
            case .opened(let target): logger.info("WebSocket \(Messages.printable(target)) opened")
            case .refused(let status, let message): logger.warning("\(status): \(message)")
            case .brokenOff(let sentence): logger.notice("\(sentence)")
            }
        }
    }
}
