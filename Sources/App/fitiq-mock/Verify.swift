import ArgumentParser
import CLibrary
import FitIQAPI
import FitIQClient
import Judging
import MockServer
import Scenarios
import Sockets
import Synchronization
import Text

struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Run a client's own tests against the fake, and report which contract obligations it keeps.",
        usage: "fitiq-mock verify [<options>] -- <command> ...",
        discussion: """
            Runs the command once for each scenario, against a fresh world. The command finds its backend in its \
            environment:

              FITIQ_MOCK_URL            the base URL for REST; append /api/v1
              FITIQ_MOCK_WS_URL         the same for WebSockets
              FITIQ_MOCK_TOKEN          the bearer token
              FITIQ_MOCK_FRESH_TOKEN    another token, for use after a 401
              FITIQ_MOCK_REFRESH_TOKEN  the refresh token, if the user has an account
              FITIQ_MOCK_API_KEY        the X-API-Key
              FITIQ_MOCK_SCENARIO       the scenario's name
              FITIQ_MOCK_ADMIN_URL      the world's admin API; append /clock or /worlds

            Each is also set with the prefix TEST_RUNNER_: xcodebuild passes such variables to tests, without the \
            prefix. Worlds that the command creates below FITIQ_MOCK_ADMIN_URL are judged with the run, and end with \
            it.

            The command's output goes to standard error, and its standard input is empty. Standard output contains \
            only the report. After Ctrl-C the report covers the finished scenarios.

            Exit codes: 0 every exercised must is kept, 1 a must is broken, an obligation that --known-broken lists is \
            kept, or the command failed (in --known-broken: command), 2 usage or configuration error, 3 the harness \
            failed, 4 the client never connected, 130 Ctrl-C.
            """)

    @Option(
        "A built-in scenario (see 'fitiq-mock scenarios') or a file; may be repeated. (default: default)", "name|file",
        .scenarios, name: .customLong("scenario"))
    var scenarios: [String] = []

    @Flag(help: "Run every built-in scenario.")
    var all = false

    @Option(
        "Also run an older version of the command, twice, in identical worlds, and fail if the command does something "
            + "that the older version did not; the older version's breaches count as known.", "command")
    var against: String?

    @Option(
        "Run in worlds on this server or fleet, and judge their journals; use the server's plain HTTP port. "
            + "(default: a separate server)", "url")
    var server: String?

    @Option("The --admin-token of --server. (default: none)", "token")
    var adminToken: String?

    @Option("Follow one guide exactly. (default: as the scenario says)", "name", .guides)
    var guide: String?

    @Option("The random seed for ids and timing. (default: as the scenario says)", as: .seed)
    var seed: UInt64?

    @Option(
        "How long the command may take for one scenario, from 1s to 1d: 90s, 10m.", "duration", parsing: .unconditional)
    var timeLimit = Lifetime(seconds: 60)
    static let timeLimits: ClosedRange<Int64> = 1...86_400

    @Option(
        "How many scenarios run at once, from 1 to 16. With more than 1, verify shows a command's output after "
            + "the command ends, each line prefixed with the scenario.", "number", parsing: .unconditional)
    var jobs = 1
    static let jobLimit = 16

    @Flag(
        help: """
            Accept any exit status from the command, because a client may report an error that way. A signal and the \
            time limit still fail the run.
            """)
    var mayFail = false

    @OptionGroup var wire: WireOptions

    @OptionGroup var reports: ReportOptions

    @OptionGroup var page: PageOption

    @Flag(help: "Print no progress while the command runs.")
    var quiet = false

    @Argument(
        parsing: .postTerminator, help: .init("The command and its arguments.", valueName: "command"),
        completion: .file())
    var command: [String] = []

    func run() throws {
        try Harness.check(command, of: "verify", example: Messages.verifyExample, limit: timeLimit)
        if against == "" { throw Failure.configuration(Messages.empty("--against")) }
        guard (1...Self.jobLimit).contains(jobs) else { throw Failure.configuration(Messages.badJobs) }
        let plan = try VerifyPlan(names: scenarios, all: all, guide: guide, seed: seed)
        let listed = try reports.begin(
            checks: VerifyRun.checks + plan.names.map { VerifyAgainst.address($0) },
            scenarios: [Scenario.defaultName] + Scenario.builtInNames + plan.names, writing: [page.html])
        let journal = page.journal
        let progress =
            quiet
            ? nil
            : JobProgress(
                noun: "scenario", count: plan.scenarios.count, isTerminal: System.isTerminal(.error) && self.jobs == 1)
        let stop = try orFailure(try Gate(), Failure.running)
        let run = try runner(of: plan, journal, progress, stop)
        let wait = try MainWait()
        let jobs = Jobs<VerifyRun.Result>(count: plan.scenarios.count, wait.mailbox)
        try jobs.start(self.jobs) {
            while let index = jobs.take() {
                do throws(Failure) {
                    guard let result = try run(index), jobs.finish(index, result) else {
                        progress?.isInterrupted()
                        continue
                    }
                    progress?.say(index, plan.names[index], result.ending)
                } catch {
                    progress?.isInterrupted()
                    jobs.end(.failure(error))
                    stop.open()
                }
            }
        }
        let done = try jobs.finished(wait) { stop.open() }
        var report = Report(
            title: command.map(\.shellQuoted).joined(separator: " "), runs: done.outputs.flatMap(\.runs))
        for index in report.runs.indices { report.runs[index].mayFail = mayFail }
        report.faced = plan.faced
        report.incomplete = done.reason.map {
            Messages.incomplete($0, played: done.outputs.count, of: plan.scenarios.count, "scenario")
        }
        let knownBroken = listed.adding(
            done.outputs.flatMap { output in output.knownBroken.map { (output.runs.first?.scenario ?? "", $0) } })
        let lost = done.outputs.compactMap(\.lost)
        if !lost.isEmpty { report.incomplete = Messages.lostRuns(lost) }
        do throws(Failure) {
            try reports.tell(
                report, knownBroken: knownBroken, page: page.file(report, journal, knownBroken), signal: done.signal)
        } catch {
            throw lost.isEmpty || error.exitCode > 4 ? error : .told(exitCode: 3)
        }
    }

    /// Makes the function that runs a scenario by number, here or on another server.
    ///
    /// It returns nil if the run was stopped.
    private func runner(
        of plan: VerifyPlan, _ journal: ReportJournal?, _ progress: JobProgress?, _ stop: Gate
    ) throws(Failure) -> @Sendable (Int) throws(Failure) -> VerifyRun.Result? {
        let (command, limit) = (command, Duration.seconds(timeLimit.seconds))
        guard let server else {
            let runner = CommandRun(
                command: command, limit: limit, server: try Harness.startServer(wire, for: plan.scenarios),
                stop: stop, showsOutputAtEnd: jobs > 1)
            let run = VerifyRun(
                run: runner, journal: journal, progress: progress,
                against: against.map { VerifyAgainst($0, beside: runner, progress) })
            return { (index) throws(Failure) in
                try run.run(plan.scenarios[index], named: plan.names[index], index: index)
            }
        }
        guard against == nil, wire.words.isEmpty else { throw .configuration(Messages.notOnServer) }
        var remote = RemoteServer(
            base: try Settings.baseURL(server), adminToken: try Settings.fieldValue(adminToken, .adminToken))
        remote.patience.stop = stop
        let run = RemoteRun(
            server: remote, child: CommandChild(command: command, limit: limit, stop: stop, showsOutputAtEnd: jobs > 1),
            journal: journal, progress: progress)
        let requests = try plan.requests()
        return { (index) throws(Failure) in try run.run(requests[index], named: plan.names[index], index: index) }
    }
}

/// The output of a command that runs alongside others; it is kept in an unnamed file until the command ends.
final class CommandOutput: Sendable {
    private let file: Int32
    private let name: String
    /// Locked while a command's output is shown, so that outputs do not mix.
    private static let turn = Mutex(())

    /// - Parameter name: the prefix of each line.
    init(of name: String) throws(Failure) {
        self.name = name
        let path: String
        (file, path) = System.temporaryFile()
        guard file >= 0 else { throw .running(Messages.noOutputFile(String(cString: strerror(errno)))) }
        unlink(path)
        // The command's two streams share one position in the file.
        _ = fcntl(file, F_SETFL, O_APPEND)
        _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    }

    deinit { close(file) }

    var streams: ChildProcess.Streams { .init(output: .descriptor(file), errors: .descriptor(file)) }

    /// Writes the whole output to standard error in one piece.
    func show() {
        let mark = Array("\(name.onOneLine(limit: 100)) | ".utf8)
        Self.turn.withLock { _ in
            var position: off_t = 0
            var isAtBeginning = true
            var piece = [UInt8](repeating: 0, count: 64 * 1024)
            while true {
                let count = pread(file, &piece, piece.count, position)
                guard count > 0 else { break }
                var marked: [UInt8] = []
                for byte in piece[..<count] {
                    if isAtBeginning { marked += mark }
                    marked.append(byte)
                    isAtBeginning = byte == UInt8(ascii: "\n")
                }
                _ = DescriptorOutput.writeAll(marked, to: STDERR_FILENO)
                position += off_t(count)
            }
            if !isAtBeginning { _ = DescriptorOutput.writeAll([UInt8(ascii: "\n")], to: STDERR_FILENO) }
        }
    }
}
