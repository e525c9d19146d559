import CLibrary
import ContractSuite
import FitIQAPI
import FitIQBackend
import JSON
import Judging
import MockServer
import Scenarios
import Sockets
import Text

/// Explores a command or an adapter as its options say, and tells what came of it.
struct ExploreRun {
    private let options: Explore
    private let settings: Explorer.Settings
    private let server: LocalServer
    /// Ends the commands under way, and the exploration, once it is open.
    private let stop: Gate
    private let pool: AdapterPool
    private let knownBroken: KnownBroken

    init(_ options: Explore, families: Set<FaultKind.Family>) throws(Failure) {
        self.options = options
        var settings = Explorer.Settings()
        settings.seed = options.seed ?? settings.seed
        settings.runs = options.runs
        settings.budget = options.budget.map { .seconds($0.seconds) }
        if settings.runs == nil, settings.budget == nil { settings.budget = Explore.standardBudget }
        settings.jobs = options.jobs
        settings.isThorough = options.thorough
        settings.mayFail = options.mayFail
        settings.confirmation = options.confirm.confirmation
        settings.families = families
        settings.stories = try Self.stories(options)
        self.settings = settings
        knownBroken = try options.reports.readKnownBroken(checks: Symptom.ids)
        server = try Harness.startServer(
            allowing: try Settings.origins(options.origins.allowedOrigins),
            pace: options.instant ? .instant : .human)
        stop = try orFailure(try Gate(), Failure.running)
        pool = AdapterPool(options.command)
    }

    // MARK: Stories and worlds

    /// A command tells its own story, in the world of a scenario; an adapter is told one, in its own world.
    private static func stories(_ options: Explore) throws(Failure) -> [Story] {
        let guide: GuideMode? = try Settings.choice(options.guide, of: "--guide")
        guard options.adapter else {
            let world = try ExploredWorld(options.scenario ?? Scenario.defaultName, seed: options.seed, guide: guide)
            return [Story("command", scenario: world.scenario, document: world.document)]
        }
        let world = try options.scenario.map { (name) throws(Failure) in
            try ExploredWorld(name, seed: options.seed, guide: guide)
        }
        return Story.all.map { story in
            let own = ExploredWorld(story.scenario, story.document, seed: options.seed, guide: guide)
            return story.inWorld((world ?? own).scenario, document: (world ?? own).document)
        }
    }

    // MARK: Exploring

    func explore() throws {
        let memory = try options.resume.map { (path) throws(Failure) in try ExploreMemory(path, of: identity) }
        let progress = options.quiet ? nil : ExploreProgress()
        let work: @Sendable () async throws -> Exploration = { [self] in
            let stopping: @Sendable () -> Bool = { [stop] in stop.wait(until: .now()) }
            let explorer = Explorer(settings)
            guard options.adapter else {
                return try await explorer.explore(
                    with: try commandTrial(), stopping: stopping, remembering: memory
                ) { progress?.say($0) }
            }
            return try await explorer.explore(with: stageTrial(), stopping: stopping, remembering: memory) {
                progress?.say($0)
            }
        }
        let (exploration, signal) = try wait(work)
        progress?.end()
        if let trouble = pool.trouble { throw Failure.configuration(trouble.description) }
        try tell(exploration, signal: signal)
    }

    private func commandTrial() throws(Failure) -> CommandTrial {
        try CommandTrial(
            CommandRun(
                command: options.command, limit: .seconds(options.timeLimit.seconds), server: server, stop: stop))
    }

    private func stageTrial() -> StoppableTrial<StageTrial> {
        let stage = StageTrial(on: server, of: settings.stories) { [pool] in try await pool.begin($0) }
        return StoppableTrial(trial: stage, stop: stop)
    }

    private func wait<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) throws -> (Value, signal: Int32?) {
        defer { try? Blocking.wait { [pool] in await pool.stop() } }
        return try Blocking.waitOnMain(for: work, stop: stop) { [pool] in pool.kill() }
    }

    /// What has to be equal for the runs of an earlier exploration to count.
    private var identity: ExploreMemory.Identity {
        let options: [String] = [
            "adapter \(self.options.adapter)", "instant \(self.options.instant)", "thorough \(settings.isThorough)",
            "may-fail \(settings.mayFail)", "time-limit \(self.options.timeLimit.seconds)",
            "confirm \(settings.confirmation.needed)/\(settings.confirmation.tries)",
            "families \(settings.families.map(\.rawValue).sorted().joined(separator: " "))",
        ]
        let worlds = settings.stories.map { $0.name + String(decoding: $0.document.encoded(), as: UTF8.self) }
        return ExploreMemory.Identity(seed: settings.seed, options: options, base: self.options.command + worlds)
    }

    // MARK: Playing a finding again

    /// Plays a found scenario once; the comments of its file name the story that an adapter is told.
    func play(_ path: String) throws {
        let bytes = try InputFile.read(path, limit: ScenarioLimits.fileBytes)
        let plan = ScenarioPlan(source: .file(path), seed: options.seed)
        let scenario = try orFailure(try plan.read(bytes, file: path)) { (error: ScenarioErrors) in
            .configuration(Messages.mistakes(in: path, error.description))
        }
        let index = try options.adapter ? story(of: bytes) : 0
        let (outcome, signal) = try wait { [self] in
            options.adapter
                ? try await stageTrial().run(scenario, story: index)
                : try await commandTrial().run(scenario, story: index)
        }
        if let trouble = pool.trouble { throw Failure.configuration(trouble.description) }
        let reading = TrialReading(outcome)
        let symptoms = Oracle(settings.stories, mayFail: settings.mayFail)
            .symptoms(of: outcome, reading, story: index)
        let obligations = Set(reading.verdicts.map { ExactString($0.obligation.id) })
        let checks = symptoms.filter { !obligations.contains(ExactString($0.id)) }.map { symptom in
            Report.Check(address: symptom.id, clause: Messages.exploredClause, failures: [symptom.message])
        }
        let hasConnected = outcome.entries.contains { [.exchange, .opened].contains($0.event.kind) }
        let run = Report.Run(
            scenario: scenario.name, mode: outcome.mode, startedAt: outcome.startedAt, hasConnected: hasConnected,
            verdicts: reading.verdicts, exposures: [], coverage: reading.coverage, checks: checks)
        let journal = options.page.journal
        if let journal { for entry in outcome.entries { journal.append(entry, of: scenario.name) } }
        let report = Report(title: title, runs: [run])
        try options.reports.tell(
            report, knownBroken: knownBroken, page: options.page.file(report, journal), signal: signal)
    }

    private func story(of file: [UInt8]) throws(Failure) -> Int {
        let mark = "# story: "
        let name = String(decoding: file, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(mark) }?
            .dropFirst(mark.count)
        if let index = settings.stories.firstIndex(where: { $0.name == name ?? "" }) { return index }
        throw .configuration(Messages.unknownStory(name.map(String.init), allowed: settings.stories.map(\.name)))
    }

    // MARK: Telling

    private var title: String { options.command.map(\.shellQuoted).joined(separator: " ") }

    private func tell(_ exploration: Exploration, signal: Int32?) throws(Failure) {
        if !options.quiet { FitIQMock.printError(exploration.summary) }
        let discoveries = exploration.discoveries
        let journal = options.page.journal
        if !discoveries.isEmpty, mkdir(options.output, 0o777) != 0, errno != EEXIST {
            throw .running(Messages.noFolder(options.output, reason: String(cString: strerror(errno))))
        }
        for (discovery, found) in zip(discoveries, exploration.found) {
            let comments = [
                "Found by: \(search)", discovery.sentence.onOneLine(limit: 300), "Play it: \(replay(discovery))",
            ]
            try orFailure(
                try WholeFile.write(discovery.file(comments: comments), to: path(of: discovery))
            ) { (error: FileError) in .running(error.description + ".") }
            if let journal { for entry in found.outcome.entries { journal.append(entry, of: discovery.name) } }
        }
        let name = options.adapter && options.scenario == nil ? Messages.stories : settings.stories[0].scenario.name
        var report = exploration.report(title: title, named: name, replay: replay)
        if exploration.ended == .interrupted {
            report.incomplete = Messages.interruptedExploration(exploration.counts.schedules)
        }
        try options.reports.tell(
            report, knownBroken: knownBroken, page: options.page.file(report, journal), signal: signal)
    }

    private func path(of discovery: Discovery) -> String { "\(options.output)/\(discovery.name).yaml" }

    /// The command that found it.
    private var search: String {
        "fitiq-mock explore \(options.adapter ? "--adapter " : "")--seed \(settings.seed) -- \(title)"
    }

    /// The command that plays a found scenario again.
    private func replay(_ discovery: Discovery) -> String {
        let path = path(of: discovery).shellQuoted
        return options.adapter
            ? "fitiq-mock explore --adapter --replay \(path) -- \(title)"
            : "fitiq-mock verify --scenario \(path) -- \(title)"
    }
}

/// The world of an exploration: a scenario, and the same as the tree of its file.
struct ExploredWorld {
    private(set) var scenario: Scenario
    private(set) var document: JSONValue

    init(_ scenario: Scenario, _ document: JSONValue, seed: UInt64?, guide: GuideMode?) {
        self.scenario = scenario
        var members = document.object ?? [:]
        if let seed {
            self.scenario.seed = seed
            members["seed"] = JSONNumber("\(seed)").map { .number($0) }
        }
        if let guide {
            self.scenario.guide = guide
            members["guide"] = .string(guide.rawValue)
        }
        self.document = .object(members)
    }

    /// Reads a built-in scenario or a file.
    init(_ name: String, seed: UInt64?, guide: GuideMode?) throws(Failure) {
        let source = try ScenarioSource(name)
        let plan = ScenarioPlan(source: source, seed: seed, guide: guide)
        let scenario = try plan.load()
        var configuration = Engine.Configuration()
        configuration.adopt(scenario)
        if let failure = try plan.troubleWithData(of: configuration) { throw failure }
        let text =
            switch source {
            case .builtIn(let name): Scenario.builtInText(named: name) ?? "name: \(name)"
            case .file(let path):
                String(decoding: try InputFile.read(path, limit: ScenarioLimits.fileBytes), as: UTF8.self)
            }
        let document = try orFailure(try Scenario.readWithJSON(text).json) { (error: ScenarioErrors) in
            .configuration(Messages.mistakes(in: name, error.description))
        }
        self.init(scenario, document, seed: seed, guide: guide)
    }
}

/// A trial whose runs do not count once it is told to stop: how a client is cut off is not its own doing.
private struct StoppableTrial<Runner: Trial>: Trial {
    let trial: Runner
    let stop: Gate

    var isRepeatable: Bool { trial.isRepeatable }
    var seesInside: Bool { trial.seesInside }

    func run(_ scenario: Scenario, story: Int) async throws -> TrialOutcome {
        let outcome = try await trial.run(scenario, story: story)
        if stop.wait(until: .now()) { throw CancellationError() }
        return outcome
    }
}

/// Shows on standard error how far an exploration is: on a terminal in one line that is redrawn, elsewhere now and then.
private final class ExploreProgress: Sendable {
    private let isTerminal = System.isTerminal(.error)
    private let start = MonotonicInstant.now()
    private let lastTime = Box<MonotonicInstant>()
    private static let anew = "\r\u{1B}[K"

    func say(_ progress: Explorer.Progress) {
        let now = MonotonicInstant.now()
        if let last = lastTime.value, last.duration(to: now) < (isTerminal ? .milliseconds(100) : .seconds(10)) {
            return
        }
        lastTime.value = now
        let text = Messages.explored(progress, seconds: start.duration(to: now).components.seconds)
        FitIQMock.printToStandardError(isTerminal ? Self.anew + "fitiq-mock: \(text)" : "fitiq-mock: \(text)\n")
    }

    func end() { if isTerminal, lastTime.value != nil { FitIQMock.printToStandardError(Self.anew) } }
}
