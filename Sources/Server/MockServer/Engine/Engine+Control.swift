import FitIQAPI
import FitIQBackend
import JSON
import Replay
import Scenarios
import Traffic

/// Worlds for programs that embed the server: the functions of the admin API, without HTTP.
extension Engine {
    /// The URLs of a world, and the credentials of its client.
    public struct WorldAccess: Sendable {
        /// The world's id, for the calls below and in paths of the admin API.
        public let id: String
        /// The prefix of REST paths, `http://127.0.0.1:8080/w/w1`.
        public let url: String
        /// The same for WebSockets, `ws://…`.
        public let webSocketURL: String
        /// A token of the scenario's first user, or of the development user, with the lifetime of the scenario.
        public let token: String
        /// Another token of the same user, valid for the lifetime of the world.
        public let freshToken: String
        public let apiKey: String
        /// The tokens' user.
        public let user: String
        public let mode: GuideMode
        public let now: Timestamp
    }

    /// Creates a world; nil arguments default to the scenario, then to the engine's configuration.
    ///
    /// - Parameters:
    ///   - judged: Whether its client is judged from the start, or from the first call of ``judgement(ofWorld:at:)``.
    ///   - now: The system's time.
    /// - Throws: An error if the scenario's data is inconsistent, or there is no room for another world.
    public func makeWorld(
        _ scenario: Scenario, guide: GuideMode? = nil, seed: UInt64? = nil, clock: ClockMode? = nil,
        judged: Bool = true, at now: Timestamp
    ) throws(APIError) -> WorldAccess {
        let world: World = try makeWorld(scenario, guide: guide, seed: seed, clock: clock, isJudged: judged, at: now)
        return access(to: world, at: now)
    }

    /// The access to a world; nil if there is none with the id.
    ///
    /// The id of the default world is `default`.
    public func access(toWorld id: String, at now: Timestamp) -> WorldAccess? {
        worlds.named(id).map { access(to: $0, at: now) }
    }

    /// Closes a world's sockets with 1001 and deletes it; does nothing for an unknown id and the default world.
    public func deleteWorld(_ id: String, at now: Timestamp) {
        if let world = worlds[ExactString(id)] { remove(world, reason: "The world was deleted", at: now) }
    }

    /// The time of the last event in a world; with a manual clock, the time it shows.
    public func time(ofWorld id: String) -> Timestamp? { worlds.named(id)?.turn.now }

    /// When something next happens in a world by itself, by the world's clock; nil if nothing is due.
    ///
    /// That is its next step, or the time-out of one of its connections, whichever is earlier.
    public func nextDue(ofWorld id: String, at now: Timestamp) -> Timestamp? {
        guard let world = worlds.named(id) else { return nil }
        let time = world.clock.now(now)
        let shift = time.nanosecondsSinceEpoch - now.nanosecondsSinceEpoch
        var next = world.nextStep
        for connection in connections where connection.world === world {
            // Time-outs do not run while a fault holds back what the client waits for.
            guard let deadline = connection.deadline, !connection.output.isHeld else { continue }
            next = .earliest(next, max(deadline.time.advanced(byNanoseconds: shift), time))
        }
        return next
    }

    /// Moves the clock of a world, each due event happening at its time; does nothing if the clock is the system's.
    ///
    /// A time before the clock's counts as the clock's.
    ///
    /// - Parameters:
    ///   - now: The system's time.
    ///   - noted: Whether the journal records the move. Leave it out if the client's timers move too: for them, time
    ///     just passes.
    public func advanceWorld(_ id: String, to time: Timestamp, at now: Timestamp, noted: Bool = false) {
        guard let world = worlds.named(id), let start = world.clock.manualTime else { return }
        if noted { noteAdvance(of: world, from: start, to: time) }
        advance(world, to: max(time, start), at: now)
    }

    /// Whether a world has a manual clock; false if there is no such world.
    public func hasManualClock(world id: String) -> Bool { worlds.named(id)?.clock.manualTime != nil }

    /// Enables or disables a fault of a world, also for open sockets.
    ///
    /// - Throws: 404 if there is no such world, or no fault of the name.
    public func setFault(_ name: String, isEnabled: Bool, ofWorld id: String) throws(APIError) {
        guard let world = worlds.named(id) else { throw .unknownWorld(id) }
        let (rule, names) = (ExactString(name), world.faults.rules.map(\.rule.name))
        guard names.contains(rule) else { throw .unknownFault(name, known: names.map(\.text)) }
        setFault(rule, of: world, isEnabled: isEnabled)
    }

    /// The judgement of a world's client so far; nil if there is no such world.
    ///
    /// - Parameter now: The system's time, if time without events counts: anything overdue by then is a breach.
    public func judgement(ofWorld id: String, at now: Timestamp? = nil) -> Judgement? {
        worlds.named(id).map { $0.judgement(at: now.map($0.clock.now) ?? $0.turn.now) }
    }

    /// A world's journal after the entry with the given number, as NDJSON; empty if there is no such world.
    public func journalLines(ofWorld id: String, after number: Int = 0) -> [UInt8] {
        worlds.named(id)?.journalLines(after: number) ?? []
    }

    /// A world's journal after the entry with the given number; empty if there is no such world.
    public func journalEntries(ofWorld id: String, after number: Int = 0) -> [JournalEntry] {
        worlds.named(id).map { Array($0.journal.entries(after: number)) } ?? []
    }

    /// A number that grows with every byte read or written on a world's connections, and when one ends.
    ///
    /// While it does not change, there is no traffic between the world and its clients; 0 if there is no such world.
    public func activity(ofWorld id: String) -> UInt64 { worlds.named(id)?.activity ?? 0 }

    private func access(to world: World, at now: Timestamp) -> WorldAccess {
        let settings = world.settings
        return WorldAccess(
            id: world.name, url: settings.origin, webSocketURL: settings.webSocketOrigin,
            token: world.token, freshToken: world.freshToken, apiKey: settings.apiKey, user: world.defaultUser.text,
            mode: settings.mode, now: world.clock.now(now))
    }
}

/// What a user of the command line needs to know about a server.
extension Engine {
    /// A token that the default world accepts, with the lifetime of its scenario.
    public var token: String { defaultWorld.token }

    public var scenario: Scenario { defaultWorld.settings.scenario }

    /// The time of the default world's clock if it is manual; nil if it is the system's.
    public var manualTime: Timestamp? { defaultWorld.clock.manualTime }
}

extension Engine {
    /// The stored messages of a consultation, oldest first, without a request; empty if there is no such consultation.
    public func storedMessages(ofConsultation consultation: String, inWorld id: String) -> [Message] {
        worlds.named(id)?.backend.history(ofConsultation: consultation) ?? []
    }
}

extension Engine {
    /// The outcome of the session that a world replays.
    public struct ReplayOutcome: Sendable {
        public let report: ReplayReport
        public let settings: ReplaySettings

        /// Whether differences from the recording fail a run.
        public var isStrict: Bool { settings.match == .strict }

        /// The differences from the recording, a sentence each, the first ten of each kind.
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

    /// The outcome so far of the session that a world replays; nil if it replays none, or there is no such world.
    public func replayOutcome(ofWorld id: String) -> ReplayOutcome? {
        worlds.named(id)?.replay.map { ReplayOutcome(report: $0.player.report, settings: $0.player.settings) }
    }

    /// `GET /__admin/replay`: what was served, and what differed from the recording.
    ///
    /// - Throws: 404 if the world replays no session.
    func replayReport(of world: World, at now: Timestamp) throws(APIError) -> Answer {
        // The loop may be late; anything overdue has to count as sent.
        advance(world, to: world.clock.now(now), at: now)
        guard let report = world.replay?.player.report else { throw .noReplay }
        return .ok(report.json.encoded())
    }
}
