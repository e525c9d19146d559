import Faults
import FitIQAPI
import FitIQBackend
import JSON
import Scenarios
import Traffic

/// The engine's calls for programs that embed the server, which do not use HTTP.
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
        try lives.checkPlace()
        let number = worlds.serial + 1
        let id = WorldID(number, of: configuration.node)
        let settings = configuration.settings(ofWorld: id, scenario, guide: guide, seed: seed, clock: clock)
        let draft = WorldDraft(settings: settings, id: id, isJudged: judged)
        let beginning = try WorldBeginning(draft, in: worlds.room(of: nil), now: now, dateShift: worlds.dateShift)
        let world = try lives.begin(number, beginning, at: now)
        worlds.serial = number
        return access(to: world, at: now)
    }

    /// How to access a world, where `default` is the default world; nil for an unknown id.
    public func access(toWorld id: String, at now: Timestamp) -> WorldAccess? {
        worlds.named(id).map { access(to: $0, at: now) }
    }

    /// Closes a world's sockets with 1001 and deletes it; ignores an unknown id and the default world.
    public func deleteWorld(_ id: String, at now: Timestamp) {
        if let world = worlds[ExactString(id)] { lives.remove(world, reason: "The world was deleted", at: now) }
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
        if noted { recorder.recordAdvance(of: world, from: start, to: time) }
        advance(world, to: max(time, start), at: now)
    }

    /// Whether a world has a manual clock; false for an unknown world.
    public func hasManualClock(world id: String) -> Bool { worlds.named(id)?.clock.manualTime != nil }

    /// Enables or disables a world's fault, including on open sockets; throws 404 for an unknown world or fault.
    public func setFault(_ name: String, isEnabled: Bool, ofWorld id: String) throws(APIError) {
        guard let world = worlds.named(id) else { throw .unknownWorld(id) }
        let (rule, names) = (ExactString(name), world.faults.rules.map(\.rule.name))
        guard names.contains(rule) else { throw .unknownFault(name, known: names.map(\.text)) }
        liveFaults.set([rule], of: world, isEnabled: isEnabled)
    }

    /// Adds a fault to a world and returns the fault's name; the fault is written as in a scenario file.
    ///
    /// - Throws: A 400 for an invalid fault or a name that is already in use, 404 for an unknown world, or 507 if the
    ///   server is full.
    public func addFault(_ fault: JSONObject, toWorld id: String) throws(APIError) -> String {
        guard let world = worlds.named(id) else { throw .unknownWorld(id) }
        let rule = try world.rule(from: fault)
        try liveFaults.add([rule], bytes: [JSONValue.object(fault).encoded().count], to: world)
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

    /// The current outcome of a world's replay; nil if the world replays no session or is unknown.
    public func replayOutcome(ofWorld id: String) -> ReplayOutcome? {
        worlds.named(id)?.replay.map { ReplayOutcome(report: $0.player.report, settings: $0.player.settings) }
    }

    // MARK: Reloading the scenario

    /// Which part of a new scenario has taken effect.
    public enum Reloaded: Sendable, Equatable {
        case entirely
        /// A changed part takes effect only after the next reset or in other worlds: data, guide, seed, clock, token
        /// lifetime, or rules such as the rules for accounts and ids.
        case restAfterReset
    }

    /// The input for preparing a new scenario, usable on any thread.
    public struct ReloadPreparation: Sendable {
        fileprivate let configuration: Configuration
        fileprivate let settings: WorldSettings
        fileprivate let life: Int

        /// Does the slow part of a reload; throws an error that gives the position of inconsistent data.
        public func prepare(_ scenario: Scenario, at now: Timestamp) throws(PlantError) -> PreparedScenario {
            var next = configuration
            next.adopt(scenario)
            try next.checkData(at: now)
            return PreparedScenario(
                scenario: scenario,
                respelled: FaultBook.respelled(in: scenario.faults, since: configuration.scenario.faults),
                isEntire: settings.differOnlyInRules(from: next.defaultWorldSettings), life: life)
        }
    }

    /// A new scenario whose data is consistent.
    public struct PreparedScenario: Sendable {
        fileprivate let scenario: Scenario
        /// The fault rules that differ only in the Unicode normal form of their strings.
        fileprivate let respelled: Set<ExactString>
        /// Whether the whole scenario can take effect without resetting the default world.
        fileprivate let isEntire: Bool
        fileprivate let life: Int
    }

    public var reloadPreparation: ReloadPreparation {
        ReloadPreparation(configuration: configuration, settings: defaultWorld.settings, life: defaultWorld.life)
    }

    /// Prepares and adopts a scenario.
    ///
    /// - Throws: An error that gives the position of inconsistent data; if it throws, nothing changes.
    public func reload(_ scenario: Scenario, at now: Timestamp) throws(PlantError) -> Reloaded {
        adopt(try reloadPreparation.prepare(scenario, at: now), at: now)
    }

    /// Switches the default world to the answers, meals and faults of a different scenario.
    ///
    /// Connections, data, clock and seed stay the same. Answers that have started continue unchanged. An unchanged
    /// fault rule keeps its counts and its state. A removed rule no longer affects open sockets. Resets use the whole
    /// new scenario, and so do new worlds whose request does not contain a scenario.
    public func adopt(_ prepared: PreparedScenario, at now: Timestamp) -> Reloaded {
        let (world, scenario) = (defaultWorld, prepared.scenario)
        let old = world.faults.rules.map(\.rule)
        do throws(FaultBookError) {
            try world.faults.replaceRules(scenario.faults, respelled: prepared.respelled)
        } catch {
            preconditionFailure("A parsed scenario must have valid rules: \(error.message)")
        }
        // Rules added through the admin API are removed with the old rules, and no longer count towards the stored
        // bytes.
        let names = Set(world.faults.rules.map(\.rule.name))
        world.written.faults = world.written.faults.filter { names.contains($0.key) }
        worlds.accountStorage(of: world)
        // Free the old scenario on another thread, because a session may be large.
        discard(configuration.scenario)
        discard(world.reloadedSettings)
        configuration.adopt(scenario)
        world.backend.setScript(scenario.script)
        if scenario.network != world.settings.scenario.network { network.set(scenario.network, of: world, at: now) }
        switchOpenSockets(of: world, with: old, respelled: prepared.respelled)
        breakpoints.releaseDisabled(of: world, at: now)
        let next = configuration.defaultWorldSettings
        // If the world has been reset in the meantime, the comparison is obsolete, and repeating it could block the
        // loop.
        let isEntire = prepared.isEntire && prepared.life == world.life
        world.reload(next)
        return isEntire ? .entirely : .restAfterReset
    }

    /// Applies changes in a world's fault rules to the world's open sockets.
    private func switchOpenSockets(of world: World, with old: [FaultRule], respelled: Set<ExactString>) {
        let present = Dictionary(uniqueKeysWithValues: world.faults.rules.map { ($0.rule.name, $0.rule) })
        var changes: [(ExactString, SocketFaults.Change)] = []
        for rule in old {
            var new = present[rule.name]
            let isEnabled = new?.isEnabled ?? false
            new?.isEnabled = rule.isEnabled
            // A rule whose text has changed is a new rule, which applies only to later connections.
            if new != rule || respelled.contains(rule.name) {
                changes.append((rule.name, .removed))
            } else if isEnabled != rule.isEnabled {
                changes.append((rule.name, .enabled(isEnabled)))
            }
        }
        // Apply all changes together, because there may be many rules and sockets.
        let all = SocketFaults.Changes(changes)
        if !changes.isEmpty { liveFaults.changeOpenSockets(of: world) { $0.change(all) } }
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

extension World {
    /// Adopts the settings that can change while the world runs, and stores the rest for the next reset.
    fileprivate func reload(_ new: WorldSettings) {
        reloadedSettings = new
        reloadCount += 1
        var scenario = new.scenario
        scenario.data = settings.scenario.data
        scenario.tokenLifetime = settings.scenario.tokenLifetime
        scenario.rules = settings.scenario.rules
        scenario.replay = settings.scenario.replay
        settings.scenario = scenario
    }
}

extension WorldSettings {
    /// Whether the settings that need a reset are unchanged, so that a running world can adopt the new ones.
    fileprivate func differOnlyInRules(from new: WorldSettings) -> Bool {
        seed == new.seed && mode == new.mode && clock == new.clock
            && scenario.tokenLifetime == new.scenario.tokenLifetime && scenario.rules == new.scenario.rules
            && scenario.replay == new.scenario.replay
            // String comparison ignores the Unicode normal form, so compare the bytes too.
            && scenario.data == new.scenario.data && scenario.data.encoded.elementsEqual(new.scenario.data.encoded)
    }
}

extension WorldData {
    fileprivate var encoded: [UInt8] { JSONWriter.object { write(into: &$0) } }
}
