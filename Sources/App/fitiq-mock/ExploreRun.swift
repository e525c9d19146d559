import CLibrary
import ContractSuite
import FitIQAPI
import FitIQBackend
import JSON
import Judging
import MockServer
import Scenarios
import Sockets
import Synchronization
import Text

/// Explores a command or adapter with the given options and reports the result.
struct ExploreRun {
    private let options: Explore
    private let settings: Explorer.Settings
    private let server: LocalServer
    /// Opening this gate ends the running commands and the exploration.
    private let stop: Gate
    private let pool: AdapterPool
    private let knownBroken: KnownBroken

    init(_ options: Explore, families: Set<FaultKind.Family>) throws(Failure) {
        self.options = options
        var settings = Explorer.Settings()
        settings.seed = options.seed ?? settings.seed
        settings.runs = options.runs
        settings.jobs = options.jobs
        settings.isThorough = options.thorough
        settings.mayFail = options.mayFail
        settings.confirmation = options.confirm
        settings.families = families
        settings.timeLimit = options.timeLimit.map { .seconds($0.seconds) }
        settings.stories = try Self.stories(options)
        self.settings = settings
        // Creating a folder needs the same permissions as creating a file, so check a file instead.
        let isThere = access(options.output, F_OK) == 0
        guard !isThere || access(options.output + "/", F_OK) == 0 else {
            throw .running(Messages.unwritable(options.output, reason: "it is not a folder"))
        }
        knownBroken = try options.reports.begin(
            checks: Symptom.ids,
            writing: [options.page.html, isThere ? options.output + "/found.yaml" : options.output])
        server = try Harness.startServer(
            options.wire, pace: options.instant ? .instant : .human, for: settings.stories.map(\.scenario))
        stop = try orFailure(try Gate(), Failure.running)
        pool = AdapterPool(options.command)
    }

    // MARK: Stories and worlds

    /// The stories to play.
    ///
    /// A command plays its own story in a scenario's world; an adapter plays ours.
    private static func stories(_ options: Explore) throws(Failure) -> [Story] {
        let guide: GuideMode? = try Settings.choice(options.guide, of: "--guide")
        guard options.adapter else {
            return [try .ofCommand(in: options.scenario ?? Scenario.defaultName, seed: options.seed, guide: guide)]
        }
        let world = try options.scenario.map { (name) throws(Failure) in
            try Story.ofCommand(in: name, seed: options.seed, guide: guide)
        }
        return Story.all.map { story in
            world.map { story.inWorld($0.scenario, document: $0.document, isForeign: true) }
                ?? story.with(seed: options.seed, guide: guide)
        }
    }

    // MARK: Exploring

    func explore() throws {
        let progress =
            options.quiet
            ? nil
            : ExploreProgress { [budget = options.time?.components.seconds] in
                Messages.exploringBegins(seconds: $0, budget: budget)
            }
        let runCount = Mutex(0)
        let work: @Sendable () async throws -> Exploration = { [self] in
            let begin = MonotonicInstant.now()
            let end = options.time.map { begin.advanced(by: $0) }
            // The rest of the time is reserved for confirming the latest symptoms.
            let lastBegin = options.time.map { begin.advanced(by: $0 - min($0 * 3 / 20, Self.longestRest)) }
            let stopping: @Sendable () -> Exploration.Ending? = { [stop] in
                stop.wait(until: .now()) ? .interrupted : lastBegin.map { $0 <= .now() } ?? false ? .budget : nil
            }
            return try await Explorer(settings).explore(
                with: trial(until: end) { runCount.withLock { $0 += 1 } }, stopping: stopping
            ) { so in
                let (counts, findings) = (so.counts, so.found.count)
                progress?.say { seconds in
                    Messages.explored(
                        counts, of: options.runs, runs: runCount.withLock { $0 }, findings: findings, seconds: seconds,
                        budget: options.time?.components.seconds)
                }
            }
        }
        let (exploration, signal) = try wait(work) { progress?.tick() }
        progress?.end()
        try tell(exploration, signal: signal)
    }

    /// The maximum time left for confirmations.
    private static let longestRest = Duration.seconds(20)

    /// - Parameters:
    ///   - end: when to interrupt commands and start no more adapters.
    ///   - whenDone: called after each run, from any thread.
    private func trial(
        until end: MonotonicInstant? = nil, whenDone: @escaping @Sendable () -> Void = {}
    ) -> any Trial {
        if options.adapter {
            let trial = StageTrial(on: server, of: settings.stories) { [pool] in try await pool.begin($0) }
            return EndingTrial(trial: trial, end: end, whenDone: whenDone)
        }
        let limit = settings.timeLimit ?? ExploreLimits.run
        var run = CommandRun(command: options.command, limit: limit, server: server, stop: stop)
        run.child.end = end
        return EndingTrial(trial: CommandTrial(run), end: end, whenDone: whenDone)
    }

    private func wait<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value, everySecond tick: () -> Void = {}
    ) throws -> (Value, signal: Int32?) {
        defer { try? Blocking.wait { [pool] in await pool.stop() } }
        let done = try Blocking.waitOnMain(for: work, stop: stop, kill: { [pool] in pool.kill() }, everySecond: tick)
        if done.signal == nil, let trouble = pool.trouble { throw Failure.configuration(trouble.description) }
        return done
    }

    // MARK: Replaying a finding

    /// Plays a previously found scenario; the comments in its file name the adapter's story.
    func play(_ path: String) throws {
        let bytes = try InputFile.read(path, limit: ScenarioLimits.fileBytes)
        let guide: GuideMode? = try Settings.choice(options.guide, of: "--guide")
        let plan = ScenarioPlan(source: .file(path), seed: options.seed, guide: guide)
        let scenario = try orMistakes(in: path, try plan.read(bytes, file: path))
        let (index, isHarmed) = try options.adapter ? story(of: bytes) : (0, true)
        let ((outcome, calm), signal) = try wait { [self] in
            let limit = RunLimit(whole: settings.timeLimit ?? ExploreLimits.run)
            // Only a run without faults shows which problems occur anyway. The file may use a different guide and seed.
            let world = settings.stories[index].with(seed: scenario.seed, guide: scenario.guide).scenario
            let calm = try await isHarmed ? nil : trial().run(world, story: index, within: limit)
            return (try await trial().run(scenario, story: index, within: limit), calm)
        }
        if let signal { throw Failure.interrupted(by: signal) }
        var oracle = Oracle(settings.stories, mayFail: settings.mayFail)
        if let calm {
            oracle.learn(calm, story: index)
            let usual = ExaminedRun(calm, of: Schedule(story: index), on: settings.stories[index], oracle).symptoms
            for symptom in usual { oracle.excuse(symptom.id, story: index) }
        }
        let examined = ExaminedRun(
            outcome, of: Schedule(story: index), on: settings.stories[index], oracle, isHarmed: isHarmed)
        let verdicts = examined.reading.verdicts
        let checks = examined.symptoms.filter { symptom in !verdicts.contains { $0.obligation.id == symptom.id } }
            .map { Report.Check(address: $0.id, clause: Messages.exploredClause, failures: [$0.message]) }
        let run = Report.Run(
            scenario: scenario.name, mode: outcome.mode, startedAt: outcome.startedAt,
            hasConnected: outcome.hasConnected, verdicts: verdicts, exposures: [], coverage: examined.reading.coverage,
            checks: checks)
        let journal = options.page.journal
        if let journal { for entry in outcome.entries { journal.append(entry, of: scenario.name) } }
        let made = outcome.made.filter(\.judgement.hasConnected).map { $0.report(in: scenario.name) }
        let report = Report(title: title, runs: [run] + made)
        try options.reports.tell(
            report, knownBroken: knownBroken, page: options.page.file(report, journal, knownBroken))
    }

    private func story(of file: [UInt8]) throws(Failure) -> (index: Int, isHarmed: Bool) {
        let mark = "# story: "
        let note = String(decoding: file, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(mark) }?
            .dropFirst(mark.count)
        let isHarmed = !(note?.hasSuffix(Discovery.expecting) ?? false)
        let name = isHarmed ? note : note?.dropLast(Discovery.expecting.count)
        if let index = settings.stories.firstIndex(where: { $0.name == name ?? "" }) { return (index, isHarmed) }
        throw .configuration(Messages.unknownStory(name.map(String.init), allowed: settings.stories.map(\.name)))
    }

    // MARK: Reporting

    private var title: String { options.command.map(\.shellQuoted).joined(separator: " ") }

    /// Reports the findings, and then any files that could not be written.
    private func tell(_ exploration: Exploration, signal: Int32?) throws(Failure) {
        let journal = options.page.journal
        var written: [ExactString: String] = [:]
        var trouble: Failure?
        do throws(Failure) {
            if !exploration.found.isEmpty, mkdir(options.output, 0o777) != 0, errno != EEXIST {
                throw .running("cannot create the folder '\(options.output)': \(String(cString: strerror(errno))).")
            }
            for found in exploration.found { written[ExactString(found.name)] = try write(found) }
        } catch {
            trouble = error
        }
        let name = options.adapter && options.scenario == nil ? Messages.stories : settings.stories[0].scenario.name
        var report = exploration.report(title: title, named: name) { found in
            written[ExactString(found.name)].map { ($0, replay($0)) }
        }
        if exploration.ended == .interrupted {
            report.incomplete =
                "\(Messages.interruptedRun): this report covers "
                + "\(Words.counted(exploration.counts.schedules, "schedule"))."
        } else if exploration.isUsedUpWithoutFaults, let budget = options.time {
            report.incomplete =
                "The runs without faults used up --budget \(Lifetime(seconds: budget.components.seconds)), so "
                + "no fault was tried: set a longer --budget."
        }
        // The list may have lines for other commands.
        let symptoms = Set((Symptom.ids + Judge.obligations.map(\.id)).map { ExactString($0) })
        report.runs[0].checks += knownBroken.lines
            .filter { $0.scenario == nil && symptoms.contains($0.subject) && exploration.refutes($0.subject) }
            .map { Report.Check(address: $0.subject.text, clause: Messages.exploredClause, failures: []) }
        for run in report.runs.indices {
            for check in report.runs[run].checks.indices
            where report.runs[run].checks[check].address == ExploreCheck.command.rawValue {
                report.runs[run].checks[check].clause += " --may-fail accepts any exit status."
            }
        }
        // Only the page shows the evidence for broken obligations.
        var page = report
        for (index, found) in exploration.found.enumerated() {
            page.runs[index + 1].verdicts = found.verdict.map { [$0] } ?? []
            if let journal { for entry in found.run.outcome.entries { journal.append(entry, of: found.name) } }
        }
        do throws(Failure) {
            try options.reports.tell(
                report, knownBroken: knownBroken, page: options.page.file(page, journal, knownBroken), signal: signal)
        } catch {
            throw trouble ?? error
        }
        if let trouble { throw trouble }
    }

    /// Writes a discovery's file and returns its path.
    private func write(_ found: Discovery) throws(Failure) -> String {
        let path = "\(options.output)/\(found.name).yaml"
        let comments = [
            "Found by: fitiq-mock \(CurrentProcess.arguments.dropFirst().map(\.shellQuoted).joined(separator: " "))",
            found.sentence.onOneLine(limit: 300), "Play it: \(replay(path))",
        ]
        try orFailure(try WholeFile.write(found.file(comments: comments), to: path), Failure.unwritten)
        return path
    }

    private func replay(_ path: String) -> String {
        // `verify` does not have these options.
        let isExplored = options.adapter || options.instant
        let words = isExplored ? ["explore"] + given + ["--replay"] : ["verify"] + given + ["--scenario"]
        return "fitiq-mock \((words + [path.shellQuoted]).joined(separator: " ")) -- \(title)"
    }

    /// The options that the user gave and that define a run.
    private var given: [String] {
        var words = options.adapter ? ["--adapter"] : []
        if options.instant { words.append("--instant") }
        if options.mayFail { words.append("--may-fail") }
        if let guide = options.guide { words += ["--guide", guide] }
        if let seed = options.seed { words += ["--seed", "\(seed)"] }
        words += options.wire.words
        if let limit = options.timeLimit { words += ["--time-limit", "\(limit)"] }
        return words
    }
}

/// A trial that starts no more runs once its time is up.
private struct EndingTrial<Runner: Trial>: Trial {
    let trial: Runner
    let end: MonotonicInstant?
    let whenDone: @Sendable () -> Void
    var isRepeatable: Bool { trial.isRepeatable }

    func run(_ scenario: Scenario, story: Int, within limit: RunLimit) async throws -> TrialOutcome {
        if let end, end <= .now() { throw CancellationError() }
        defer { whenDone() }
        return try await trial.run(scenario, story: story, within: limit)
    }
}

extension Story {
    /// The story of a command, in a built-in scenario or a file.
    static func ofCommand(in name: String, seed: UInt64?, guide: GuideMode?) throws(Failure) -> Story {
        let source = try ScenarioSource(name)
        let scenario = try ScenarioPlan(source: source, seed: seed, guide: guide).loadChecked()
        return Story("command", scenario: scenario, document: try source.document()).with(seed: seed, guide: guide)
    }
}
