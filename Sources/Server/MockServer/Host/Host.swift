import FitIQAPI
import Hosting
import Proxy
import Sockets
import Synchronization
import TLS

/// The shell around the engine: sockets, threads and the clock.
///
/// Only the host has file descriptors and reads the clock. ``Engine`` implements all protocols.
public final class Host: SocketHost {
    public let loop: HostLoop
    public let engine: Engine

    /// The connections, indexed by the `place` in their ids.
    ///
    /// A connection's place is also its token in the loop.
    @exclusivity(unchecked) var transports: [Transport?] = []
    /// The work set by ``every(_:_:)``.
    @exclusivity(unchecked) private var chore: Chore?
    /// Lets other threads hand over work that needs the engine.
    let inbox = HostInbox()
    /// The answers for which other threads are waiting.
    @exclusivity(unchecked) private var answers: [HostInbox.Answer] = []
    /// The number of connections to serve in a turn; each takes a few microseconds.
    ///
    /// The limit applies to the connections touched in the turn, and again to connections left from earlier turns.
    @exclusivity(unchecked) var servedInTurn = 256
    /// The touched connections that are left for later turns.
    @exclusivity(unchecked) var unserved: ArraySlice<Connection> = []
    /// Observes all connections; set it before ``run()``.
    @exclusivity(unchecked) public var tap: (any Tap)?
    /// The number of loop turns so far; an idle server makes none.
    @exclusivity(unchecked) private(set) var turnCount = 0

    /// Connects the engine to real servers.
    private let upstreams: UpstreamHost
    /// Observes the connections to real servers; set it before ``run()``.
    public var upstreamTap: (any Tap)? {
        get { upstreams.tap }
        set { upstreams.tap = newValue }
    }

    /// Repeated work on the loop's thread.
    private struct Chore {
        let interval: Duration
        let work: (Timestamp) -> Void
        var due: MonotonicInstant
    }

    /// Opens the listeners; connections queue until the host runs.
    ///
    /// Both listeners share one engine, and therefore all state. The host sets the configuration's origins to the
    /// listeners' URLs, or to the public origin.
    ///
    /// - Throws: An error if the host cannot listen on an address, the system lacks descriptors, the certificate cannot
    ///   be used, or the host of ``Engine/Configuration/relayed`` cannot be resolved; `StartError.configuration` if the
    ///   scenario's data is inconsistent, or the relayed server is this one.
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
        upstreams = UpstreamHost(in: loop, trust: upstreamTrust, limits: configuration.relayLimits)
        if let url = configuration.relayed { try upstreams.resolve(url) }
        engine.reachesUpstreams = true
        upstreams.deliver = { [unowned engine] side, now in engine.receive(from: side, at: now) }
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
        flushTouched(now)
        if engine.isEmpty { loop.events.stop() }
    }

    /// Repeats work on the loop's thread until the server begins to stop; the work gets the engine's time.
    ///
    /// The work blocks everything else while it runs, and replaces earlier work. Call this before ``run()`` or on the
    /// loop's thread.
    public func schedule(every interval: Duration, _ work: @escaping (Timestamp) -> Void) {
        chore = Chore(interval: interval, work: work, due: .now().advanced(by: interval))
    }

    // MARK: Event loop callbacks

    public func readinessChanged(_ readiness: Readiness, now: MonotonicInstant) {
        followClock(now)
        if HostLoop.isListener(readiness.token) {
            loop.accept(readiness.token, now) { begin($0, at: $1, now) }
        } else if UpstreamHost.isUpstream(readiness.token) {
            upstreams.serve(readiness, at: time(now))
        } else {
            let place = Int(readiness.token)
            guard let transport = transports[place], let connection = engine.connection(transport.id) else { return }
            let isFinished = readiness.hangUp || readiness.error
            if readiness.readable || isFinished { read(transport, isFinished: isFinished, now) }
            if readiness.writable { engine.touch(connection) }
        }
        // The host sends the output when the turn ends, so that a peer with many connections wakes only once.
    }

    /// Does the work that is due, and returns the next deadline.
    public func turnEnded(now: MonotonicInstant) -> MonotonicInstant? {
        turnCount += 1
        followClock(now)
        loop.endPause(now)
        doChore(now)
        if let due = engine.nextDeadline, due <= time(now) { engine.advance(to: time(now)) }
        doWork(now)
        exchangeWithUpstreams(now)
        flushTouched(now)
        tap?.write()
        engine.save(at: time(now))
        // The calling threads continue once the clients can see the effects of their work.
        if !answers.isEmpty, unserved.isEmpty || engine.isEmpty {
            for answer in answers { answer() }
            answers = []
        }
        if engine.isDrained, unserved.isEmpty { stop() }
        let stopsAt = loop.stopsAt
        if let stopsAt {
            if stopsAt <= now {
                engine.resetAll()
                repeat { flushTouched(now) } while !unserved.isEmpty
                tap?.write()
            }
            if engine.isEmpty { loop.events.stop() }
        }
        // If clients have read output, upstreams may continue to send.
        let rest = unserved.isEmpty && engine.touchedUpstreams.isEmpty ? nil : now
        let choreDue = stopsAt == nil ? chore?.due : nil
        let engineDue = engine.nextDeadline.map(loop.instant)
        let upstreamDue = upstreams.nextDeadline.map(loop.instant)
        return .earliest(
            .earliest(rest, .earliest(engineDue, upstreamDue)), .earliest(loop.nextDeadline, choreDue))
    }

    /// Passes bytes between the engine and its upstreams, for a limited number of rounds.
    private func exchangeWithUpstreams(_ now: MonotonicInstant) {
        guard upstreams.isUsed || !engine.touchedUpstreams.isEmpty else { return }
        // Further rounds wait for the next turn. Many rounds may be needed if a client sends many requests to a server
        // that refuses each one immediately.
        for _ in 0..<8 {
            for side in engine.takeTouchedUpstreams() { upstreams.touch(side, time(now)) }
            upstreams.settle(time(now))
            if engine.touchedUpstreams.isEmpty { return }
        }
    }

    /// Follows a change to the system's clock; called first in a turn, so that even the first request after the machine
    /// wakes from sleep gets the new date.
    private func followClock(_ now: MonotonicInstant) {
        let step = loop.clockStep(now)
        guard step != 0 else { return }
        engine.clockStepped(by: step, at: time(now))
        tap?.clockStepped(by: step)
        upstreamTap?.clockStepped(by: step)
    }

    private func doWork(_ now: MonotonicInstant) {
        guard let (work, stops) = inbox.take() else { return }
        for work in work { answers.append(work(engine, time(now))) }
        if stops { stop() }
    }

    private func doChore(_ now: MonotonicInstant) {
        guard let chore, chore.due <= now, loop.stopsAt == nil else { return }
        // Count from now rather than from when the work was due, so that the work runs only once after the process was
        // paused.
        self.chore?.due = now.advanced(by: chore.interval)
        chore.work(time(now))
    }

    func time(_ now: MonotonicInstant) -> Timestamp { loop.time(now) }
}

/// Passes work from other threads to a host's thread, which is the only thread that may use the engine.
final class HostInbox: Sendable {
    typealias Answer = @Sendable () -> Void
    /// Work with the engine and the time; the engine is nil if the host has ended.
    typealias Work = @Sendable (Engine?, Timestamp) -> Answer

    private struct State {
        var work: [Work] = []
        var stops = false
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Adds work; returns false if the host has ended, so that the work will not run.
    func add(_ work: @escaping Work) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.work.append(work)
            return true
        }
    }

    /// Requests that the host stop once the work added so far is done.
    func requestStop() { state.withLock { $0.stops = true } }

    /// Removes and returns the work and the request to stop; nil if there is neither.
    func take() -> (work: [Work], stops: Bool)? {
        state.withLock { state in
            guard state.stops || !state.work.isEmpty else { return nil }
            defer { (state.work, state.stops) = ([], false) }
            return (state.work, state.stops)
        }
    }

    /// Refuses further work, and returns the work that did not run.
    func close() -> [Work] {
        state.withLock { state in
            defer { state = State(isClosed: true) }
            return state.work
        }
    }
}
