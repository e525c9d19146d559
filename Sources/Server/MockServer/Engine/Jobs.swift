import FitIQAPI
import FitIQBackend
import HTTP1

/// The unfinished jobs, and values for a job to free.
struct Jobs {
    private var serial = 0
    /// The continuation of each job, by its number.
    private var unfinished: [Int: (Engine, any Sendable, Timestamp) -> Void] = [:]
    /// The bytes of requests that jobs hold, even if their clients have left.
    var heldBytes = 0
    /// Values that a job frees when the turn ends.
    var discarded: [any Sendable] = []

    mutating func add(_ then: @escaping (Engine, any Sendable, Timestamp) -> Void) -> Int {
        serial += 1
        unfinished[serial] = then
        return serial
    }

    mutating func finish(_ number: Int) -> ((Engine, any Sendable, Timestamp) -> Void)? {
        unfinished.removeValue(forKey: number)
    }
}

struct AwaitedAnswer {
    let head: RequestHead
    let connection: ConnectionID
    let jobBytes: Int
    let envelope: ((Answer) -> Answer)?
}

/// Work for ``Engine/startJob``: any thread may run the work, and must pass the result to ``Engine/finish(_:at:)``.
public struct Job: Sendable {
    let number: Int
    let work: @Sendable () -> any Sendable

    public func run() -> Result { Result(number: number, value: work()) }

    public struct Result: Sendable {
        let number: Int
        let value: any Sendable
    }
}

/// Jobs: slow work runs on another thread as a function of values, and its result is another input for the engine.
extension Engine {
    /// Runs work as a job, and continues with its result on the loop; if nothing starts jobs, does both immediately.
    ///
    /// - Parameters:
    ///   - isSaving: Whether ``startSaving`` starts the job instead of ``startJob``.
    ///   - work: A function of values, which runs on another thread, one job after another.
    ///   - then: Receives the engine, the result and the time; never called if the host ends first.
    public func runJob<Value: Sendable>(
        at now: Timestamp, isSaving: Bool = false, _ work: @escaping @Sendable () -> Value,
        then: @escaping (Engine, Parcel<Value>, Timestamp) -> Void
    ) {
        guard let startJob = isSaving ? startSaving : startJob else { return then(self, Parcel(work()), now) }
        let number = jobs.add { engine, value, now in
            guard let parcel = value as? Parcel<Value> else {
                preconditionFailure(
                    "A job must return its own kind of result.")
            }
            then(engine, parcel, now)
        }
        startJob(Job(number: number) { Parcel(work()) })
    }

    public func finish(_ result: Job.Result, at now: Timestamp) {
        guard let then = jobs.finish(result.number) else { return }
        then(self, result.value, now)
    }

    /// Frees a value in a job; the engine has to drop its own reference before the turn ends.
    func discard(_ value: some Sendable) {
        if startJob != nil { jobs.discarded.append(value) }
    }

    /// Starts a job that frees the discarded values, which have no other references at the end of the turn.
    func freeDiscarded() {
        guard !jobs.discarded.isEmpty, let startJob else { return }
        let parcel = Parcel(jobs.discarded)
        jobs.discarded = []
        startJob(Job(number: 0) { _ = parcel.take() })
    }

    /// The maximum number of bytes to read, write or free on the loop; this many bytes take about a millisecond.
    static let largestWorkOnLoop = 64 * 1024

    /// Makes a request wait for a job, which holds `bytes` of the request even if the client leaves.
    func awaitJob(for exchange: Exchange, holding bytes: Int = 0) -> AwaitedAnswer {
        exchange.connection.waiting = .forJob
        jobs.heldBytes += bytes
        account(exchange.connection)
        return AwaitedAnswer(
            head: exchange.head, connection: exchange.connection.id, jobBytes: bytes, envelope: exchange.envelope)
    }

    /// The connection of a request whose job is done, ready for an answer; nil if its client has left.
    private func resumeConnection(of awaited: AwaitedAnswer, at now: Timestamp) -> Connection? {
        jobs.heldBytes -= awaited.jobBytes
        guard let connection = connection(of: awaited) else { return nil }
        connection.waiting = nil
        touch(connection)
        guard connection.isServed else { return nil }
        lendOutput(to: connection)
        arm(connection, .idle, after: patience.idle, at: now)
        return connection
    }

    /// Answers a request whose job is done, and serves the following requests; does nothing if the client has left.
    func conclude(_ awaited: AwaitedAnswer, with result: Result<Answer, APIError>, at now: Timestamp) {
        guard let connection = resumeConnection(of: awaited, at: now) else { return }
        enter(defaultWorld, at: now)
        var answer: Answer
        do throws(APIError) {
            answer = try result.get()
            if connection.isSecure { origins.secure(&answer) }
        } catch {
            answer = Answer(error, in: .union)
        }
        if let envelope = awaited.envelope { answer = envelope(answer) }
        let outer = answering
        answering = connection
        reply(answer, from: answer.source, to: awaited.head, in: defaultWorld, on: connection, at: now)
        answering = outer
        readFurtherRequests(of: connection, at: now)
    }

    /// Makes a value for an API request: immediately if that is little work, otherwise in a job.
    ///
    /// The world pauses during the job, so that its events keep their order. The engine then serves the request again,
    /// now with the value available.
    ///
    /// - Parameter time: The time by the world's clock.
    /// - Returns: Nil if the request waits for a job.
    func make<Value>(_ deferred: Deferred<Value>, for exchange: Exchange, at time: Timestamp) -> Value? {
        if let made = exchange.made as? Value { return made }
        guard isJob(deferred) else { return deferred.make() }
        makeInJob(deferred, for: exchange, at: time) { _, value in value }
        return nil
    }

    func isJob<Value>(_ deferred: Deferred<Value>) -> Bool {
        startJob != nil && deferred.cost > Self.largestWorkOnLoop
    }

    /// Makes a value in a job, during which the world pauses; `then` turns the value into the one that the request finds.
    func makeInJob<Value>(
        _ deferred: Deferred<Value>, for exchange: Exchange, at time: Timestamp,
        then: @escaping (Engine, Value) -> any Sendable
    ) {
        let (world, awaited) = (exchange.world, awaitJob(for: exchange, holding: exchange.body.count))
        exchange.requestedAt = exchange.requestedAt ?? time
        pause(world)
        // Move the value out, so that the world's values have one owner again after the job.
        let parcel = Parcel(deferred)
        runJob(at: exchange.now) {
            parcel.take().make()
        } then: { engine, value, now in
            exchange.made = then(engine, value.take())
            engine.resume(world, at: now)
            (exchange.now, exchange.isReleased) = (now, true)
            engine.enter(world, at: now)
            engine.applyEffects(of: world, at: now)
            guard let connection = engine.resumeConnection(of: awaited, at: now) else {
                return engine.recorder.record(.exchange(exchange.abandoned), on: exchange.connection, in: world)
            }
            engine.process(exchange)
            engine.readFurtherRequests(of: connection, at: now)
        }
    }

    /// Answers with a body that is made here or in a job; nil if the request waits for the job.
    func answer(_ exchange: Exchange, with body: Deferred<[UInt8]>, at time: Timestamp) -> Answer? {
        make(body, for: exchange, at: time).map(Answer.ok)
    }

    /// The connection that is still waiting for an answer; nil if its client has left.
    func connection(of awaited: AwaitedAnswer) -> Connection? {
        guard let connection = self[awaited.connection], connection.waiting == .forJob else { return nil }
        return connection
    }

    /// Serves requests that arrived on a connection while it was waiting.
    func readFurtherRequests(of connection: Connection, at now: Timestamp) {
        account(connection)
        guard connection.hasWaitingRequests, !isReadingPaused(connection), connection.ending == .none else { return }
        readRequests(of: connection, at: now)
        account(connection)
    }

    /// Whether a job may use this much memory; all jobs together must leave a quarter of the limit free, because jobs
    /// cannot be ended.
    func hasRoom(forJobOf bytes: Int) -> Bool { jobs.heldBytes == 0 || jobs.heldBytes + bytes <= limits.jobBytes }

    // MARK: Paused worlds

    /// Pauses a world until ``resume(_:at:)``.
    func pause(_ world: World) {
        world.pause = WorldPause()
        touchSockets(of: world)
    }

    /// Resumes a world; ``resumeConnections(at:)`` then serves waiting connections in order of arrival.
    func resume(_ world: World, at now: Timestamp) {
        guard let pause = world.pause else { return }
        world.pause = nil
        for socket in pause.closedSockets { world.backend.closeSocket(socket) }
        if worlds.contains(world) { queueDeadline(of: world) }
        touchSockets(of: world)
        for connection in connections
        where connection.world === world && (!connection.unreadFrames.isEmpty || connection.upstream?.hasNews == true) {
            resumed.append(connection.id)
        }
        resumed += pause.connections
        wakeStreams()
    }

    /// Serves some of the connections that were waiting for worlds that have resumed.
    func resumeConnections(at now: Timestamp) {
        guard !resumed.isEmpty else { return }
        let turn = resumed.prefix(Self.resumedInTurn)
        resumed.removeFirst(turn.count)
        for id in turn {
            guard let connection = self[id] else { continue }
            if !connection.input.isEmpty { network.arrive(on: connection, at: now) }
            if connection.speaks == .webSocket {
                // If the world is paused again, ``resume(_:at:)`` will find the connection again.
                if connection.world?.isPaused != true, connection.heldEvent == nil {
                    receiveUnreadFrames(of: connection, at: now)
                }
                upstreams.resume(connection, at: now)
            } else if connection.waiting == .forUpstream {
                upstreams.resume(connection, at: now)
            } else if connection.waiting == .forWorld {
                connection.waiting = nil
                touch(connection)
                guard connection.isServed else { continue }
                lendOutput(to: connection)
                routeRequest(of: connection, at: now)
                readFurtherRequests(of: connection, at: now)
            }
        }
    }

    /// The number of connections to serve in a loop turn, each with one request or one read by the host.
    private static let resumedInTurn = 16

    /// Touches a world's sockets, so that the transport checks whether to read from them.
    private func touchSockets(of world: World) {
        for connection in connections where connection.world === world && connection.speaks == .webSocket {
            touch(connection)
        }
    }
}
