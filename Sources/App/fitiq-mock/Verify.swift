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

            Its output is passed through, its standard input is empty. The report comes last, on standard output.

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
        let plans = try VerifyPlan(names: scenarios, all: all, guide: guide, seed: seed)
        let origins = try Settings.allowedOrigins(origins.allowedOrigins)
        let knownBroken = try reports.readKnownBroken(checks: [VerifyRun.strictReplay])
        let run = VerifyRun(
            command: command, limit: .seconds(timeLimit.seconds),
            progress: quiet ? nil : VerifyProgress(count: plans.scenarios.count),
            server: try Harness.startServer(allowing: origins), watch: try CommandWatch())
        var report = Report(title: command.map(\.shellQuoted).joined(separator: " "))
        var journal = page.html.map { _ in ReportJournal() }
        for (index, scenario) in plans.scenarios.enumerated() {
            report.runs.append(try run.run(scenario, named: plans.names[index], index: index, into: &journal))
        }
        try reports.tell(report, knownBroken: knownBroken, page: page.file(report, journal))
    }
}

/// Waits on the main thread for the first of: a program's end, its time limit, or a signal to this program.
final class CommandWatch: EventLoopHandler {
    enum Event: Equatable {
        case ended
        case timeUp
        case signal(Int32)
    }

    private let loop: EventLoop
    private var event: Event?
    private var deadline = MonotonicInstant.now()
    private var nextTick = MonotonicInstant.now()
    private var tick: () -> Void = {}
    private static let interval = Duration.seconds(1)
    private static let childToken: UInt64 = 1

    /// Handles SIGINT, SIGTERM and SIGHUP from here on; deinit restores the previous dispositions.
    init() throws(Failure) {
        loop = try orFailure(try EventLoop(), Failure.running)
        try orFailure(try loop.watchSignals([SIGINT, SIGTERM, SIGHUP]), Failure.running)
    }

    /// Lets other threads end a wait without a program: as ``Event/ended``.
    var mailbox: Mailbox { loop.mailbox }

    /// Waits for the first event; calls a function once a second meanwhile.
    func wait(
        for child: ChildProcess? = nil, until deadline: MonotonicInstant, everySecond tick: @escaping () -> Void = {}
    ) throws(Failure) -> Event {
        event = nil
        self.deadline = deadline
        self.tick = tick
        nextTick = .now().advanced(by: Self.interval)
        do throws(SocketError) {
            if let child { try loop.add(child.exitDescriptor, token: Self.childToken, interest: .read) }
            defer { if let child { loop.remove(child.exitDescriptor) } }
            try loop.run(handler: self)
        } catch {
            throw .running(error)
        }
        self.tick = {}
        // The mailbox stops it without an event.
        return event ?? .ended
    }

    // MARK: Event loop callbacks

    func readinessChanged(_ readiness: Readiness, now: MonotonicInstant) { finish(.ended) }
    func signalReceived(_ signal: Int32, now: MonotonicInstant) { finish(.signal(signal)) }

    func turnEnded(now: MonotonicInstant) -> MonotonicInstant? {
        if event == nil, deadline <= now { finish(.timeUp) }
        if event == nil, nextTick <= now {
            tick()
            nextTick = now.advanced(by: Self.interval)
        }
        return min(deadline, nextTick)
    }

    private func finish(_ event: Event) {
        // A signal takes precedence over other events of the same turn.
        if case .signal = event { self.event = event }
        self.event = self.event ?? event
        loop.stop()
    }
}
