import FitIQAPI
import Logging
import Sockets
import TLS

/// A reverse proxy: one thread that accepts clients, connects to the upstream for each, and passes bytes both ways.
///
/// It holds the descriptors and the clock; what is passed on, and how, is ``Relay``'s. What went to the upstream and came back is
/// given to a ``SessionTap``, in plaintext.
public final class ProxyHost: EventLoopHandler {
    /// What a proxy is to do.
    public struct Configuration: Sendable {
        /// The server behind it.
        public var upstream: UpstreamURL
        /// Whose certificates are believed, where that server speaks TLS.
        public var trust: TLSTrust
        /// How much it holds and waits for.
        public var limits: RelayLimits

        /// Describes a proxy.
        public init(upstream: UpstreamURL, trust: TLSTrust = .system, limits: RelayLimits = RelayLimits()) {
            self.upstream = upstream
            self.trust = trust
            self.limits = limits
        }
    }

    /// Where and how clients are served over TLS.
    public struct Secure: Sendable {
        /// Where to listen.
        public var address: SocketAddress
        /// The certificate with those between it and its authority, as PEM.
        public var certificates: [UInt8]
        /// Its key, as PEM.
        public var key: [UInt8]
        /// What the log says to whose client does not trust the certificate: a sentence, or nothing.
        public var advice: String

        /// Describes a listener.
        public init(address: SocketAddress, certificates: [UInt8], key: [UInt8], advice: String = "") {
            self.address = address
            self.certificates = certificates
            self.key = key
            self.advice = advice
        }
    }

    /// Why a proxy does not start.
    public enum StartError: Error, CustomStringConvertible {
        /// The system does not let it listen, or does not know the upstream's host.
        case socket(SocketError)
        /// The system does not let it listen for TLS.
        case listeningForTLS(SocketError)
        /// A certificate, a key or an authority cannot be used.
        case tls(TLSError)
        /// The upstream is where the proxy itself listens.
        case ownUpstream(UpstreamURL)

        /// What the person at the keyboard is told.
        public var description: String {
            switch self {
            case .socket(let error), .listeningForTLS(let error): error.description
            case .tls(let error): error.description
            case .ownUpstream(let upstream): Messages.ownUpstream(upstream)
            }
        }
    }

    /// Where it listens.
    public let address: SocketAddress
    /// Where it listens for TLS; nil where it does not.
    public let secureAddress: SocketAddress?
    /// What it does.
    public let configuration: Configuration

    let loop: EventLoop
    let logger: Logger
    private(set) var tap: SessionTap?
    /// The upstream's addresses; the one that answered last goes first.
    var addresses: [SocketAddress]
    var ports: [ProxyPort] = []
    /// Why a listener accepts no more connections, which ends the proxy.
    var acceptError: SocketError?
    let serverContext: TLSContext?
    let trustAdvice: String
    let clientContext: TLSContext?
    /// What sessions with the upstream can be resumed with, the latest last.
    var tickets: [TLSTicket] = []
    var pairs: [ProxyPair?] = []
    var freePlaces: [Int] = []
    var pairCount = 0
    var touched: [ProxyPair] = []
    var linkCount: UInt64 = 0
    /// The earliest deadline of all pairs, or before it.
    var nextScan: MonotonicInstant?
    /// When to listen again after file descriptors ran out.
    var listensAgainAt: MonotonicInstant?
    /// When what is left is cut off, once stopping has begun.
    var stopsAt: MonotonicInstant?
    private var wasForced = false
    let readBuffer: UnsafeMutableRawBufferPointer
    var plaintext: [UInt8] = []
    /// Wall-clock time at the monotonic clock's zero: time that never jumps.
    private let epoch: Int64

    /// Opens the listeners and looks the upstream's host up; clients are served once ``run()`` is called.
    ///
    /// - Throws: where an address cannot be listened on, the upstream's host is not known, or what TLS needs cannot be used.
    public init(
        listeningOn wanted: SocketAddress, secure: Secure? = nil, configuration: Configuration,
        logger: Logger? = nil
    ) throws(StartError) {
        self.configuration = configuration
        self.logger = logger ?? .silent
        trustAdvice = secure?.advice ?? ""
        do throws(TLSError) {
            clientContext = configuration.upstream.isSecure ? try .client(trust: configuration.trust) : nil
            serverContext = try secure.map { secure throws(TLSError) in
                try .server(certificates: secure.certificates, key: secure.key)
            }
        } catch {
            throw .tls(error)
        }
        var opened: [ProxyPort] = []
        do throws(SocketError) {
            addresses = try SocketAddress.resolve(
                host: configuration.upstream.host, port: configuration.upstream.port)
            loop = try EventLoop()
            opened.append(ProxyPort(try Listener(address: wanted), number: 0, isSecure: false))
        } catch {
            throw .socket(error)
        }
        do throws(SocketError) {
            if let secure {
                opened.append(ProxyPort(try Listener(address: secure.address), number: 1, isSecure: true))
            }
        } catch {
            for port in opened { port.listener.close() }
            throw .listeningForTLS(error)
        }
        ports = opened
        address = opened[0].listener.localAddress
        secureAddress = ports.count > 1 ? ports[1].listener.localAddress : nil
        let own = ports.map(\.listener.localAddress)
        if addresses.contains(where: { address in own.contains { ProxyHost.reaches($0, by: address) } }) {
            for port in ports { port.listener.close() }
            throw .ownUpstream(configuration.upstream)
        }
        epoch = WallClock.nanosecondsSinceEpoch() - MonotonicInstant.now().nanoseconds
        // Only now: where the lines above throw, nobody would free it.
        readBuffer = .allocate(byteCount: 16 * 1024, alignment: 16)
        do throws(SocketError) {
            for port in ports { try loop.add(port.listener.descriptor, token: port.token, interest: .read) }
        } catch {
            throw .socket(error)
        }
    }

    deinit {
        for port in ports { port.listener.close() }
        for case let pair? in pairs {
            pair.client.socket.close()
            pair.upstream?.transport?.socket.close()
        }
        readBuffer.deallocate()
    }

    /// Whether whoever connects to an address comes to that listener.
    private static func reaches(_ listener: SocketAddress, by address: SocketAddress) -> Bool {
        address == listener || (listener.isUnspecified && address.isLoopback && address.port == listener.port)
    }

    /// Has everything recorded from now on; to be called before ``run()``.
    public func record(to tap: SessionTap) { self.tap = tap }

    /// Where other threads leave work for the loop's thread.
    public var mailbox: Mailbox { loop.mailbox }

    /// Connections of clients that are open.
    public var connectionCount: Int { pairCount }

    /// Has the signals stop the proxy: the first in good order, a second at once.
    public func stopOnSignals(_ signals: [Int32]) throws(SocketError) {
        try loop.watchSignals(signals)
    }

    /// Serves until stopped.
    ///
    /// - Returns: false where a second signal cut it short.
    public func run() throws(SocketError) -> Bool {
        try loop.run(handler: self)
        if let acceptError { throw acceptError }
        return !wasForced
    }

    /// Begins to stop: nobody new is served, answers under way have ``RelayLimits/shutdownTime``; on the loop's thread.
    public func stop() {
        guard stopsAt == nil else { return }
        stopsAt = MonotonicInstant.now().advanced(by: configuration.limits.shutdownTime)
        stopListening()
        for port in ports { port.listener.close() }
        ports = []
        if !hasAnswersUnderWay { loop.stop() }
    }

    private var hasAnswersUnderWay: Bool {
        pairs.contains { $0.map { $0.relay.phase == .answer || !$0.relay.toClient.isEmpty } ?? false }
    }

    // MARK: What the loop calls

    /// Serves a descriptor.
    public func readinessChanged(_ readiness: Readiness, now: MonotonicInstant) {
        if let port = ports.first(where: { $0.token == readiness.token }) {
            accept(port, now)
            return
        }
        let place = Int(readiness.token / 2)
        guard place < pairs.count, let pair = pairs[place] else { return }
        if readiness.token == ProxyPair.clientToken(place) {
            clientIsReady(pair, readiness, now)
        } else {
            upstreamIsReady(pair, readiness, now)
        }
        touch(pair)
    }

    /// Stops the proxy.
    public func signalReceived(_ signal: Int32, now: MonotonicInstant) {
        if stopsAt == nil {
            stop()
        } else {
            wasForced = true
            loop.stop()
        }
    }

    /// Sends what the turn left to send, has it recorded, and says when something is due.
    public func turnEnded(now: MonotonicInstant) -> MonotonicInstant? {
        if let again = listensAgainAt, again <= now { listenAgain(now) }
        if let scan = nextScan, scan <= now { meetDeadlines(now) }
        // What a client has seen is in the file, whatever becomes of this process.
        tap?.write()
        while let pair = touched.popLast() {
            pair.isTouched = false
            if !pair.isGone { settle(pair, now) }
        }
        tap?.write()
        if let stopsAt, stopsAt <= now || !hasAnswersUnderWay { loop.stop() }
        return [nextScan, listensAgainAt, stopsAt].compactMap { $0 }.min()
    }

    /// The time as the recording has it.
    func time(_ now: MonotonicInstant) -> Timestamp {
        Timestamp(nanosecondsSinceEpoch: epoch + now.nanoseconds)
    }

    /// Has a pair looked after when the turn ends.
    func touch(_ pair: ProxyPair) {
        guard !pair.isTouched else { return }
        pair.isTouched = true
        touched.append(pair)
    }

    private func meetDeadlines(_ now: MonotonicInstant) {
        nextScan = nil
        for case let pair? in pairs {
            guard let deadline = pair.deadline(configuration.limits) else { continue }
            if deadline <= now {
                timeIsUp(pair, now)
                touch(pair)
            } else {
                nextScan = min(nextScan ?? deadline, deadline)
            }
        }
    }
}
