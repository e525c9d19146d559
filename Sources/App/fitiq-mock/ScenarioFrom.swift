import ArgumentParser
import ContractSuite
import FitIQAPI
import JSON
import Judging
import MockServer
import Scenarios
import Sockets
import Text
import Traffic

struct ScenarioCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scenario",
        abstract:
            "Create a scenario from a recorded session.", subcommands: [ScenarioFrom.self])
}

struct ScenarioFrom: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "from",
        abstract: "Create the smallest scenario in which a client still fails as it did in a recorded session.",
        usage: "fitiq-mock scenario from <session> [<options>] -- <command> ...",
        discussion: """
            Turns everything that the fake would not normally do into faults: errors, lost and late answers, closed \
            sockets, the coach's words. Runs the command against all of these, then against fewer and milder faults, \
            as long as the client still breaks an obligation that the recorded client broke. If the recorded client \
            broke no obligation, or only known ones, the command must still fail.

            Exit codes: 0 the scenario was written, 1 the command did not fail as it did in the session, or failed \
            without any fault, or the session has too many faults, 2 usage or configuration error, 3 the harness \
            failed, 130 Ctrl-C, after which the command writes the smallest scenario found so far, if there is one.
            """)

    @Argument(help: .init("The session, a HAR.", valueName: "session"), completion: .sessions)
    var session: String

    @Option("The file for the scenario.", "file", .file())
    var output = "found.yaml"

    @Option("Follow one guide exactly. (default: union)", "name", .guides)
    var guide: String?

    @Option("How long the command may take for one run, from 1s to 1d.", "duration", parsing: .unconditional)
    var timeLimit = Lifetime(seconds: 60)

    @Option("How often the command must fail, as FAILED/RUNS, in at most 20 runs.", "k/n")
    var confirm = Explorer.Settings().confirmation

    @Option(
        "A file of known-broken obligations and checks, one per line; the search ignores them.", "file",
        .file())
    var knownBroken: String?

    @Argument(
        parsing: .postTerminator, help: .init("The command and its arguments.", valueName: "command"),
        completion: .file())
    var command: [String] = []

    func validate() throws { if output.isEmpty { throw ValidationError(Messages.empty("--output")) } }

    func run() throws {
        try Harness.check(command, of: "scenario from", example: Messages.scenarioFromExample, limit: timeLimit)
        let mode: GuideMode = try Settings.choice(guide, of: "--guide") ?? .union
        try orFailure(try WholeFile.check(output), Failure.unwritten)
        let known = try ReportOptions.knownBroken(in: knownBroken, checks: Symptom.ids)
        let file = try SessionFile.read(session)
        SessionFile.tellNotes(of: file, named: session)
        let journal = SessionJournal(file)
        let entries = try recordedEntries(of: journal)
        let recorded = RecordedSchedule(entries)
        guard recorded.omittedCount == 0 else {
            FitIQMock.printError(
                "'\(session)' has \(ExploreLimits.recordedFaults + recorded.omittedCount) faults; at most "
                    + "\(ExploreLimits.recordedFaults) can be translated: record a shorter session.")
            throw Failure.told(exitCode: 1)
        }
        let story = try Story.ofCommand(in: Scenario.defaultName, seed: nil, guide: guide == nil ? nil : mode)
        let stop = try orFailure(try Gate(), Failure.running)
        let trial = CommandTrial(
            CommandRun(
                command: command, limit: .seconds(timeLimit.seconds), server: try Harness.startServer(), stop: stop))
        let target = Self.target(of: entries, mode, journal.evidence, known)
        guard !target.ids.isEmpty else { throw Failure.configuration(Messages.allIsKnown) }
        FitIQMock.printError(Messages.looksFor(target.ids, isFailure: target.isFailure, known: target.known))
        let progress = ExploreProgress { Messages.searchBegins(seconds: $0) }
        let work: @Sendable () async throws -> RecordedSearch = {
            var search = RecordedSearch(
                trial: trial, story: story, ids: Set(target.ids.map { ExactString($0) }), confirmation: confirm,
                progress: progress)
            try await search.reduce(recorded.schedule)
            return search
        }
        let (search, signal) = try Blocking.waitOnMain(for: work, stop: stop) { progress.tick() }
        progress.end()
        guard let smallest = search.smallest else {
            FitIQMock.printError(
                "with all of the session's faults, the command did not fail as the recorded client did. To play "
                    + "the session unchanged, use a scenario with 'replay: \(session)'. The first differences between "
                    + "the session and the run:")
            let differences = SessionComparison(file.session, Session(search.lastEntries, origin: Self.origin))
            let lines = differences.text(names: session, Messages.commandRuns).split(separator: "\n")
            for line in lines.prefix(12) { FitIQMock.printToStandardError("  \(line)\n") }
            throw Failure.told(exitCode: 1)
        }
        guard !smallest.faults.isEmpty || signal != nil else {
            FitIQMock.printError(Messages.needsNoFault(search.shown.map(\.text).sorted()))
            throw Failure.told(exitCode: 1)
        }
        try write(smallest, story, target.ids, isEnd: signal == nil)
        if let signal { throw Failure.interrupted(by: signal, isReported: true) }
    }

    private static let origin = "http://127.0.0.1"

    /// The entries of the world that has the most entries.
    private func recordedEntries(of journal: SessionJournal) throws(Failure) -> [JournalEntry] {
        let worlds = Dictionary(grouping: journal.lines, by: \.world)
        // Break ties by name, so that identical files give identical scenarios.
        let most = worlds.max { one, other in
            (one.value.count, other.key?.text ?? "") < (other.value.count, one.key?.text ?? "")
        }
        guard let entries = most?.value.map(\.entry) else { throw .configuration(Messages.emptySession(session)) }
        return entries
    }

    /// The recorded client's breaches or, if there are none but known ones, the command's failure.
    static func target(
        of entries: [JournalEntry], _ mode: GuideMode, _ evidence: Evidence, _ known: KnownBroken = .none
    ) -> (ids: [String], isFailure: Bool, known: [String]) {
        func isNews(_ id: String) -> Bool { !known.lists(id, in: Scenario.defaultName) }
        var judge = Judge(mode: mode, evidence: evidence)
        for entry in entries { judge.observe(entry) }
        let all = judge.verdicts().filter { $0.outcome == .broken }.map(\.obligation.id)
        let (broken, known) = (all.filter(isNews), all.filter { !isNews($0) })
        let failures: [ExploreCheck] = [.command, .crash, .hang]
        return broken.isEmpty ? (failures.map(\.rawValue).filter(isNews), true, known) : (broken, false, known)
    }

    private func write(_ schedule: Schedule, _ story: Story, _ ids: [String], isEnd: Bool) throws {
        let title = command.map(\.shellQuoted).joined(separator: " ")
        let comments =
            [
                "Made by: fitiq-mock scenario from \(session.shellQuoted) -- \(title)",
                "Play it: fitiq-mock verify --scenario \(output.shellQuoted) -- \(title)",
            ] + (isEnd ? [] : [Messages.notTheEnd])
        let file = schedule.file(
            on: story.document, named: "from-\(SessionFile.name(of: session))".onOneLine(limit: 90),
            summary: Messages.summary(of: schedule, ids), comments: comments)
        try orFailure(try WholeFile.write(file, to: output), Failure.unwritten)
        if !isEnd { FitIQMock.printError(Messages.notTheEnd) }
        print("\(output): \(schedule)\nfitiq-mock verify --scenario \(output.shellQuoted) -- \(title)")
    }
}

/// Searches for the smallest part of a recorded schedule with which a command still shows a symptom.
private struct RecordedSearch: Sendable {
    let trial: CommandTrial
    let story: Story
    /// The IDs of the symptoms; one of them is enough.
    let ids: Set<ExactString>
    let confirmation: Explorer.Confirmation
    let progress: ExploreProgress
    /// The smallest schedule found, or nil if the command shows no symptom.
    private(set) var smallest: Schedule?
    /// The IDs of the symptoms in the last run that showed any.
    private(set) var shown: Set<ExactString> = []
    /// The entries of the last run.
    private(set) var lastEntries: [JournalEntry] = []
    fileprivate var runCount = 0

    /// Makes the schedule as small as possible, or stops when the search is stopped.
    mutating func reduce(_ schedule: Schedule) async throws {
        guard try await fails(schedule, of: schedule) else { return }
        progress.end()
        FitIQMock.printError(
            "the session has \(Words.counted(schedule.faults.count, "fault or answer", "faults and answers")); "
                + "now reducing them")
        var shrink = Shrink(schedule, points: [])
        smallest = schedule
        do {
            while let candidate = shrink.next() {
                shrink.tell(try await fails(candidate, of: shrink.smallest))
                smallest = shrink.smallest
            }
        } catch {
            // A run that was stopped may fail in any way.
            guard trial.run.child.stop.wait(until: .now()) else { throw error }
        }
    }

    /// Whether the command shows one of the symptoms often enough.
    private mutating func fails(_ schedule: Schedule, of smallest: Schedule) async throws -> Bool {
        let oracle = Oracle([story])
        var (failed, made) = (0, 0)
        while failed < confirmation.needed, made - failed <= confirmation.tries - confirmation.needed {
            let run = try await ExaminedRun(schedule, on: story, with: trial, oracle)
            lastEntries = run.outcome.entries
            (made, runCount) = (made + 1, runCount + 1)
            let symptoms = ids.intersection(run.symptoms.map { ExactString($0.id) })
            if !symptoms.isEmpty { (failed, shown) = (failed + 1, symptoms) }
            let (runs, faults) = (runCount, smallest.faults.count)
            progress.say { Messages.reducing(runs: runs, faults: faults, seconds: $0) }
        }
        return failed >= confirmation.needed
    }
}
