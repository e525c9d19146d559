import ArgumentParser
import CLibrary
import FitIQAPI
import Judging
import MockServer
import Scenarios
import Sockets

struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Run a client's own tests against the fake, and report which obligations of the contract it keeps.",
        usage: "fitiq-mock verify [<options>] -- <command> ...",
        discussion: """
            The command is run once for each scenario, against a fresh world, and finds its backend in its environment:

              FITIQ_MOCK_URL            where REST paths begin; /api/v1 follows
              FITIQ_MOCK_WS_URL         the same for WebSockets
              FITIQ_MOCK_TOKEN          the bearer token
              FITIQ_MOCK_FRESH_TOKEN    another one, for after a 401
              FITIQ_MOCK_REFRESH_TOKEN  what /auth/refresh takes, if the scenario gives the user an account
              FITIQ_MOCK_API_KEY        the X-API-Key
              FITIQ_MOCK_SCENARIO       the scenario's name
              FITIQ_MOCK_ADMIN_URL      the world's admin API; /clock follows

            Its output is passed through, its standard input is empty. The report comes last, on standard output. After \
            Ctrl-C it has the scenarios that had ended.

            Exit codes: 0 every must that was faced is kept, 1 a must is broken, what is known to be broken is kept, or \
            the command failed, 2 usage or configuration, 3 the harness failed, 4 the client never connected, 130 Ctrl-C.
            """)

    @Option(
        name: .customLong("scenario"),
        help: .init(
            "A built-in scenario (see 'fitiq-mock scenarios') or a file; may be repeated. (default: default)",
            valueName: "name|file"))
    var scenarios: [String] = []

    @Flag(help: "Run every built-in scenario.")
    var all = false

    @Option(help: .init("Answer exactly as one guide says. (default: as the scenario says)", valueName: "name"))
    var guide: String?

    @Option(
        parsing: .unconditional,
        help: .init("Decides every id and every pace. (default: as the scenario says)", valueName: "number"))
    var seed: UInt64?

    @Option(
        parsing: .unconditional,
        help: .init("How long the command may take for one scenario, from 1s to 1d: 90s, 10m.", valueName: "duration"))
    var timeLimit = Lifetime(seconds: 60)
    static let timeLimits: ClosedRange<Int64> = 1...86_400

    @Option(
        parsing: .unconditional,
        help: .init(
            "How many scenarios are run at once, from 1 to 16. With more than 1, the output of a command is shown when it has ended.",
            valueName: "number"))
    var jobs = 1
    static let jobLimit = 16

    @OptionGroup var origins: OriginOptions

    @OptionGroup var reports: ReportOptions

    @OptionGroup var page: PageOption

    @Flag(help: "Say nothing while the command runs.")
    var quiet = false

    @Argument(parsing: .postTerminator, help: .init("The command and its arguments.", valueName: "command"))
    var command: [String] = []

    func run() throws {
        guard let program = command.first, !program.isEmpty else {
            throw Failure.configuration(Messages.noCommand("verify", example: Messages.verifyExample))
        }
        guard Self.timeLimits.contains(timeLimit.seconds) else { throw Failure.configuration(Messages.badTimeLimit) }
        guard (1...Self.jobLimit).contains(jobs) else { throw Failure.configuration(Messages.badJobs) }
        let plan = try VerifyPlan(names: scenarios, all: all, guide: guide, seed: seed)
        let origins = try Settings.allowedOrigins(origins.allowedOrigins)
        let knownBroken = try reports.readKnownBroken(checks: [VerifyRun.strictReplay])
        let run = VerifyRun(
            command: command, limit: .seconds(timeLimit.seconds), showsOutputAtEnd: jobs > 1,
            keepsEntries: page.html != nil,
            progress: quiet
                ? nil
                : VerifyProgress(
                    count: plan.scenarios.count, isTerminal: System.isTerminal(.error) && jobs == 1),
            server: try Harness.startServer(allowing: origins), stop: try orFailure(try Gate(), Failure.running))
        let (runs, journal, signal) = try VerifyJobs(run: run, plan: plan, count: jobs).wait(try CommandWatch())
        var report = Report(title: command.map(\.shellQuoted).joined(separator: " "), runs: runs)
        report.faced = plan.faced
        if signal != nil {
            report.incomplete = Messages.incomplete(
                Messages.interruptedRun, played: runs.count, of: plan.scenarios.count, "scenario")
        }
        try reports.tell(report, knownBroken: knownBroken, page: page.file(report, journal), signal: signal)
    }
}

/// Waits on the main thread for the first of: the end of work on other threads, a time limit, or a signal.
final class CommandWatch: EventLoopHandler {
    enum Event: Equatable {
        case ended
        case timeUp
        case signal(Int32)
    }

    private let loop: EventLoop
    private var event: Event?
    private var deadline = MonotonicInstant.now()

    /// Handles SIGINT, SIGTERM and SIGHUP from here on; deinit restores the previous dispositions.
    init() throws(Failure) {
        loop = try orFailure(try EventLoop(), Failure.running)
        try orFailure(try loop.watchSignals([SIGINT, SIGTERM, SIGHUP]), Failure.running)
    }

    /// Lets other threads end a wait: as ``Event/ended``.
    var mailbox: Mailbox { loop.mailbox }

    func wait(until deadline: MonotonicInstant) throws(Failure) -> Event {
        event = nil
        self.deadline = deadline
        try orFailure(try loop.run(handler: self), Failure.running)
        // The mailbox stops it without an event.
        return event ?? .ended
    }

    // MARK: Event loop callbacks

    func readinessChanged(_ readiness: Readiness, now: MonotonicInstant) {}
    func signalReceived(_ signal: Int32, now: MonotonicInstant) { finish(.signal(signal)) }

    func turnEnded(now: MonotonicInstant) -> MonotonicInstant? {
        if event == nil, deadline <= now { finish(.timeUp) }
        return deadline
    }

    private func finish(_ event: Event) {
        // A signal takes precedence over other events of the same turn.
        if case .signal = event { self.event = event }
        self.event = self.event ?? event
        loop.stop()
    }
}
