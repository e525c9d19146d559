import FitIQAPI
import FitIQBackend
import JSON
import Recording
import Replay
import Scenarios

/// Worlds for programs that have the server within them: what the admin API does, without HTTP.
extension Engine {
    /// How a world is reached, and what its client proves itself with.
    public struct WorldAccess: Sendable {
        /// Its id, for the calls below and in paths of the admin API.
        public let id: String
        /// Where REST paths begin, `http://127.0.0.1:8080/w/w1`.
        public let url: String
        /// The same for WebSockets, `ws://…`.
        public let webSocketURL: String
        /// A token of the scenario's first user, or of the development user, good for as long as the scenario says.
        public let token: String
        /// Another token of the same user, which stays good as long as there is the world.
        public let freshToken: String
        /// The `X-API-Key`.
        public let apiKey: String
        /// The tokens' user.
        public let user: String
        /// Whose answers the world gives.
        public let mode: GuideMode
        /// What time it is there.
        public let now: Timestamp
    }

    /// Makes a world; what is nil is as in the scenario, then as in the engine's configuration.
    ///
    /// - Parameters:
    ///   - judged: whether its client is judged from the beginning; else from the first call of ``judgement(ofWorld:at:)``.
    ///   - now: the system's time.
    /// - Throws: where the scenario's data does not fit together, or there is no room for another world.
    public func makeWorld(
        _ scenario: Scenario, guide: GuideMode? = nil, seed: UInt64? = nil, clock: ClockMode? = nil,
        judged: Bool = true, at now: Timestamp
    ) throws(APIError) -> WorldAccess {
        let world: World = try makeWorld(
            scenario, guide: guide, seed: seed, clock: clock, isJudged: judged, at: now)
        return access(to: world, at: now)
    }

    /// How a world is reached; nil where there is none with the id.
    ///
    /// The default one's id is `default`.
    public func access(toWorld id: String, at now: Timestamp) -> WorldAccess? {
        worlds.named(id).map { access(to: $0, at: now) }
    }

    /// Closes a world's sockets with 1001 and forgets it; nothing happens where there is none, or it is the default one.
    public func deleteWorld(_ id: String, at now: Timestamp) {
        if let world = worlds[ExactString(id)] { remove(world, reason: "The world was deleted", at: now) }
    }

    /// What time it was in a world when something last happened there; by a clock that is moved by hand, what it shows.
    public func time(ofWorld id: String) -> Timestamp? { worlds.named(id)?.turn.now }

    /// When something happens in a world without anybody's doing, by the world's clock; nil where nothing is due.
    ///
    /// That is its next step, or the time-out of one of its connections, whichever is earlier.
    public func nextDue(ofWorld id: String, at now: Timestamp) -> Timestamp? {
        guard let world = worlds.named(id) else { return nil }
        let time = world.clock.now(now)
        let shift = time.nanosecondsSinceEpoch - now.nanosecondsSinceEpoch
        var next = world.nextStep
        for connection in connections where connection.world === world {
            // Nobody's time runs while a fault holds back what they wait for.
            guard let deadline = connection.deadline, !connection.output.isHeld else { continue }
            let due = max(deadline.time.advanced(byNanoseconds: shift), time)
            next = next.map { min($0, due) } ?? due
        }
        return next
    }

    /// Moves the clock of a world, each thing that is due happening at its time; nothing happens where it is the system's.
    ///
    /// A time before the clock's is as if it were the clock's.
    ///
    /// - Parameters:
    ///   - now: the system's time.
    ///   - noted: whether the journal says so. Leave it out where the client's timers move too: to them, time just passes.
    public func advanceWorld(_ id: String, to time: Timestamp, at now: Timestamp, noted: Bool = false) {
        guard let world = worlds.named(id), let start = world.clock.manualTime else { return }
        if noted { noteAdvance(of: world, from: start, to: time) }
        advance(world, to: max(time, start), at: now)
    }

    /// Whether a world has a clock that is moved by hand; false where there is no such world.
    public func hasManualClock(world id: String) -> Bool { worlds.named(id)?.clock.manualTime != nil }

    /// Puts a fault of a world in force, or out of it, also for sockets that are open.
    ///
    /// - Throws: 404 where there is no such world, or no fault of the name.
    public func setFault(_ name: String, isEnabled: Bool, ofWorld id: String) throws(APIError) {
        guard let world = worlds.named(id) else { throw .unknownWorld(id) }
        let (rule, names) = (ExactString(name), world.faults.rules.map(\.rule.name))
        guard names.contains(rule) else { throw .unknownFault(name, known: names.map(\.text)) }
        setFault(rule, of: world, isEnabled: isEnabled)
    }

    /// What is found of a world's client so far; nil where there is no such world.
    ///
    /// - Parameter now: the system's time, where time without events counts: what is overdue by then is a breach.
    public func judgement(ofWorld id: String, at now: Timestamp? = nil) -> Judgement? {
        worlds.named(id).map { $0.judgement(at: now.map($0.clock.now) ?? $0.turn.now) }
    }

    /// A world's journal from the entry after the given number, as NDJSON; empty where there is no such world.
    public func journalLines(ofWorld id: String, after number: Int = 0) -> [UInt8] {
        worlds.named(id)?.journalLines(after: number) ?? []
    }

    /// A world's journal from the entry after the given number; empty where there is no such world.
    public func journalEntries(ofWorld id: String, after number: Int = 0) -> [JournalEntry] {
        worlds.named(id).map { Array($0.journal.entries(after: number)) } ?? []
    }

    /// A number that grows with every byte that is read or written on a world's connections, and when one ends.
    ///
    /// While it stands, nothing goes on between the world and its clients; 0 where there is no such world.
    public func activity(ofWorld id: String) -> UInt64 { worlds.named(id)?.activity ?? 0 }

    private func access(to world: World, at now: Timestamp) -> WorldAccess {
        let settings = world.settings
        return WorldAccess(
            id: world.id ?? World.defaultID, url: settings.origin, webSocketURL: settings.webSocketOrigin,
            token: world.token, freshToken: world.freshToken, apiKey: settings.apiKey, user: world.defaultUser.text,
            mode: settings.mode, now: world.clock.now(now))
    }
}

/// What the person at the keyboard needs to know of a server.
extension Engine {
    /// A token that the default world accepts, good for as long as its scenario says.
    public var token: String { defaultWorld.token }

    /// The scenario that the default world follows.
    public var scenario: Scenario { defaultWorld.settings.scenario }

    /// What the default world's clock shows where it is moved by hand; nil where it is the system's.
    public var manualTime: Timestamp? { defaultWorld.clock.manualTime }
}

extension Engine {
    /// What a world has stored of a consultation, oldest first, without a request; empty where there is no such consultation.
    public func storedMessages(ofConsultation consultation: String, inWorld id: String) -> [Message] {
        worlds.named(id)?.backend.history(ofConsultation: consultation) ?? []
    }
}

extension Engine {
    /// What became of the session that a world plays back.
    public struct ReplayOutcome: Sendable {
        /// What was served, and what was not as it was recorded.
        public let report: ReplayReport
        /// How it is played back.
        public let settings: ReplaySettings

        /// Whether what was not as it was recorded fails a run.
        public var isStrict: Bool { settings.match == .strict }

        /// What was not as it was recorded, a sentence each, the first ten of each kind; empty where everything was.
        public var failures: [String] {
            var failures = report.unexpected.prefix(Self.shown).map(\.message)
            add(report.unexpectedCount, "request", "was not expected", to: &failures)
            failures += report.neverAsked.prefix(Self.shown).map { request in
                "Nobody asked for recorded request \(request.entry), \(request.method) \(request.target)."
            }
            add(report.neverAskedCount, "recorded request", "was never asked for", to: &failures)
            failures += report.frameMisses.prefix(Self.shown).map(\.message)
            add(report.frameMissCount, "frame", "was not expected", to: &failures)
            if report.framesNeverSent > 0 {
                failures.append(Self.count(report.framesNeverSent, "recorded frame", "was never sent"))
            }
            return failures
        }

        private static let shown = 10

        private func add(_ count: Int, _ noun: String, _ predicate: String, to failures: inout [String]) {
            if count > Self.shown { failures.append(Self.count(count, noun, predicate)) }
        }

        /// A sentence such as `12 frames were not expected in all.`.
        private static func count(_ count: Int, _ noun: String, _ predicate: String) -> String {
            count == 1 ? "1 \(noun) \(predicate)." : "\(count) \(noun)s were\(predicate.dropFirst(3)) in all."
        }
    }

    /// What became of the session that a world plays back so far; nil where it plays none, or there is no such world.
    public func replayOutcome(ofWorld id: String) -> ReplayOutcome? {
        worlds.named(id)?.replay.map { ReplayOutcome(report: $0.player.report, settings: $0.player.settings) }
    }

    /// `GET /__admin/replay`: what was served, and what was not as it was recorded.
    ///
    /// - Throws: 404 where the world plays no session back.
    func replayReport(of world: World, at now: Timestamp) throws(APIError) -> Answer {
        // The loop may be late, and what is overdue has been sent by the time.
        advance(world, to: world.clock.now(now), at: now)
        guard let report = world.replay?.player.report else { throw .noReplay }
        return .ok(report.json.encoded())
    }
}
