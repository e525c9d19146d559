import FitIQAPI
import FitIQBackend
import JSON
import Replay
import Scenarios
import Traffic

/// Admin API functions that do not use HTTP, for programs that embed the server.
extension Engine {
    /// A world's URLs, and credentials for its client.
    public struct WorldAccess: Sendable {
        public let id: String
        /// The URL prefixes for REST, such as `http://127.0.0.1:8080/w/w1`, and for WebSockets.
        public let url, webSocketURL: String
        /// The prefix of the admin API below ``url``; worlds created there belong to this world's run.
        public var adminURL: String { url + "/__admin" }
        /// A token for the scenario's first user, or for the development user, with the scenario's lifetime.
        public let token: String
        /// Another token for the same user, valid for the lifetime of the world.
        public let freshToken: String
        /// A refresh token for the same user, issued with the world; nil if the user has no account or the world issued
        /// no such token.
        public let refreshToken: String?
        /// The user of the tokens.
        public let user: String
        public let apiKey: String
        public let mode: GuideMode
        public let now: Timestamp
    }

    /// Creates a world; nil arguments default to the scenario, then to the engine's configuration.
    ///
    /// - Parameter judged: Whether to judge the client from the start or only from the first
    ///   ``judgement(ofWorld:at:)``.
    /// - Throws: An error if the scenario's data is inconsistent or another world exceeds a limit.
    public func makeWorld(
        _ scenario: Scenario, guide: GuideMode? = nil, seed: UInt64? = nil, clock: ClockMode? = nil,
        judged: Bool = true, at now: Timestamp
    ) throws(APIError) -> WorldAccess {
        access(
            to: try makeWorld(scenario, guide: guide, seed: seed, clock: clock, isJudged: judged, at: now), at: now)
    }

    /// How to access a world, where `default` is the default world; nil for an unknown id.
    public func access(toWorld id: String, at now: Timestamp) -> WorldAccess? {
        worlds.named(id).map { access(to: $0, at: now) }
    }

    /// Closes a world's sockets with 1001 and deletes it; ignores an unknown id and the default world.
    public func deleteWorld(_ id: String, at now: Timestamp) {
        if let world = worlds[ExactString(id)] { remove(world, reason: "The world was deleted", at: now) }
    }

    /// The time of the last event in a world, or the clock's time if the clock is manual.
    public func time(ofWorld id: String) -> Timestamp? { worlds.named(id)?.turn.now }

    /// When the next step of a world is due, by its clock; nil if there is no next step, or for an unknown world.
    ///
    /// Unlike ``nextDue(ofWorld:at:)``, this function does not include connections' time-outs.
    public func nextStep(ofWorld id: String) -> Timestamp? { worlds.named(id)?.nextStep }

    /// When the next step or time-out of a connection is due in a world, by its clock; nil if nothing is due.
    public func nextDue(ofWorld id: String, at now: Timestamp) -> Timestamp? {
        guard let world = worlds.named(id) else { return nil }
        let time = world.clock.now(now)
        let shift = time.nanosecondsSinceEpoch - now.nanosecondsSinceEpoch
        var next = world.nextStep
        for connection in connections where connection.world === world {
            // Time-outs are suspended while a fault holds output for the client.
            guard let deadline = connection.deadline, !connection.output.isHeld else { continue }
            next = .earliest(next, max(deadline.time.advanced(byNanoseconds: shift), time))
        }
        return next
    }

    /// Advances a world's manual clock, and runs each event when it becomes due; does nothing for a system clock.
    ///
    /// A time before the clock's time does not change the clock.
    ///
    /// - Parameter noted: Whether the journal records the advance. Pass false if the client's timers advance with the
    ///   clock.
    public func advanceWorld(_ id: String, to time: Timestamp, at now: Timestamp, noted: Bool = false) {
        guard let world = worlds.named(id), let start = world.clock.manualTime else { return }
        if noted { noteAdvance(of: world, from: start, to: time) }
        advance(world, to: max(time, start), at: now)
    }

    /// Whether a world has a manual clock; false for an unknown world.
    public func hasManualClock(world id: String) -> Bool { worlds.named(id)?.clock.manualTime != nil }

    /// Enables or disables a world's fault, including on open sockets; throws 404 for an unknown world or fault.
    public func setFault(_ name: String, isEnabled: Bool, ofWorld id: String) throws(APIError) {
        guard let world = worlds.named(id) else { throw .unknownWorld(id) }
        let (rule, names) = (ExactString(name), world.faults.rules.map(\.rule.name))
        guard names.contains(rule) else { throw .unknownFault(name, known: names.map(\.text)) }
        setFaults([rule], of: world, isEnabled: isEnabled)
    }

    /// Adds a fault to a world and returns the fault's name; the fault is written as in a scenario file.
    ///
    /// - Throws: A 400 for an invalid fault or a name that is already in use, 404 for an unknown world, or 507 if the
    ///   server is full.
    public func addFault(_ fault: JSONObject, toWorld id: String) throws(APIError) -> String {
        guard let world = worlds.named(id) else { throw .unknownWorld(id) }
        let rule = try rule(from: fault, in: world)
        try keep([rule], bytes: [JSONValue.object(fault).encoded().count], in: world)
        attach([rule.name], to: world)
        return rule.name.text
    }

    /// The first matching entry that the lookout has not checked; nil if there is none, or for an unknown world.
    public func firstEntry(ofWorld id: String, for lookout: inout JournalLookout) -> JournalEntry? {
        guard let journal = worlds.named(id)?.journal else { return nil }
        while let step = lookout.next(in: journal) {
            if case .found(let entry) = step { return entry }
        }
        return nil
    }

    /// The judgement on a world's client so far; nil for an unknown world.
    ///
    /// - Parameter now: The system's time, at which the judge also reports overdue actions; if nil, the judge stops at
    ///   the last event.
    public func judgement(ofWorld id: String, at now: Timestamp? = nil) -> Judgement? {
        worlds.named(id).map { world in world.judgement(at: world.date(of: now.map(world.clock.now) ?? world.turn.now))
        }
    }

    /// The judgements on the clients in a world's run, including clients of deleted worlds.
    public func runJudgements(ofWorld id: String, at now: Timestamp) -> [RunJudgement] {
        guard let run = worlds.named(id)?.run else { return [] }
        return run.judgements { $0.date(of: $0.clock.now(now)) }
    }

    /// A world's journal after the entry with this number, as NDJSON; empty for an unknown world.
    public func journalLines(ofWorld id: String, after number: Int = 0) -> [UInt8] {
        worlds.named(id)?.journalLines(after: number) ?? []
    }

    /// A world's journal after the entry with this number; empty for an unknown world.
    public func journalEntries(ofWorld id: String, after number: Int = 0) -> [JournalEntry] {
        worlds.named(id).map { Array($0.journal.entries(after: number)) } ?? []
    }

    /// A number that grows with every byte on a world's connections and whenever a connection ends; 0 for an unknown
    /// world.
    public func activity(ofWorld id: String) -> UInt64 { worlds.named(id)?.activity ?? 0 }

    private func access(to world: World, at now: Timestamp) -> WorldAccess {
        let settings = world.settings
        return WorldAccess(
            id: world.name, url: settings.origin, webSocketURL: settings.webSocketOrigin,
            token: world.token, freshToken: world.freshToken, refreshToken: world.refreshToken,
            user: world.defaultUser.text, apiKey: settings.apiKey, mode: settings.mode,
            now: world.date(of: world.clock.now(now)))
    }

    /// A token that the default world accepts, with the scenario's token lifetime.
    public var token: String { defaultWorld.token }
    public var scenario: Scenario { defaultWorld.settings.scenario }
    /// The time of the default world's manual clock; nil if the world follows the system's clock.
    public var manualTime: Timestamp? { defaultWorld.clock.manualTime }

    /// The stored messages of a consultation, oldest first; empty for an unknown consultation.
    public func storedMessages(ofConsultation consultation: String, inWorld id: String) -> [Message] {
        guard let resource = ResourceID(consultation.lowercased(), as: .free) else { return [] }
        return worlds.named(id)?.backend.history(of: resource) ?? []
    }

    /// Deletes a consultation of a world's default user, as the user would on another device; ignores an unknown one.
    ///
    /// The journal contains no request, only the ends of the consultation's sockets.
    public func deleteConsultation(_ consultation: String, ofWorld id: String, at now: Timestamp) {
        guard let world = worlds.named(id), let user = try? world.backend.user(world.defaultUser) else { return }
        world.setTime(now)
        try? world.backend.deleteConsultation(consultation, by: user, &world.turn)
        applyEffects(of: world, at: now)
    }

    /// The outcome of a session's replay.
    public struct ReplayOutcome: Sendable {
        public let report: ReplayReport
        public let settings: ReplaySettings

        /// Whether differences from the recording make a run fail.
        public var isStrict: Bool { settings.match == .strict }

        /// For each kind of difference from the recording, the first ten as sentences.
        public var failures: [String] {
            report.unexpected.prefix(Self.shown).map(\.message)
                + more(report.unexpectedCount, "request", "was not expected")
                + report.neverAsked.prefix(Self.shown).map {
                    "Recorded request \($0.entry), \($0.method) \($0.target), was never sent."
                }
                + more(report.neverAskedCount, "recorded request", "was never sent")
                + report.frameMisses.prefix(Self.shown).map(\.message)
                + more(report.frameMissCount, "frame", "was not expected")
                + more(report.framesNeverSent, "recorded frame", "was never sent", than: 0)
        }

        private static let shown = 10

        /// A sentence such as `12 frames in all were not expected.` if there are more differences than are listed.
        private func more(_ count: Int, _ noun: String, _ predicate: String, than shown: Int = Self.shown) -> [String] {
            guard count > shown else { return [] }
            return [count == 1 ? "1 \(noun) \(predicate)." : "\(count) \(noun)s in all were\(predicate.dropFirst(3))."]
        }
    }

    /// The current outcome of a world's replay; nil if the world replays no session or is unknown.
    public func replayOutcome(ofWorld id: String) -> ReplayOutcome? {
        worlds.named(id)?.replay.map { ReplayOutcome(report: $0.player.report, settings: $0.player.settings) }
    }

    /// `GET /__admin/replay`: reports the served entries, and the differences from the recording.
    ///
    /// - Throws: A 404 if the world does not replay a session.
    func replayReport(_ call: AdminCall) throws(APIError) -> Answer {
        // First run the steps that are due, because the loop may be late and overdue frames must count as sent.
        advance(call.world, to: call.world.clock.now(call.now), at: call.now)
        guard let report = call.world.replay?.player.report else { throw .noReplay }
        return .ok(report.json.encoded())
    }

    // MARK: State for the tests' simulator, which reads it without changing it

    package struct ConnectionTotals: Sendable, Equatable {
        /// The number of connections: the running count, and a recount.
        package private(set) var counted = 0, open = 0
        package private(set) var countedWebSockets = 0, openWebSockets = 0
        /// The held bytes: the running sum, and a recalculation.
        package private(set) var countedBytes = 0, accountedBytes = 0
        /// The entries in the deadline queue, including obsolete entries.
        package private(set) var deadlines = 0
        /// The totals of an engine that has no connections.
        package static let none = ConnectionTotals()

        fileprivate init(_ connections: ConnectionTable? = nil, deadlines: Int = 0) {
            guard let connections else { return }
            (counted, countedWebSockets) = (connections.count, connections.webSocketCount)
            (countedBytes, self.deadlines) = (connections.heldBytes, deadlines)
            for connection in connections {
                open += 1
                if connection.webSocket != nil { openWebSockets += 1 }
                accountedBytes += connection.accountedBytes
            }
        }
    }

    package struct WorldFacts: Sendable {
        package let mode: GuideMode
        package let jwtSecret: String
        package let apiKey: String
        package let now: Timestamp
        package let isManual: Bool
        /// The number of effects that the engine has not applied yet.
        package let effectCount: Int
        /// The entries in the queue of held outputs, including entries of closed connections.
        package let heldOutputCount: Int
        /// The number of held items: in the list, and counted on the connections.
        package let heldCount: Int, holdingCount: Int
    }

    /// The sorted ids of all worlds except the default world.
    package var inspectedWorlds: [String] { worlds.keys.sorted().map(\.text) }

    /// A world's facts, where nil means the default world; returns nil for an unknown id.
    package func inspectWorld(_ id: String?) -> WorldFacts? {
        guard let world = world(inspected: id) else { return nil }
        return WorldFacts(
            mode: world.mode, jwtSecret: world.settings.jwtSecret, apiKey: world.settings.apiKey, now: world.turn.now,
            isManual: world.clock.manualTime != nil, effectCount: world.turn.effects.count,
            heldOutputCount: world.heldOutputs.count, heldCount: world.live?.holds.things.count ?? 0,
            holdingCount: holdingCount(in: world))
    }

    private func holdingCount(in world: World) -> Int {
        connections.reduce(0) { count, connection in
            guard connection.world === world else { return count }
            let isHolding = connection.socketFaults?.isHolding ?? false
            return count + (connection.held == nil ? 0 : 1) + (connection.heldEvent == nil ? 0 : 1)
                + (isHolding ? 1 : 0)
        }
    }

    /// Lends a world's backend, where nil means the default world; returns nil for an unknown id.
    package func inspectBackend<Result>(ofWorld id: String?, _ body: (Backend) -> Result) -> Result? {
        world(inspected: id).map { body($0.backend) }
    }

    package func inspectConnections() -> ConnectionTotals {
        ConnectionTotals(connections, deadlines: deadlines.count)
    }

    /// Whether ``advance(to:)`` has work left, such as slices, late steps, or connections that were waiting for a
    /// world.
    package var isBusy: Bool { !streams.waiting.isEmpty || !resumed.isEmpty || isLate }

    private func world(inspected id: String?) -> World? {
        id.map { worlds[ExactString($0)] } ?? defaultWorld
    }
}
