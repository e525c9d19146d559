import FitIQAPI
import FitIQBackend
import JSON
import Text

/// A point in a world's life to which it can go back.
struct Mark: Sendable {
    let name: ExactString
    /// The number of the journal's entry about it.
    let number: Int
    /// By the world's clock.
    let time: Timestamp
    let snapshot: World.Snapshot
    /// The bytes of JSON that it keeps.
    var bytes: Int { snapshot.backend.storedBytes }

    /// How many a world has at most.
    package static let most = 16
    /// The longest name in bytes.
    package static let nameBytes = 100

    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("name", name.text)
        writer.member("number", number)
        writer.member("time", time.nanosecondText)
        writer.member("bytes", bytes)
    }
}

/// The admin API's marks: a world goes back to them, as often as it is asked to.
extension Engine {
    /// `GET /__admin/marks`: the oldest first.
    func markList(of world: World) -> Answer {
        .object { writer in
            writer.array("marks") { writer in
                for mark in world.live?.marks ?? [] { writer.object { mark.write(to: &$0) } }
            }
            writer.member("limit", Mark.most)
        }
    }

    /// `POST /__admin/marks`: keeps the world as it is now; nil if the request waits for a job.
    ///
    /// - Throws: 400 for a bad name, 507 if there are as many marks, or no room for another one.
    func setMark(in world: World, _ exchange: Exchange) throws(APIError) -> Answer? {
        let body = try AdminBody(exchange.body, keys: ["name"])
        let marks = world.live?.marks ?? []
        let name = try body.text("name", expected: "a name of 1 to \(Mark.nameBytes) bytes").map(ExactString.init(_:))
        if let name {
            guard !name.isEmpty else { throw .wrongLength("name", allowed: 1...Mark.nameBytes, got: 0) }
            guard name.utf8.count <= Mark.nameBytes else {
                throw .tooManyBytes("name", limit: Mark.nameBytes, got: name.utf8.count)
            }
            guard !marks.contains(where: { $0.name == name }) else { throw .markIsThere(name.text) }
        }
        guard marks.count < Mark.most else { throw .tooManyMarks }
        enterDue(world, at: exchange.now)
        try worlds.room(of: nil).check(bringing: world.backend.storedBytes)
        return try copy(world.snapshot, of: world, with: world.settings, for: exchange) {
            (engine, snapshot, now) throws(APIError) in
            let taken = Set(world.live?.marks.map(\.name) ?? [])
            let free = (1...).lazy.map { ExactString("mark-\($0)") }.first { !taken.contains($0) }
            let name = name ?? free ?? "mark"
            world.setTime(now)
            engine.recorder.record(.note("mark \(name.text)"), at: world.turn.now, in: world)
            let mark = Mark(
                name: name, number: world.journal.lastNumber, time: world.turn.now, snapshot: snapshot)
            world.addMark(mark)
            engine.worlds.accountStorage(of: world)
            return .object(.created) { mark.write(to: &$0) }
        }
    }

    /// `DELETE /__admin/marks/{name}`; 404 for an unknown name.
    func removeMark(_ name: ExactString, of world: World) throws(APIError) -> Answer {
        guard let place = world.live?.marks.firstIndex(where: { $0.name == name }) else {
            throw .unknownMark(name.text, known: world.live?.marks ?? [])
        }
        discard(world.removeMarks(from: place, to: place + 1))
        worlds.accountStorage(of: world)
        return .noContent
    }

    /// `POST /__admin/rewind`: brings back the state, the clock and the faults of a mark; nil if it waits for a job.
    ///
    /// The journal continues, later marks are dropped, and sockets end. On the system's clock what is overdue then
    /// happens at once.
    ///
    /// - Throws: 400 for a bad body, 404 for an unknown mark.
    func rewind(_ world: World, _ exchange: Exchange) throws(APIError) -> Answer? {
        let body = try AdminBody(exchange.body, keys: ["to", "sockets"])
        let expected = "the name of a mark, or the number of its entry"
        guard let to = body["to"] else { throw .missingField("to", expected: expected) }
        guard to.string != nil || to.int != nil else { throw .wrongType("to", expected: expected, got: to) }
        let marks = world.live?.marks ?? []
        let place = marks.firstIndex { mark in
            to.string.map { mark.name == ExactString($0) } ?? (mark.number == to.int)
        }
        guard let place else { throw .unknownMark(to.string ?? "\(to.int ?? 0)", known: marks) }
        let endings = ["close", "finish", "reset"]
        let sockets = try body.text("sockets", expected: "one of close, finish, reset") ?? "close"
        guard endings.contains(sockets) else { throw .unknownChoice("sockets", got: sockets, allowed: endings) }
        let mark = marks[place]
        return try copy(mark.snapshot, of: world, with: mark.snapshot.settings, for: exchange) {
            (engine, snapshot, now) throws(APIError) in
            engine.goBack(world, to: mark, snapshot, endingSocketsWith: sockets, at: now)
            return .ok(engine.describe(world, at: now))
        }
    }

    private func goBack(
        _ world: World, to mark: Mark, _ snapshot: World.Snapshot, endingSocketsWith ending: String, at now: Timestamp
    ) {
        world.setTime(now)
        releaseAll(of: world, .ended, at: now)
        let reason = "The world went back to an earlier state"
        // Their ends are recorded first: the journal goes on.
        for connection in connections where connection.world === world && connection.isOpenSocket && !connection.isEcho
        {
            recorder.closed(connection, by: .server, .shutdown, message: reason)
            guard ending != "close", connection.isServed else { continue }
            drop(connection, ending == "reset" ? .reset : .finish, in: world, at: now)
            if connection.output.isHeld { release(connection, in: world, at: now, skippingWaits: true) }
        }
        closeConnections(of: world, reason: reason, at: now)
        if world.isLargeToFree { discard([world.backend, world.replay, world.judge] as [any Sendable]) }
        world.goBack(to: snapshot, at: now)
        disableAbandonedBreakpoints(of: world)
        let later = world.live?.marks.firstIndex { $0.number > mark.number }
        if let later { discard(world.removeMarks(from: later, to: world.live?.marks.count ?? later)) }
        recorder.record(
            .note("the world went back to mark \(mark.name.text), entry \(mark.number)"), at: world.turn.now, in: world)
        world.forgetEarlier()
        worlds.accountEverything(of: world)
        queueDeadline(of: world)
    }

    /// Copies what a world holds, off the loop if that takes long, and continues with the copy.
    ///
    /// - Returns: The answer; nil if the request waits for a job.
    func copy(
        _ snapshot: World.Snapshot, of world: World, with settings: WorldSettings, for exchange: Exchange,
        then: @escaping (Engine, World.Snapshot, Timestamp) throws(APIError) -> Answer
    ) throws(APIError) -> Answer? {
        guard startJob != nil, snapshot.backend.storedBytes > Engine.largestWorkOnLoop else {
            return try then(self, snapshot.copied(with: settings), exchange.now)
        }
        let awaited = awaitJob(for: exchange)
        let original = Parcel(snapshot)
        stand(world)
        beside(at: exchange.now) {
            // Taken out, so that the world's values have one owner again when the job is done.
            original.take().copied(with: settings)
        } then: { engine, copied, now in
            let result = Result { () throws(APIError) in try then(engine, copied.take(), now) }
            engine.conclude(awaited, with: result, at: now)
            engine.resume(world, at: now)
        }
        return nil
    }

    // MARK: Forks

    /// `POST /__admin/fork`: a new world that continues from the present state of this one, without its sockets.
    ///
    /// - Returns: The answer; nil if the request waits for a job.
    /// - Throws: 400 for a bad body, 507 if there is no room for another world.
    func makeFork(of world: World, _ exchange: Exchange) throws(APIError) -> Answer? {
        let isJudged = try AdminBody(exchange.body, keys: ["judged"]).flag("judged") ?? false
        guard hasPlaceForWorld else { throw .tooManyWorlds(limit: limits.worlds) }
        enterDue(world, at: exchange.now)
        try worlds.room(of: nil).check(bringing: world.storedBytes)
        let number = worlds.serial + 1
        worlds.serial = number
        let old = world.settings
        var settings = configuration.settings(
            ofWorld: number, old.scenario, guide: old.mode, seed: old.seed, clock: old.clock)
        settings.pace = old.pace
        return try copy(world.snapshot, of: world, with: settings, for: exchange) {
            (engine, snapshot, now) throws(APIError) in
            do throws(APIError) {
                guard engine.hasPlaceForWorld else { throw .tooManyWorlds(limit: engine.limits.worlds) }
                try engine.worlds.room(of: nil).check(bringing: snapshot.backend.storedBytes)
            } catch {
                if engine.worlds.serial == number { engine.worlds.serial -= 1 }
                throw error
            }
            let fork = World(number: number, continuing: world, from: snapshot, at: now)
            for connection in engine.connections {
                guard let number = connection.socketNumber(in: world) else { continue }
                fork.recordLostSocket(number)
            }
            if isJudged, fork.judge == nil { fork.beginJudging() }
            engine.add(fork, at: now)
            engine.disableAbandonedBreakpoints(of: fork)
            engine.worlds.accountJournal(of: fork)
            return Answer(
                status: .created, body: engine.describe(fork, at: now, forkedFrom: world.name),
                fields: [.location: "/__admin/worlds/\(fork.name)"])
        }
    }
}

extension World {
    fileprivate func addMark(_ mark: Mark) {
        if live == nil { live = LiveControl() }
        live?.marks.append(mark)
        written.marks += mark.bytes
    }

    fileprivate func removeMarks(from start: Int, to end: Int) -> [Mark] {
        let removed = Array(live?.marks[start..<end] ?? [])
        live?.marks.removeSubrange(start..<end)
        written.marks -= removed.reduce(0) { $0 + $1.bytes }
        return removed
    }
}

extension APIError {
    static let tooManyMarks = APIError(
        .insufficientStorage, .storeFull,
        "This world has \(Mark.most) marks, which is the limit; delete some with DELETE /__admin/marks/{name}.")

    static func markIsThere(_ name: String) -> APIError {
        .invalid("This world has a mark \(name.quoted(limit: 60)) already; delete it, or choose another name.")
    }

    static func unknownMark(_ name: String, known: [Mark]) -> APIError {
        let list = known.map { "\($0.name.text.quoted(limit: 60)) (entry \($0.number))" }
        let marks = known.isEmpty ? "it has none; set one with POST /__admin/marks" : Words.list(list)
        return APIError(.notFound, .notFound, "This world has no mark \(name.quoted(limit: 60)): \(marks).")
    }
}
