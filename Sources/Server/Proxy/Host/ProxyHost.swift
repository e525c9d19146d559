import FitIQAPI
import Logging
import Sockets
import TLS

/// A reverse proxy: one thread that accepts clients, connects to the upstream for each, and passes bytes both ways.
///
/// It owns the descriptors and the clock; ``Relay`` decides what is passed on, and how. The traffic with the upstream
/// goes to a ``SessionTap``, in plaintext.
public final class ProxyHost: EventLoopHandler {
    public struct Configuration: Sendable {
        /// The server behind the proxy.
        public var upstream: UpstreamURL
        /// The certificates to trust if that server speaks TLS.
        public var trust: TLSTrust
        public var limits: RelayLimits

        public init(upstream: UpstreamURL, trust: TLSTrust = .system, limits: RelayLimits = RelayLimits()) {
            self.upstream = upstream
            self.trust = trust
            self.limits = limits
        }
    }

    /// The TLS listener for clients.
    public struct Secure: Sendable {
        public var address: SocketAddress
        /// The certificate and the intermediates up to its authority, as PEM.
        public var certificates: [UInt8]
        /// Its key, as PEM.
        public var key: [UInt8]
        /// The advice in the log if a client does not trust the certificate: a sentence, or empty.
        public var advice: String

        public init(address: SocketAddress, certificates: [UInt8], key: [UInt8], advice: String = "") {
            self.address = address
            self.certificates = certificates
            self.key = key
            self.advice = advice
        }
    }

    public enum StartError: Error, CustomStringConvertible {
        /// The system does not let it listen, or does not know the upstream's host.
        case socket(SocketError)
        /// The system does not let it listen for TLS.
        case listeningForTLS(SocketError)
        /// A certificate, a key or an authority is unusable.
        case tls(TLSError)
        /// The upstream is where the proxy itself listens.
        case ownUpstream(UpstreamURL)

        /// The message for the person at the keyboard.
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
    /// Where it listens for TLS, if it does.
    public let secureAddress: SocketAddress?
    public let configuration: Configuration

    let loop: EventLoop
    let logger: Logger
    private(set) var tap: SessionTap?
    /// The upstream's addresses; the one that answered last is first.
    var addresses: [SocketAddress]
    var ports: [ProxyPort] = []
    /// Why a listener no longer accepts connections, which ends the proxy.
    var acceptError: SocketError?
    let serverContext: TLSContext?
    let trustAdvice: String
    let clientContext: TLSContext?
    /// TLS tickets for resuming sessions with the upstream, the latest last.
    var tickets: [TLSTicket] = []
    var pairs: [ProxyPair?] = []
    var freePlaces: [Int] = []
    var pairCount = 0
    var touched: [ProxyPair] = []
    var linkCount: UInt64 = 0
    /// The earliest deadline of all pairs, or an earlier time.
    var nextScan: MonotonicInstant?
    /// When to listen again after file descriptors ran out.
    var listensAgainAt: MonotonicInstant?
    /// When the remaining connections are cut off, once stopping has begun.
    var stopsAt: MonotonicInstant?
    private var wasForced = false
    let readBuffer: UnsafeMutableRawBufferPointer
    var plaintext: [UInt8] = []
    /// Wall-clock time at the monotonic clock's zero: this time never jumps.
    private let epoch: Int64

    /// Opens the listeners and resolves the upstream's host; clients are served once ``run()`` is called.
    ///
    /// - Throws: if an address cannot be listened on, the upstream's host is unknown, or the TLS files are unusable.
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
        // Allocated last: if the lines above throw, nothing would free it.
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

    /// Whether connections to an address reach that listener.
    private static func reaches(_ listener: SocketAddress, by address: SocketAddress) -> Bool {
        address == listener || (listener.isUnspecified && address.isLoopback && address.port == listener.port)
    }

    /// Records everything from now on; call it before ``run()``.
    public func record(to tap: SessionTap) { self.tap = tap }

    /// Where other threads leave work for the loop's thread.
    public var mailbox: Mailbox { loop.mailbox }

    /// The number of open client connections.
    public var connectionCount: Int { pairCount }

    /// Lets the signals stop the proxy: the first gracefully, a second at once.
    public func stopOnSignals(_ signals: [Int32]) throws(SocketError) {
        try loop.watchSignals(signals)
    }

    /// Serves until stopped.
    ///
    /// - Returns: false if a second signal cut it short.
    public func run() throws(SocketError) -> Bool {
        try loop.run(handler: self)
        if let acceptError { throw acceptError }
        return !wasForced
    }

    /// Begins to stop: no new clients, ``RelayLimits/shutdownTime`` for answers in progress; on the loop's thread.
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

    // MARK: Event loop callbacks

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

    public func signalReceived(_ signal: Int32, now: MonotonicInstant) {
        if stopsAt == nil {
            stop()
        } else {
            wasForced = true
            loop.stop()
        }
    }

    /// Sends and records what the turn produced, and returns when something is due.
    public func turnEnded(now: MonotonicInstant) -> MonotonicInstant? {
        if let again = listensAgainAt, again <= now { listenAgain(now) }
        if let scan = nextScan, scan <= now { meetDeadlines(now) }
        // What a client has seen is in the file, even if this process dies.
        tap?.write()
        while let pair = touched.popLast() {
            pair.isTouched = false
            if !pair.isGone { settle(pair, now) }
        }
        tap?.write()
        if let stopsAt, stopsAt <= now || !hasAnswersUnderWay { loop.stop() }
        return [nextScan, listensAgainAt, stopsAt].compactMap { $0 }.min()
    }

    /// The time for the recording.
    func time(_ now: MonotonicInstant) -> Timestamp {
        Timestamp(nanosecondsSinceEpoch: epoch + now.nanoseconds)
    }

    /// Marks a pair for work at the end of the turn.
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
