import ArgumentParser
import ContractSuite
import FitIQAPI
import Judging
import MockServer
import Scenarios
import Sockets
import Text

struct Explore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explore",
        abstract: "Find the faults that break a client, first single faults and then pairs, and report the smallest.",
        usage: "fitiq-mock explore [<options>] -- <command> ...",
        discussion: """
            Runs the command repeatedly, each time against a fresh world with a fault in a different place. The \
            command finds its backend in its environment, as with 'fitiq-mock verify'. Shows the command's output for \
            the first run, which has no faults.

            Writes each finding to the --output folder, as a scenario with as few faults as possible; \
            'verify --scenario' runs it again. After Ctrl-C the report lists the findings so far.

            Exit codes: 0 no finding that fails a run, 1 a finding, an obligation that --known-broken lists is kept, \
            or the command fails without faults, 2 usage or configuration error, 3 the harness failed, 4 the client \
            never connected, 130 Ctrl-C.
            """)

    @Flag(
        help: """
            The command is an adapter, as for 'test-client': 'explore' runs stories with it and checks what its user \
            sees.
            """)
    var adapter = false

    @Option(
        "The world in which faults are injected: a built-in scenario or a file. With --adapter, it replaces the "
            + "stories' own worlds. (default: default)", "name|file", .scenarios)
    var scenario: String?

    @Option("Follow one guide exactly. (default: as the scenario says)", "name", .guides)
    var guide: String?

    @Option(
        "The random seed for ids, timing and the order of the schedules. (default: the scenario's, else 1)", as: .seed)
    var seed: UInt64?

    @Option(
        "How long to explore, from 1s to 7d. (default: 5m, or no limit with --runs)", "duration",
        parsing: .unconditional)
    var budget: Lifetime?

    @Option(
        "The maximum number of schedules, from 1 to 10000000. (default: no limit)", "number", parsing: .unconditional)
    var runs: Int?

    @Option("How many schedules run at once, from 1 to 16, each in its own world.", "number", parsing: .unconditional)
    var jobs = ExploreLimits.jobs.upperBound

    @Flag(help: "Answer without artificial delays. Delays from faults, and the client's own waits, remain.")
    var instant = false

    @Flag(
        help: """
            Also try schedules that differ only in where a fault acts: the same kind at equal points in the same \
            situation.
            """)
    var thorough = false

    @Flag(
        help: """
            Accept any exit status as a reaction to a fault; only a signal and the time limit fail a run.
            """)
    var mayFail = false

    @Option(
        "How long the command may take for one schedule, from 1s to 1d. (default: ten times as long as it takes "
            + "without faults, but at least 40s and at most 60s)", "duration", parsing: .unconditional)
    var timeLimit: Lifetime?

    @Option("How often a finding must appear, as FAILED/RUNS, in at most 20 runs.", "k/n")
    var confirm = Explorer.Settings().confirmation

    @Option(
        "Use only this family of faults: \(FaultFamilies.words); may be repeated.", "family",
        .values(of: FaultKind.Family.self))
    var only: [String] = []

    @Option("Leave out this family of faults; may be repeated.", "family", .values(of: FaultKind.Family.self))
    var without: [String] = []

    @Option("The folder for the findings' scenarios, created when the first finding is saved.", "folder", .directory)
    var output = "found"

    @Option("Run only this finding's scenario.", "file", .file(extensions: ["yaml"]))
    var replay: String?

    @Flag(help: "List the kinds of faults, their families and rules, without running anything.")
    var list = false

    @OptionGroup var wire: WireOptions

    @OptionGroup var reports: ReportOptions

    @OptionGroup var page: PageOption

    @Flag(help: "Print no progress while schedules run.")
    var quiet = false

    @Argument(
        parsing: .postTerminator, help: .init("The command and its arguments.", valueName: "command"),
        completion: .file())
    var command: [String] = []

    /// How long to explore, or nil for no limit.
    var time: Duration? { budget.map { .seconds($0.seconds) } ?? (runs == nil ? .seconds(300) : nil) }

    func validate() throws {
        for (name, value) in [("--output", output), ("--replay", replay)] where value == "" {
            throw ValidationError(Messages.empty(name))
        }
    }

    func run() throws {
        let families = try FaultFamilies.chosen(only: only, without: without)
        if list {
            print(FaultFamilies.table(families))
            return
        }
        try Harness.check(command, of: "explore", example: Messages.exploreExample, limit: timeLimit)
        guard budget.map({ ExploreLimits.budget.contains(.seconds($0.seconds)) }) ?? true else {
            throw Failure.configuration(Messages.badBudget)
        }
        guard runs.map(ExploreLimits.runs.contains) ?? true else { throw Failure.configuration(Messages.badRuns) }
        guard ExploreLimits.jobs.contains(jobs) else { throw Failure.configuration(Messages.badJobs) }
        let run = try ExploreRun(self, families: families)
        if let replay { try run.play(replay) } else { try run.explore() }
    }
}

/// Parses the value of `--confirm`, such as `2/3`.
extension Explorer.Confirmation: ExpressibleByArgument {
    public init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let needed = parts[0], let tries = parts[1], (1...ExploreLimits.tries).contains(tries),
            (1...tries).contains(needed)
        else { return nil }
        self.init(needed, of: tries)
    }
}

/// The fault families by the names that options use.
enum FaultFamilies {
    static let words = Words.list(FaultKind.Family.allCases.map(\.rawValue))

    static func chosen(only: [String], without: [String]) throws(Failure) -> Set<FaultKind.Family> {
        var families = Set(only.isEmpty ? FaultKind.Family.allCases : [])
        for word in only { families.formUnion([try Settings.choice(word, of: "--only")].compactMap { $0 }) }
        for word in without { families.subtract([try Settings.choice(word, of: "--without")].compactMap { $0 }) }
        guard !families.isEmpty else { throw .configuration(Messages.noFamilies) }
        return families
    }

    /// A line for each fault kind in the families: family, ID, and the rules for an example place.
    static func table(_ families: Set<FaultKind.Family>) -> String {
        let width = FaultKind.Family.allCases.map(\.rawValue.count).max() ?? 0
        let rows = FaultKind.all.filter { families.contains($0.family) }.map { kind in
            let family = kind.family.rawValue
            let fault = examples.lazy.filter(kind.fits).map { Schedule.Fault(kind, at: $0) }.first {
                ["faults", "overlay"].contains($0.list)
            }
            let rules = fault?.rules(named: kind.id) ?? []
            return (
                name: family + String(repeating: " ", count: width - family.count + 2) + kind.id,
                summary: rules.isEmpty ? Messages.noRule : rules.map(\.description).joined(separator: " ")
            )
        }
        return ListScenarios.table(rows)
    }

    private static let examples: [FaultPoint.Place] = [
        .request(.createGoal, 1), .request(.createConsultation, 1), .request(.listGoals, 1),
        .request(.createMealLog, 1), .handshake(.webSocket, 1),
        .chunk(.webSocket, connection: 1, answer: 1, 2),
        .after(.webSocket, connection: 1, type: "stream_chunk", 2), .question(turn: 1),
        .meal(text: "2 eggs"), .moment(seconds: 10),
    ]
}
