import FitIQAPI
import Hosting
import Proxy
import Sockets
import TLS

/// The shell around the engine.
///
/// It holds the only file descriptors of the server, and the only access to the clock. All protocols are in ``Engine``.
public final class Host: SocketHost {
    public let loop: HostLoop
    public let engine: Engine

    /// The connections, by the places of their numbers, which are the loop's tokens as well.
    @exclusivity(unchecked) var transports: [Transport?] = []
    /// Repeated work while the server serves.
    @exclusivity(unchecked) private var chore: Chore?
    /// Where other threads leave work that needs the engine.
    let inbox = HostInbox()
    /// The pending answers to those threads.
    @exclusivity(unchecked) private var answers: [HostInbox.Answer] = []
    /// How many connections a turn serves, of those just touched and of those left over; each takes some microseconds.
    @exclusivity(unchecked) var servedInTurn = 256
    /// Connections that were touched and are served in the next turns.
    @exclusivity(unchecked) var unserved: ArraySlice<Connection> = []
    /// The observer of all connections; set it before ``run()``.
    @exclusivity(unchecked) public var tap: (any Tap)?
    /// Turns of the loop so far: an idle server makes none.
    @exclusivity(unchecked) private(set) var turnCount = 0

    /// What connects the engine with the upstreams of its worlds.
    private let proxy: ProxyHost

    /// Repeated work on the loop's thread.
    private struct Chore {
        let interval: Duration
        let work: (Timestamp) -> Void
        var due: MonotonicInstant
    }

    /// Opens the listeners; connections queue from now on, and are served once the host runs.
    ///
    /// Both listeners share one engine, and so all state; its origins become those of the listeners.
    ///
    /// - Throws: An error if an address cannot be listened on, the system lacks descriptors, the certificate cannot be
    ///   used, or the scenario's data is inconsistent, which is `StartError.configuration`.
    public init(
        listeningOn wanted: SocketAddress, secure: SecureEndpoint? = nil,
        queueKind: EventQueue.Kind = .platformDefault, upstreamTrust: TLSTrust = .system,
        configuration: Engine.Configuration
    ) throws(StartError) {
        loop = try HostLoop(listeningOn: wanted, secure: secure, queueKind: queueKind)
        var configuration = configuration
        (configuration.origin, configuration.secureOrigin) = (loop.url, loop.secureURL)
        if let origin = configuration.publicOrigin {
            (configuration.origin, configuration.secureOrigin) = (origin, nil)
        }
        do throws(APIError) {
            engine = try Engine(configuration, now: loop.time(.now()))
        } catch {
            throw .configuration(error.message)
        }
        proxy = ProxyHost(in: loop, trust: upstreamTrust)
        engine.reachesUpstreams = true
        proxy.deliver = { [unowned engine] side, now in engine.receive(from: side, at: now) }
        let finish: @Sendable (Job.Result) -> Void = { [inbox, mailbox = loop.events.mailbox] result in
            let isAccepted = inbox.add { engine, now in
                engine?.finish(result, at: now)
                return {}
            }
            if isAccepted { mailbox.post {} }
        }
        engine.startJob = JobThread(finish: finish).add
        engine.startSaving = JobThread(finish: finish).add
    }

    public func stop() {
        guard let now = loop.beginStop(within: engine.shutdownTime) else { return }
        engine.beginShutdown(at: time(now))
        serveTouched(now)
        if engine.isEmpty { loop.events.stop() }
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
        followClock(now)
        if HostLoop.isListener(readiness.token) {
            loop.accept(readiness.token, now) { begin($0, at: $1, now) }
        } else if ProxyHost.isUpstream(readiness.token) {
            proxy.serve(readiness, at: time(now))
        } else {
            let place = Int(readiness.token)
            guard let transport = transports[place], let connection = engine.connection(transport.id) else { return }
            let isFinished = readiness.hangUp || readiness.error
            if readiness.readable || isFinished { read(transport, isFinished: isFinished, now) }
            if readiness.writable { engine.touch(connection) }
        }
        // The output of this call is sent when the turn ends: then a peer of many connections wakes once, not for each.
    }

    /// Serves what is due, and returns when there is more.
    public func turnEnded(now: MonotonicInstant) -> MonotonicInstant? {
        turnCount += 1
        followClock(now)
        loop.endPause(now)
        doChore(now)
        if let due = engine.nextDeadline, due <= time(now) { engine.advance(to: time(now)) }
        doWork(now)
        serveUpstreams(now)
        serveTouched(now)
        tap?.write()
        engine.save(at: time(now))
        // The calling threads continue once the clients can see what was done.
        if !answers.isEmpty, unserved.isEmpty || engine.isEmpty {
            for answer in answers { answer() }
            answers = []
        }
        if engine.isDrained, unserved.isEmpty { stop() }
        let stopsAt = loop.stopsAt
        if let stopsAt {
            if stopsAt <= now {
                engine.resetAll()
                repeat { serveTouched(now) } while !unserved.isEmpty
                tap?.write()
            }
            if engine.isEmpty { loop.events.stop() }
        }
        // What clients took may let upstreams send on.
        let rest = unserved.isEmpty && engine.touchedUpstreams.isEmpty ? nil : now
        let choreDue = stopsAt == nil ? chore?.due : nil
        let engineDue = engine.nextDeadline.map(loop.instant)
        let upstreamDue = proxy.nextDeadline.map(loop.instant)
        return .earliest(
            .earliest(rest, .earliest(engineDue, upstreamDue)), .earliest(loop.nextDeadline, choreDue))
    }

    /// Passes on what the engine and its upstreams have for each other, as far as a turn may take.
    private func serveUpstreams(_ now: MonotonicInstant) {
        guard proxy.isUsed || !engine.touchedUpstreams.isEmpty else { return }
        // What is left then, such as a client's many requests to a server that refuses each at once, has the next turn.
        for _ in 0..<8 {
            for side in engine.takeTouchedUpstreams() { proxy.touch(side, time(now)) }
            proxy.settle(time(now))
            if engine.touchedUpstreams.isEmpty { return }
        }
    }

    /// Before anything else in a turn, so that what arrives first after a night has the new date.
    private func followClock(_ now: MonotonicInstant) {
        let step = loop.clockStep(now)
        guard step != 0 else { return }
        engine.clockStepped(by: step, at: time(now))
        tap?.clockStepped(by: step)
    }

    private func doWork(_ now: MonotonicInstant) {
        guard let (work, stops) = inbox.take() else { return }
        for work in work { answers.append(work(engine, time(now))) }
        if stops { stop() }
    }

    private func doChore(_ now: MonotonicInstant) {
        guard let chore, chore.due <= now, loop.stopsAt == nil else { return }
        // From now, not from when it was due: after a pause of the process it runs once.
        self.chore?.due = now.advanced(by: chore.interval)
        chore.work(time(now))
    }

    func time(_ now: MonotonicInstant) -> Timestamp { loop.time(now) }
}
