import FitIQAPI
import FitIQBackend
import JSON

/// A point in a world's history to which it can rewind.
struct Mark: Sendable {
    let name: ExactString
    /// The number of the journal entry about the mark.
    let number: Int
    /// The world's date when the mark was set.
    let time: Timestamp
    let snapshot: World.Snapshot
    /// The size of the mark's stored data, in bytes of JSON.
    var bytes: Int { snapshot.backend.storedBytes }

    /// The maximum number of marks in a world.
    package static let most = 16
    /// The maximum length of a name in bytes.
    package static let nameBytes = 100

    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("name", name.text)
        writer.member("number", number)
        writer.member("time", time.nanosecondText)
        writer.member("bytes", bytes)
    }
}

/// The admin API's marks: points to which a world can rewind any number of times.
extension Engine {
    /// `GET /__admin/marks`: lists the marks, oldest first.
    func markList(_ call: AdminCall) -> Answer {
        .object { writer in
            writer.array("marks") { writer in
                for mark in call.world.live?.marks ?? [] { writer.object { mark.write(to: &$0) } }
            }
            writer.member("limit", Mark.most)
        }
    }

    /// `POST /__admin/marks`: saves the world's current state; returns nil if the request waits for a job.
    ///
    /// - Throws: A 400 for an invalid name, or a 507 if there are too many marks or the server's memory is full.
    func setMark(_ call: AdminCall) throws(APIError) -> Answer? {
        let (world, name) = (call.world, try call.body(keys: ["name"]).text("name", bytes: 1...Mark.nameBytes))
        let marks = world.live?.marks ?? []
        if let name, marks.contains(where: { $0.name == ExactString(name) }) { throw .markExists(name) }
        guard marks.count < Mark.most else { throw .tooManyMarks }
        enterDue(world, at: call.now)
        try worlds.room(of: nil).check(bringing: world.backend.storedBytes)
        return try copy(world.snapshot, of: world, with: world.settings, for: call) {
            (engine, snapshot, now) throws(APIError) in
            if world.live == nil { world.live = LiveControl() }
            let taken = Set(world.live?.marks.map(\.name.text) ?? [])
            let free = (1...).lazy.map { "mark-\($0)" }.first { !taken.contains($0) }
            let name = ExactString(name ?? free ?? "mark")
            world.setTime(now)
            engine.recorder.record(.note("mark \(name.text)"), at: world.turn.now, in: world)
            let mark = Mark(name: name, number: world.journal.lastNumber, time: world.turn.date, snapshot: snapshot)
            world.live?.marks.append(mark)
            world.written.marks += mark.bytes
            engine.worlds.accountStorage(of: world)
            return .object(.created) { mark.write(to: &$0) }
        }
    }

    /// `DELETE /__admin/marks/{name}`: removes a mark; throws 404 for an unknown name.
    func removeMark(_ call: AdminCall) throws(APIError) -> Answer {
        let place = try place(ofMark: call.parameter.text, in: call.world) { $0.name == call.parameter }
        removeMarks(place..<place + 1, of: call.world)
        worlds.accountStorage(of: call.world)
        return .noContent
    }

    private func place(ofMark name: String, in world: World, _ isMeant: (Mark) -> Bool) throws(APIError) -> Int {
        let marks = world.live?.marks ?? []
        guard let place = marks.firstIndex(where: isMeant) else { throw .unknownMark(name, known: marks) }
        return place
    }

    private func removeMarks(_ range: Range<Int>, of world: World) {
        guard let live = world.live, !range.isEmpty else { return }
        let removed = Array(live.marks[range])
        world.written.marks -= removed.reduce(0) { $0 + $1.bytes }
        discard(removed)
        world.live?.marks.removeSubrange(range)
    }

    /// `POST /__admin/rewind`: restores a mark's state, clock and faults; returns nil if the request waits for a job.
    ///
    /// Rewinding keeps the journal, drops later marks and ends all sockets. After rewinding, a world on the system's
    /// clock runs overdue events immediately.
    ///
    /// - Throws: A 400 for an invalid body, or a 404 for an unknown mark.
    func rewind(_ call: AdminCall) throws(APIError) -> Answer? {
        let (world, body) = (call.world, try call.body(keys: ["to", "sockets"]))
        let expected = "the name of a mark, or the number of its entry"
        let to = try body["to"].required("to", expected: expected)
        guard to.string != nil || to.int != nil else { throw .wrongType("to", expected: expected, got: to) }
        let place = try place(ofMark: to.string ?? "\(to.int ?? 0)", in: world) { mark in
            to.string.map { mark.name == ExactString($0) } ?? (mark.number == to.int)
        }
        let usual = world.settings.scenario.rules.onRewind ?? .close
        let name = try body.choice("sockets", of: SocketEnding.allCases.map(\.rawValue), usually: usual.rawValue)
        let ending = SocketEnding(rawValue: name) ?? usual
        guard let mark = world.live?.marks[place] else { preconditionFailure("The mark must exist.") }
        return try copy(mark.snapshot, of: world, with: mark.snapshot.settings, for: call) {
            (engine, snapshot, now) throws(APIError) in
            engine.goBack(world, to: mark, snapshot, endingSocketsWith: ending, at: now)
            return .ok(engine.describe(world, at: now))
        }
    }

    private func goBack(
        _ world: World, to mark: Mark, _ snapshot: World.Snapshot, endingSocketsWith ending: SocketEnding,
        at now: Timestamp
    ) {
        world.setTime(now)
        breakpoints.releaseAll(of: world, .ended, at: now)
        let reason = "The world returned to an earlier state"
        // Record the ends of sockets before the rewind.
        for connection in connections where connection.world === world && connection.isOpenSocket && !connection.isEcho
        {
            // Send held output before the end, so that it is in the journal.
            if connection.output.isHeld { release(connection, in: world, at: now, skippingWaits: true) }
            recorder.closed(connection, by: .server, .shutdown, message: reason)
            guard ending != .close, connection.isServed else { continue }
            drop(connection, ending == .reset ? .reset : .finish, in: world, at: now)
        }
        closeConnections(of: world, reason: reason, at: now)
        if world.isLargeToFree { discard([world.backend, world.replay, world.judge] as [any Sendable]) }
        world.goBack(to: snapshot, at: now)
        breakpoints.disableAbandoned(of: world)
        let marks = world.live?.marks ?? []
        removeMarks((marks.firstIndex { $0.number > mark.number } ?? marks.count)..<marks.count, of: world)
        recorder.record(
            .note("the world returned to mark \(mark.name.text), entry \(mark.number)"), at: world.turn.now, in: world)
        world.forgetEarlier()
        worlds.accountEverything(of: world)
        queueDeadline(of: world)
    }

    /// Copies a world's state (in a job if that takes a long time) and continues with the copy.
    ///
    /// - Returns: Nil if the request waits for a job.
    func copy(
        _ snapshot: World.Snapshot, of world: World, with settings: WorldSettings, for call: AdminCall,
        then: @escaping (Engine, World.Snapshot, Timestamp) throws(APIError) -> Answer
    ) throws(APIError) -> Answer? {
        guard startJob != nil, snapshot.backend.storedBytes > Engine.largestWorkOnLoop else {
            return try then(self, snapshot.copied(with: settings), call.now)
        }
        let awaited = awaitJob(for: call.exchange)
        let original = Parcel(snapshot)
        stand(world)
        runJob(at: call.now) {
            // Move the value out, so that the world's values have one owner again after the job.
            original.take().copied(with: settings)
        } then: { engine, copied, now in
            let result = Result { () throws(APIError) in try then(engine, copied.take(), now) }
            engine.conclude(awaited, with: result, at: now)
            engine.resume(world, at: now)
        }
        return nil
    }

    // MARK: Forks

    /// `POST /__admin/fork`: creates a world with this world's current state, but none of its sockets.
    ///
    /// - Returns: Nil if the request waits for a job.
    /// - Throws: A 400 for an invalid body, 503 while the server is draining, or 507 if another world exceeds a limit.
    func makeFork(_ call: AdminCall) throws(APIError) -> Answer? {
        let (world, body) = (call.world, try call.body(keys: ["judged", "label"]))
        let (isJudged, label) = (try body.flag("judged") ?? false, try body.label())
        try checkPlaceForWorld()
        enterDue(world, at: call.now)
        try worlds.room(of: nil).check(bringing: world.storedBytes)
        let number = worlds.serial + 1
        worlds.serial = number
        let id = WorldID(number, of: configuration.node)
        let old = world.settings
        var settings = configuration.settings(
            ofWorld: id, old.scenario, guide: old.mode, seed: old.seed, clock: old.clock)
        (settings.pace, settings.requestedScenario) = (old.pace, old.requestedScenario)
        settings.label = label ?? old.label
        return try copy(world.snapshot, of: world, with: settings, for: call) {
            (engine, snapshot, now) throws(APIError) in
            do throws(APIError) {
                try engine.checkPlaceForWorld()
                try engine.worlds.room(of: nil).check(bringing: snapshot.backend.storedBytes)
            } catch {
                if engine.worlds.serial == number { engine.worlds.serial -= 1 }
                throw error
            }
            let fork = World(id: id.text, number: number, continuing: world, from: snapshot, at: now)
            for socket in engine.openSockets(of: world) { fork.recordLostSocket(socket.number) }
            if isJudged, fork.judge == nil { fork.beginJudging() }
            fork.issueRefreshToken()
            engine.add(fork, id, at: now)
            engine.breakpoints.disableAbandoned(of: fork)
            engine.worlds.accountJournal(of: fork)
            return Answer(
                status: .created, body: engine.describe(fork, at: now, forkedFrom: world.name),
                fields: [.location: "/__admin/worlds/\(fork.name)"])
        }
    }
}
