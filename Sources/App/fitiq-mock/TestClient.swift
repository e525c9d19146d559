import ArgumentParser
import ContractSuite
import FitIQAPI
import FitIQBackend
import Judging
import MockServer
import Scenarios
import Sockets
import Text
import Traffic

struct TestClient: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test-client",
        abstract: "Check a client in any language from both sides: what its user sees, and what the server sees.",
        usage: "fitiq-mock test-client [<options>] -- <adapter> ...",
        discussion: """
            The adapter is a program that drives the client: it reads commands from its standard input and answers on \
            its standard output, one JSON object per line. Fixtures/adapters/README.md specifies the commands.

            A wait for the client ends early once the client and the backend have been idle for 5 s, or for 45 s \
            while the client shows a connection, because it may be waiting for a pong. After Ctrl-C or at the time \
            limit, the report covers the finished cases.

            Exit codes: 0 every case passed, 1 a case failed or a must is broken, 2 usage or configuration error, 3 \
            the harness failed, 4 the client never connected, 130 Ctrl-C.
            """)

    @Option(
        "Run only this case, or the cases below this address: consultation, consultation/create; may be "
            + "repeated.", "address",
        .cases, name: .customLong("case"))
    var cases: [String] = []

    @Option(
        "Skip this case, or the cases below this address; may be repeated.", "address", .cases,
        name: .customLong("skip"))
    var skipped: [String] = []

    @Flag(help: "List the cases without running them.")
    var list = false

    @Option("Run only the cases that use this guide's answers.", "name", .guides)
    var guide: String?

    @Flag(help: "Fail a case if the client does not reach the situation that the case tests.")
    var strict = false

    @Flag(help: "Stop after the first case that fails.")
    var failFast = false

    @Option(
        "How long all cases may take together, from 1s to 1d; later cases are skipped. (default: no limit)", "duration",
        parsing: .unconditional)
    var timeLimit: Lifetime?

    @Flag(help: "Show every line to (>) and from (<) the adapter, on standard error.")
    var trace = false

    @OptionGroup var wire: WireOptions

    @OptionGroup var reports: ReportOptions

    @Flag(help: "Print no progress while the cases run.")
    var quiet = false

    @Argument(
        parsing: .postTerminator, help: .init("The adapter and its arguments.", valueName: "adapter"),
        completion: .file())
    var command: [String] = []

    func run() throws {
        let selected = try CaseSelection.cases(prefixes: cases, skipping: skipped, guide: guide)
        if list {
            print(ListScenarios.table(selected.map { ($0.address, $0.title) }))
            return
        }
        try Harness.check(command, of: "test-client", example: Messages.testClientExample, limit: timeLimit)
        let knownBroken = try reports.begin(checks: ContractCase.all.map(\.address))
        let adapter = ProcessAdapter(command, trace: trace ? Self.show : nil)
        let run = TestClientRun(
            adapter: adapter, server: try Harness.startServer(wire), cases: selected, isStrict: strict,
            failsFast: failFast, knownBroken: knownBroken,
            progress: quiet ? nil : JobProgress(noun: "case", count: selected.count, isTerminal: false))
        let wait = try MainWait()
        let jobs = Jobs<CaseResult>(count: selected.count, wait.mailbox)
        try jobs.start(1) { run.play(jobs) }
        let done = try jobs.finished(wait, limit: timeLimit.map { .seconds($0.seconds) }) { adapter.kill() }
        var report = Report(title: command.map(\.shellQuoted).joined(separator: " "), results: done.outputs)
        report.incomplete = done.reason.map { Messages.incomplete($0, done.outputs, of: selected.count) }
        try reports.tell(report, knownBroken: knownBroken, signal: done.signal)
    }

    private static let show: AdapterTrace = { direction, line in FitIQMock.printToStandardError(told(direction, line)) }

    /// A trace line in which terminal control characters are escaped.
    static func told(_ direction: AdapterTraceDirection, _ line: ArraySlice<UInt8>) -> String {
        "\(direction == .sent ? ">" : "<") \(String(decoding: line, as: UTF8.self).onOneLine(limit: .max))\n"
    }
}

enum CaseSelection {
    /// The given guide's cases below one of the addresses, except for the cases to skip.
    ///
    /// A word that does not select any case is an error.
    static func cases(
        of all: [ContractCase] = ContractCase.all, prefixes: [String], skipping skipped: [String] = [],
        guide: String? = nil
    ) throws(Failure) -> [ContractCase] {
        for prefix in prefixes + skipped where !all.contains(where: { $0.isSelected(by: prefix) }) {
            let near = NearestWord.find(prefix, among: all.flatMap { beginnings(of: $0.address) })
            throw .configuration(Messages.unknownCase(prefix, nearest: near))
        }
        let mode: GuideMode? = try Settings.choice(guide, of: "--guide")
        let selected = all.filter { contractCase in
            (prefixes.isEmpty || prefixes.contains { contractCase.isSelected(by: $0) })
                && (mode == nil || (contractCase.guide ?? .union) == mode)
        }
        guard !selected.isEmpty else { throw .configuration(Messages.noCaseOfGuide(guide ?? "")) }
        let left = selected.filter { contractCase in !skipped.contains { contractCase.isSelected(by: $0) } }
        guard !left.isEmpty else { throw .configuration(Messages.allSkipped) }
        return left
    }

    /// The words that select a case: `chat`, `chat/answer` and `chat/answer/as-scripted`.
    private static func beginnings(of address: String) -> [String] {
        let parts = address.split(separator: "/")
        return parts.indices.map { parts[...$0].joined(separator: "/") }
    }
}

/// Plays cases with an adapter, one after another.
struct TestClientRun: Sendable {
    let adapter: ProcessAdapter
    let server: LocalServer
    let cases: [ContractCase]
    let isStrict: Bool
    /// Whether to stop after the first failed case; cases known to be broken do not count.
    let failsFast: Bool
    let knownBroken: KnownBroken
    /// Shows progress, or nil to show nothing.
    let progress: JobProgress?

    func play(_ jobs: Jobs<CaseResult>) {
        do {
            try Blocking.wait { try await play(jobs) }
        } catch let failure as Failure {
            jobs.end(.failure(failure))
        } catch {
            jobs.end(.failure(.running(Messages.noServer("\(error)"))))
        }
        try? Blocking.wait { await adapter.stop() }
    }

    private func play(_ jobs: Jobs<CaseResult>) async throws {
        var runner = CaseRunner(on: server)
        runner.isStrict = isStrict
        var deaths = 0
        while let index = jobs.take() {
            let (contractCase, trouble) = (cases[index], Box<AdapterError>())
            let result = try await runner.run(contractCase) { surroundings in
                do throws(AdapterError) {
                    return try await adapter.begin(surroundings, case: contractCase.address)
                } catch {
                    trouble.value = error
                    throw error
                }
            }
            guard !jobs.isOver else { return }
            deaths = trouble.value?.isDeath == true ? deaths + 1 : 0
            // An adapter that dies in the first case would die in all the others too.
            if index == 0, let error = trouble.value, error.isDeath { throw Failure.configuration(error.description) }
            guard jobs.finish(index, result) else { return }
            progress?.say(index, contractCase.address, Messages.ended(result))
            guard index + 1 < cases.count else { return }
            if deaths > 1 { jobs.end(.success(Messages.adapterDies)) }
            if failsFast, fails(result) { jobs.end(.success(Messages.failedFast)) }
        }
    }

    private func fails(_ result: CaseResult) -> Bool {
        let outcome = Report(title: "", results: [result]).outcome(knownBroken: knownBroken)
        return outcome[.broken] > 0 || outcome.failedCheckCount > 0
    }
}

/// The in-process server shared by all commands that judge clients.
///
/// Failures of the server count as harness failures.
enum Harness {
    /// Rejects a missing command, and a time limit that is too short or too long.
    static func check(_ command: [String], of name: String, example: String, limit: Lifetime?) throws(Failure) {
        guard let program = command.first, !program.isEmpty else {
            throw .configuration(Messages.noCommand(name, example: example))
        }
        if let limit, !Verify.timeLimits.contains(limit.seconds) { throw .configuration(Messages.badTimeLimit) }
    }

    /// Starts a server on a free port that only this machine can reach.
    ///
    /// - Parameter scenarios: The scenarios of its worlds, if they may name upstreams.
    static func startServer(
        _ wire: WireOptions? = nil, pace: Pace = .human, for scenarios: [Scenario] = []
    ) throws(Failure) -> LocalServer {
        var configuration = Engine.Configuration()
        configuration.pace = pace
        let upstreams = Set(scenarios.compactMap { $0.upstream?.url })
        if !upstreams.isEmpty {
            configuration.upstreamCredentials = try Settings.upstreamCredentials()
            configuration.upstreamCredentials.servers = upstreams
        }
        configuration.limits.worldIdleTime = ServerLimits.testedWorldIdleTime
        try wire?.apply(to: &configuration)
        do {
            return try LocalServer(configuration)
        } catch {
            throw .running(Messages.noServer("\(error)"))
        }
    }

    static func perform<Value: Sendable>(
        _ server: LocalServer, _ body: @escaping @Sendable (Engine, Timestamp) throws -> Value
    ) throws(Failure) -> Value {
        do {
            return try server.performAndWait(body)
        } catch let error as APIError {
            throw .running(Messages.noWorld(error.message))
        } catch {
            throw .running(Messages.noServer("\(error)"))
        }
    }

    /// The environment variables that describe a world to a program.
    static func environment(of world: Engine.WorldAccess, scenario: String) -> [(name: String, value: String)] {
        environment([
            (.url, world.url), (.wsUrl, world.webSocketURL), (.token, world.token),
            (.freshToken, world.freshToken), (.refreshToken, world.refreshToken), (.apiKey, world.apiKey),
            (.scenario, scenario), (.adminUrl, world.adminURL),
        ])
    }

    /// Each non-nil value, both under its own name and under the name that `xcodebuild` passes on to tests.
    static func environment(_ values: [(setting: Setting, value: String?)]) -> [(name: String, value: String)] {
        values.flatMap { setting, value in
            value.map { value in ["", "TEST_RUNNER_"].map { ($0 + setting.variable, value) } } ?? []
        }
    }
}
