import FitIQAPI
import JSON
import Scenarios
import Traffic

/// The admin API's time: clocks, and tokens whose lifetime follows a clock.
extension AdminCall {
    /// `GET /__admin/clock`: returns the world's time, and the events that are due next.
    func showClock() -> Answer { .object { $0.writeClock(of: world, in: engine, at: now) } }

    /// `POST /__admin/clock`: moves the clock, runs each event when it becomes due, and then answers.
    func advanceClock() throws(APIError) -> Answer {
        let body = try body(keys: ["advance", "advance_to", "advance_until", "within", "optional"])
        guard world.clock.manualTime != nil else { throw .realClock }
        let move = try ClockMove(of: world, in: engine, body)
        // The move starts immediately unless another move is in progress, so that the client gets errors immediately.
        if world.clockMove == nil { try move.begin() }
        return Answer(move)
    }

    /// `POST /__admin/tokens`: issues a token for any user; the token's lifetime follows the world's clock.
    func makeToken() throws(APIError) -> Answer {
        let body = try body(keys: ["user", "expires_in"])
        let user = try body.text("user", expected: "a user id of 1 to 200 characters") ?? world.defaultUser.text
        guard user.utf8.count <= AccessToken.userBytes else {
            throw .tooManyBytes("user", limit: AccessToken.userBytes, got: user.utf8.count)
        }
        guard AccessToken.isUser(user) else {
            throw .wrongLength("user", allowed: AccessToken.userLength, got: user.count)
        }
        let lifetime = try body.duration("expires_in").map {
            world.date(of: world.clock.now(now)).advanced(byNanoseconds: $0).secondsSinceEpoch
        }
        let expiry = lifetime ?? world.tokenExpiry
        return .object(.created) { writer in
            writer.member("token", world.token(for: ExactString(user), expiresAt: expiry))
            writer.member("user", user)
            writer.member("expires_at", DateTime(secondsSinceEpoch: expiry).wireText)
        }
    }
}

extension JSONWriter {
    /// Writes a clock's mode and time, and the events that are due next.
    fileprivate mutating func writeClock(of world: World, in engine: Engine, at now: Timestamp) {
        member("mode", world.clock.manualTime == nil ? "real" : "manual")
        member("now", world.date(of: world.clock.now(now)).nanosecondText)
        member("next_step", orNull: world.nextStep.map { world.date(of: $0).nanosecondText })
        let (due, count) = DueEvent.all(in: world, of: engine)
        objects("due", due.prefix(AdminLimits.due)) { writer, event in
            writer.member("time", world.date(of: event.time).nanosecondText)
            writer.member("what", event.what)
            writer.member("consultation", ifPresent: event.consultation)
            writer.member("connection", ifPresent: event.connection.map { Int(clamping: $0) })
            writer.member("held", ifPresent: event.held)
        }
        member("due_count", count)
    }
}

/// An upcoming event in a world.
private struct DueEvent {
    let time: Timestamp
    let what: String
    var consultation: ResourceID?
    var connection: UInt64?
    /// The number of the held item.
    var held: Int?

    /// A world's upcoming events in chronological order; for a replayed session, only the next step.
    static func all(in world: World, of engine: Engine) -> (due: [DueEvent], count: Int) {
        var due: [DueEvent] = []
        var hidden = 0
        if let replay = world.replay {
            due = replay.player.nextDeadline.map { [DueEvent(time: $0, what: "replay")] } ?? []
        } else {
            let (steps, count) = world.backend.due(limit: AdminLimits.due)
            due = steps.map { step in
                let connection = step.socket.flatMap { engine[ConnectionID($0)] }?.record.number?.number
                return DueEvent(
                    time: step.time, what: step.what.rawValue, consultation: step.consultation, connection: connection)
            }
            hidden = count - due.count
        }
        if world.heldOutputs.next != nil {
            for connection in engine.connections where connection.world === world {
                for (time, what) in [
                    (connection.queuedRelease, "output"), (connection.silencedUntil, "silence"),
                    (connection.pings.due, "ping"),
                ] {
                    guard let time else { continue }
                    due.append(DueEvent(time: time, what: what, connection: connection.record.number?.number))
                }
            }
        }
        for thing in world.live?.holds.things ?? [] {
            let connection = engine[thing.connection]?.record.number?.number
            due.append(DueEvent(time: thing.until, what: "held", connection: connection, held: thing.number))
        }
        due.sort { ($0.time, $0.connection ?? 0, $0.held ?? 0) < ($1.time, $1.connection ?? 0, $1.held ?? 0) }
        return (due, due.count + hidden)
    }
}

/// Moves a manual clock a few steps at a time, because a move may run a year's worth of answers and meals.
///
/// Another move of the same clock waits until this move ends. A reset ends a move early. A client can also end its move
/// early by closing the connection, and the clock then stays at its current time.
final class ClockMove: BodySource {
    private unowned let engine: Engine
    private let world: World
    /// The span of the move in nanoseconds; nil if the move has a target time.
    private let span: Int64
    private let time: Timestamp?
    /// The entry that ends the move; nil for a move by a duration or to a time.
    private let query: JournalQuery?
    private var lookout: JournalLookout?
    /// Whether a move that finds no match gets an answer instead of a refusal.
    private let isOptional: Bool
    /// The start time and the target of the clock; nil before the move begins.
    private var start, target: Timestamp?
    /// Whether the last step moved the clock.
    private var hasMoved = true
    private var slow: Set<ConnectionID>?
    /// The number of events in a slice; each event takes at most a tenth of a millisecond.
    private static let steps = 16
    /// The default span of a search for an entry, in nanoseconds: 1 h.
    private static let usualSearch: Int64 = 3_600_000_000_000

    init(of world: World, in engine: Engine, _ body: AdminBody) throws(APIError) {
        (self.world, self.engine) = (world, engine)
        let isOpen = body["advance_until"] != nil
        guard isOpen || body["within"] == nil else { throw .withinWithoutCondition }
        isOptional = try body.flag("optional") ?? false
        guard ["advance", "advance_to", "advance_until"].count(where: { body[$0] != nil }) == 1 else {
            throw .clockWithoutAdvance
        }
        query = isOpen ? try JournalQuery(waitingFor: body["advance_until"], in: "advance_until") : nil
        span = try isOpen ? body.duration("within") ?? Self.usualSearch : body.duration("advance") ?? 0
        let time = body["advance_to"]
        self.time = time?.string.flatMap { Timestamp($0) }
        if let time, self.time == nil {
            let expected = "a time such as \"2025-01-29T10:31:00Z\", up to the year 2199"
            throw .dateTimeExpected("advance_to", expected: expected, got: time)
        }
    }

    /// Computes the target and records the move in the journal; throws 400 if the clock cannot reach the target.
    func begin() throws(APIError) {
        guard let start = world.clock.manualTime else { throw .realClock }
        guard time != nil || start.nanosecondsSinceEpoch + span <= Self.latest else { throw .clockTooFar }
        let target = time ?? start.advanced(byNanoseconds: span)
        guard target >= start else { throw .clockBackwards(start.nanosecondText) }
        guard target.nanoseconds(since: start) <= ScenarioLimits.longestDuration else { throw .clockTooFar }
        if var query {
            // The journal gets one entry for each step instead of one for the whole move.
            query.since = world.journal.lastNumber
            lookout = JournalLookout(query)
        } else {
            engine.recorder.recordAdvance(of: world, from: start, to: target)
        }
        (self.start, self.target) = (start, target)
        world.clockMove = self
    }

    /// The latest time of a clock: 2199-12-31T23:59:59Z, in nanoseconds since 1970.
    private static let latest = (WorldSettings.lastTokenExpiry - 1) * 1_000_000_000

    func fill(_ slice: inout BodySlice) throws(APIError) -> BodyProgress {
        try world.checkIsThere()
        // A job owns the world's content.
        guard !world.isPaused else { return .waiting }
        if target == nil {
            guard world.clockMove == nil else { return .waiting }
            try begin()
        }
        var found: JournalEntry?
        if let target, world.clockMove === self {
            guard move(to: target, &slice, &found) else { return .more }
            world.clockMove = nil
            engine.wakeStreams()
            if let lookout, found == nil, !isOptional {
                throw lookout.refusal(after: target.nanoseconds(since: start ?? target), in: world)
            }
        } else if query != nil {
            throw .resetWhileWaiting
        }
        slice.bytes += JSONWriter.object { writer in
            writer.writeClock(of: world, in: engine, at: slice.now)
            lookout?.write(found, to: &writer, in: world)
        }
        return .end
    }

    /// Whether steps remain before or at the target; many events may be due at the same time.
    private func isBefore(_ target: Timestamp) -> Bool {
        world.turn.now < target || world.nextStep.map { $0 <= target } ?? false
    }

    /// Moves the clock; a search for an entry moves the clock from one due event to the next.
    ///
    /// - Returns: Whether the move has ended; false if the slice is full.
    private func move(to target: Timestamp, _ slice: inout BodySlice, _ found: inout JournalEntry?) -> Bool {
        guard lookout != nil else {
            engine.advance(world, to: target, steps: Self.steps, slow: &slow, at: slice.now)
            if isBefore(target) { slice.spend(slice.bytesLeft) }
            return !isBefore(target)
        }
        while !slice.isFull {
            switch lookout?.next(in: world.journal) {
            case .found(let entry):
                found = entry
                return true
            case .passed(let cost): slice.spend(cost)
            case nil:
                guard let time = world.clock.manualTime, isBefore(target) else { return true }
                let due = engine.nextDue(ofWorld: world.name, at: slice.now) ?? target
                let next = min(max(due, time), target)
                engine.recorder.recordAdvance(of: world, from: time, to: next)
                // After a step that did not move the clock, run all steps that are due at this time.
                let steps = next > time || hasMoved ? 1 : Int.max
                hasMoved = next > time
                engine.advance(world, to: next, steps: steps, slow: &slow, at: slice.now)
                slice.spend(4096)
            }
        }
        return false
    }
}
