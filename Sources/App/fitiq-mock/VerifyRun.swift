import FitIQAPI
import JSON
import Judging
import MockServer
import Scenarios
import Sockets
import Text
import Traffic

/// Runs a command in a scenario and judges it; several threads may use it concurrently.
struct VerifyRun: Sendable {
    let run: CommandRun
    /// Keeps the journals of all runs for a page, or nil if there is no page.
    let journal: ReportJournal?
    /// Shows progress, or nil to show nothing.
    let progress: JobProgress?
    /// Runs an older version of the command first, or nil if there is nothing to compare.
    let against: VerifyAgainst?

    struct Result: Sendable {
        /// How the run ended, for the progress output when the result is final.
        let ending: String
        /// The run, followed by one for each scenario of worlds that the command made itself.
        ///
        /// Empty if the run's world was lost.
        var runs: [Report.Run] = []
        /// The obligations that the older version also breaks.
        var knownBroken: [String] = []
        /// The scenario of a run whose world was lost, and why it was lost.
        var lost: (scenario: String, reason: String)?
    }

    private struct Seen: Sendable {
        let judgement: Judgement?
        let ofRun: [RunJudgement]
        let replay: Engine.ReplayOutcome?
        let entries: [JournalEntry]
    }

    /// - Returns: nil if the run was stopped.
    func run(_ scenario: Scenario, named name: String, index: Int) throws(Failure) -> Result? {
        var old: VerifyAgainst.Old?
        if let against {
            old = try against.run(scenario, named: name, index: index)
            if old == nil { return nil }
        }
        var traffic = Traffic()
        progress?.say(index, name, Messages.commandRuns)
        let done = try run.run(scenario, named: name) { world, elapsed in
            guard let progress else { return }
            count(&traffic, in: world)
            let seconds = elapsed.components.seconds
            progress.say(index, name, "\(seconds) s, \(traffic.inWords)", passingAfter: seconds)
        } seeing: { engine, world, now in
            Seen(
                judgement: engine.judgement(ofWorld: world.id, at: now),
                ofRun: engine.runJudgements(ofWorld: world.id, at: now),
                replay: engine.replayOutcome(ofWorld: world.id), entries: engine.journalEntries(ofWorld: world.id))
        }
        guard let done else { return nil }
        let seen = done.seen
        for entry in seen.entries where entry.number > traffic.lastNumber { traffic.count(entry) }
        if let journal { for entry in seen.entries { journal.append(entry, of: name) } }
        let how = Messages.commandEnded(done.ending, tenths: done.duration.nanoseconds / 100_000_000)
        guard let judgement = seen.judgement else { throw .running(Messages.worldIsGone(name)) }
        var checks = seen.replay.flatMap(Self.check).map { [$0] } ?? []
        if let old { checks.append(old.check(of: name, seen.entries)) }
        // A test that sends nothing to its world breaks no obligation.
        let made = seen.ofRun.filter(\.judgement.hasConnected).map { $0.report(in: name) }
        let report = Report.Run(
            scenario: name, mode: done.world.mode, command: done.ending, duration: done.duration.nanoseconds,
            startedAt: done.world.now,
            // A command whose tests make their own worlds need not use this world.
            hasConnected: judgement.hasConnected || !made.isEmpty, verdicts: judgement.verdicts,
            exposures: judgement.exposures, coverage: judgement.coverage, checks: checks,
            missedCount: judgement.missedCount)
        let told = traffic.inWords(worlds: seen.ofRun.reduce(0) { $0 + $1.worldCount })
        return Result(ending: "\(how), \(told)", runs: [report] + made, knownBroken: old?.broken ?? [])
    }

    static let strictReplay = "replay/strict"
    /// The names of a run's checks and of its command in lists of known breaches.
    static let checks = [strictReplay, Report.Run.command]

    /// The check for a strictly replayed session, or nil for other sessions.
    private static func check(_ outcome: Engine.ReplayOutcome) -> Report.Check? {
        guard outcome.isStrict else { return nil }
        return Report.Check(
            address: strictReplay, clause: Messages.strictReplay, failures: outcome.failures,
            notes: [outcome.report.summary])
    }

    /// Counts the journal's new entries, except for those that it has already dropped.
    private func count(_ traffic: inout Traffic, in world: Engine.WorldAccess) {
        // Do not end a run just because its progress is unknown.
        let counted = try? run.server.performAndWait { [traffic] engine, _ in
            var traffic = traffic
            for entry in engine.journalEntries(ofWorld: world.id, after: traffic.lastNumber) { traffic.count(entry) }
            return traffic
        }
        traffic = counted ?? traffic
    }
}

struct Traffic: Sendable, Equatable {
    var lastNumber = 0
    var requests = 0
    var frames = 0

    /// The counts in words, such as `1 request, 40 frames`.
    var inWords: String { "\(Words.counted(requests, "request")), \(Words.counted(frames, "frame"))" }

    /// The counts in words, including how many worlds the command made itself.
    func inWords(worlds count: Int) -> String {
        count == 0 ? inWords : "\(inWords), \(Words.counted(count, "world")) created by the command"
    }

    mutating func count(_ entry: JournalEntry) {
        lastNumber = entry.number
        if entry.event.request != nil { requests += 1 }
        if entry.event.kind == .frame { frames += 1 }
    }
}

/// The scenarios for a command; all are read and validated before the first run.
struct VerifyPlan: Sendable {
    let scenarios: [Scenario]
    /// The scenarios' names in reports, each of which is unique.
    let names: [String]
    private let sources: [ScenarioSource]
    private let mode: GuideMode?
    private let seed: UInt64?

    init(names: [String], all: Bool, guide: String?, seed: UInt64?) throws(Failure) {
        let mode: GuideMode? = try Settings.choice(guide, of: "--guide")
        var sources: [ScenarioSource] = all ? Scenario.builtInSummaries.map { .builtIn($0.name) } : []
        for name in names {
            let source = try ScenarioSource(name)
            if !sources.contains(source) { sources.append(source) }
        }
        if sources.isEmpty { sources = [.builtIn(Scenario.defaultName)] }
        var scenarios: [Scenario] = []
        for source in sources {
            scenarios.append(try ScenarioPlan(source: source, seed: seed, guide: mode).loadChecked())
        }
        self.scenarios = scenarios
        (self.sources, self.mode, self.seed) = (sources, mode, seed)
        self.names = Self.told(zip(scenarios, sources).map { ($0.name, $1) })
    }

    /// The bodies of the requests that make worlds with these scenarios on another server.
    func requests() throws(Failure) -> [JSONObject] {
        var requests: [JSONObject] = []
        for source in sources {
            var request: JSONObject = ["judged": true]
            switch source {
            case .builtIn(let name): request["scenario"] = .string(name)
            case .file: request["scenario"] = try source.document()
            }
            if let mode { request["guide"] = .string(mode.rawValue) }
            if let seed { request["seed"] = .string(String(seed)) }
            requests.append(request)
        }
        return requests
    }

    /// The IDs of the obligations that these scenarios can test.
    var faced: Set<String> {  // Obligations' IDs: constants.
        let names = Set(scenarios.map(\.name).map(ExactString.init(_:)))
        let obligations = Judge.obligations.filter { obligation in
            obligation.scenarios.isEmpty || obligation.scenarios.contains { names.contains(ExactString($0)) }
        }
        return Set(obligations.map(\.id))
    }

    /// The scenarios' own names; if names repeat, the names from files also contain the file's path.
    static func told(_ scenarios: [(name: String, source: ScenarioSource)]) -> [String] {
        let counts = Dictionary(grouping: scenarios) { ExactString($0.name) }.mapValues(\.count)
        return scenarios.map { name, source in
            guard counts[ExactString(name), default: 0] > 1, case .file(let path) = source else { return name }
            return "\(name) (\(path))"
        }
    }
}
