import FitIQAPI
import Sockets
import TLS

/// The shell around the engine: one thread that accepts, reads, writes and keeps time.
///
/// It holds the only file descriptors of the server, and the only access to the clock. All protocols are in ``Engine``.
public final class Host: EventLoopHandler {
    /// Where the server listens.
    public let address: SocketAddress
    /// Where it listens for TLS; nil if it does not.
    public let secureAddress: SocketAddress?
    public let engine: Engine

    let loop: EventLoop
    /// The plain one, and the one for TLS; empty once the server stops.
    var ports: [Port] = []
    /// The context of TLS; nil if TLS is off.
    let tls: TLSContext?
    let trustAdvice: String
    var transports: [Transport?] = []
    /// What a connection can bring in one turn; small, so that other connections are served in the middle of a flood.
    let readBuffer: UnsafeMutableRawBufferPointer
    /// The decrypted bytes of the buffer.
    var plaintext: [UInt8] = []
    /// Wall-clock time at the monotonic clock's zero: time that never jumps.
    private let epoch: Int64
    /// When to listen again after file descriptors ran out.
    var listensAgainAt: MonotonicInstant?
    /// When to cut off the remaining connections, once stopping has begun.
    private var stopsAt: MonotonicInstant?
    private var wasForced = false
    /// Repeated work while the server serves.
    private var chore: Chore?
    /// Where other threads leave work that needs the engine.
    let inbox = HostInbox()
    /// The pending answers to those threads.
    private var answers: [HostInbox.Answer] = []
    /// How many connections a turn serves, of those just touched and of those left over; each takes some microseconds.
    var servedInTurn = 256
    /// Connections that were touched and are served in the next turns.
    var unserved: ArraySlice<Connection> = []
    /// Why a listener accepts no more connections, which ends the server.
    var acceptError: SocketError?
    /// The observer of all connections; set it before ``run()``.
    public var tap: Tap?
    /// Turns of the loop so far: an idle server makes none.
    private(set) var turnCount = 0

    /// Why a server does not start.
    public enum StartError: Error, CustomStringConvertible {
        /// The system does not let it listen.
        case listening(SocketError)
        /// The system does not let it listen for TLS.
        case listeningForTLS(SocketError)
        /// The certificate or its key cannot be used.
        case certificate(TLSError)
        /// The scenario's data is inconsistent.
        case scenario(APIError)

        public var description: String {
            switch self {
            case .listening(let error): error.description
            case .listeningForTLS(let error): error.description
            case .certificate(let error): error.description
            case .scenario(let error): error.message
            }
        }
    }

    /// Repeated work on the loop's thread.
    private struct Chore {
        let interval: Duration
        let work: (Timestamp) -> Void
        var due: MonotonicInstant
    }

    /// Opens the listeners; connections queue from now on, and are served once ``run()`` is called.
    ///
    /// - Parameters:
    ///   - wanted: Where to listen for plain HTTP.
    ///   - secure: Where to listen for TLS, with which certificate; both listeners share one engine, and so all state.
    ///   - configuration: The engine's; its origins become those of the listeners.
    /// - Throws: An error if an address cannot be listened on, the system lacks descriptors, the certificate cannot be
    ///   used, or the scenario's data is inconsistent.
    public init(
        listeningOn wanted: SocketAddress, secure: Secure? = nil, queueKind: EventQueue.Kind = .platformDefault,
        configuration: Engine.Configuration
    ) throws(StartError) {
        tls = try secure?.context()
        trustAdvice = secure?.advice ?? ""
        let opened: [Listener]
        (loop, opened) = try Host.open(wanted, secure?.address, queueKind)
        address = opened[0].localAddress
        secureAddress = secure == nil ? nil : opened[1].localAddress
        // Only now: if the lines above throw, nothing would free it.
        readBuffer = .allocate(byteCount: 16 * 1024, alignment: 16)
        let now = MonotonicInstant.now()
        epoch = WallClock.nanosecondsSinceEpoch() - now.nanoseconds
        for (place, listener) in opened.enumerated() {
            ports.append(Port(listener: listener, token: Port.token(place), isSecure: place == 1))
        }
        var configuration = configuration
        configuration.origin = "http://" + Host.reachable(address)
        configuration.secureOrigin = secureAddress.map { "https://" + Host.reachable($0) }
        do throws(APIError) {
            engine = try Engine(configuration, now: Timestamp(nanosecondsSinceEpoch: epoch + now.nanoseconds))
        } catch {
            // `deinit` does not run for an object that was never fully initialized.
            for listener in opened { listener.close() }
            readBuffer.deallocate()
            throw .scenario(error)
        }
        let jobs = JobThread { [inbox, mailbox = loop.mailbox] result in
            let isAccepted = inbox.add { engine, now in
                engine?.finish(result, at: now)
                return {}
            }
            if isAccepted { mailbox.post {} }
        }
        engine.startJob = jobs.add
        for port in ports {
            do throws(SocketError) {
                try loop.add(port.listener.descriptor, token: port.token, interest: .read)
            } catch {
                throw .listening(error)
            }
        }
    }

    /// Opens the loop and the listeners, or none of them.
    private static func open(
        _ wanted: SocketAddress, _ secure: SocketAddress?, _ queueKind: EventQueue.Kind
    ) throws(StartError) -> (EventLoop, [Listener]) {
        let loop: EventLoop
        let listener: Listener
        do throws(SocketError) {
            loop = try EventLoop(queueKind: queueKind)
            listener = try Listener(address: wanted)
        } catch {
            throw .listening(error)
        }
        guard let secure else { return (loop, [listener]) }
        do throws(SocketError) {
            return (loop, [listener, try Listener(address: secure)])
        } catch {
            listener.close()
            throw .listeningForTLS(error)
        }
    }

    deinit {
        for port in ports { port.listener.close() }
        for case let transport? in transports { transport.socket.close() }
        readBuffer.deallocate()
    }

    /// The address as a client on this machine names it: a wildcard address becomes localhost.
    private static func reachable(_ address: SocketAddress) -> String {
        address.isUnspecified ? "localhost:\(address.port)" : address.description
    }

    /// Where other threads leave work for the loop's thread.
    public var mailbox: Mailbox { loop.mailbox }

    /// Makes SIGINT and SIGTERM stop the server: the first one cleanly, a second one at once.
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

    /// Begins to stop cleanly; must be called on the loop's thread.
    public func stop() {
        guard stopsAt == nil else { return }
        let now = MonotonicInstant.now()
        stopsAt = now.advanced(by: engine.shutdownTime)
        stopListening()
        for port in ports { port.listener.close() }
        ports = []
        engine.beginShutdown(at: time(now))
        serveTouched(now)
        if engine.isEmpty { loop.stop() }
    }

    /// Repeats work on the loop's thread until the server begins to stop; the time is the engine's.
    ///
    /// It blocks everything else while it runs, and replaces earlier work. Must be called before ``run()``, or on the
    /// loop's thread.
    public func every(_ interval: Duration, _ work: @escaping (Timestamp) -> Void) {
        chore = Chore(interval: interval, work: work, due: .now().advanced(by: interval))
    }

    // MARK: What the loop calls

    public func readinessChanged(_ readiness: Readiness, now: MonotonicInstant) {
        if readiness.token > UInt64(UInt32.max) {
            accept(readiness.token, now)
        } else {
            let place = Int(readiness.token)
            guard let transport = transports[place], let connection = engine.connection(transport.id) else { return }
            let isFinished = readiness.hangUp || readiness.error
            if readiness.readable || isFinished { read(transport, isFinished: isFinished, now) }
            if readiness.writable { engine.touch(connection) }
        }
        // The output of this call is sent when the turn ends: then a peer of many connections wakes once, not for each.
    }

    public func signalReceived(_ signal: Int32, now: MonotonicInstant) {
        if stopsAt == nil {
            stop()
        } else {
            wasForced = true
            loop.stop()
        }
    }

    /// Serves what is due, and returns when there is more.
    public func turnEnded(now: MonotonicInstant) -> MonotonicInstant? {
        turnCount += 1
        if let again = listensAgainAt, again <= now { listenAgain() }
        doChore(now)
        if let due = engine.nextDeadline, due <= time(now) { engine.advance(to: time(now)) }
        answers += doWork(now)
        serveTouched(now)
        tap?.write()
        // The calling threads continue once the clients can see what was done.
        if unserved.isEmpty || engine.isEmpty {
            for answer in answers { answer() }
            answers = []
        }
        if let stopsAt {
            if stopsAt <= now {
                engine.resetAll()
                repeat { serveTouched(now) } while !unserved.isEmpty
                tap?.write()
            }
            if engine.isEmpty { loop.stop() }
        }
        let engineDeadline = engine.nextDeadline.map { MonotonicInstant(nanoseconds: $0.nanosecondsSinceEpoch - epoch) }
        let rest = unserved.isEmpty ? nil : now
        return [rest, engineDeadline, listensAgainAt, stopsAt, stopsAt == nil ? chore?.due : nil].compactMap { $0 }
            .min()
    }

    private func doWork(_ now: MonotonicInstant) -> [HostInbox.Answer] {
        guard let (work, stops) = inbox.take() else { return [] }
        let answers = work.map { $0(engine, time(now)) }
        if stops { stop() }
        return answers
    }

    private func doChore(_ now: MonotonicInstant) {
        guard let chore, chore.due <= now, stopsAt == nil else { return }
        // From now, not from when it was due: after a pause of the process it runs once.
        self.chore?.due = now.advanced(by: chore.interval)
        chore.work(time(now))
    }

    func time(_ now: MonotonicInstant) -> Timestamp {
        Timestamp(nanosecondsSinceEpoch: epoch + now.nanoseconds)
    }
}
