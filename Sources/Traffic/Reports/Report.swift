import FitIQAPI
import Obligations

/// What came of judging a client: in each scenario its obligations, what it was exposed to, and how its command ended.
public struct Report: Sendable {
    /// What was judged, for headings: a command, a file.
    public var title: String
    /// One for each scenario, in the order in which they ran.
    public var runs: [Run]

    /// Makes a report.
    public init(title: String, runs: [Run] = []) {
        self.title = title
        self.runs = runs
    }

    /// One scenario.
    public struct Run: Sendable {
        /// The scenario's name.
        public var scenario: String
        /// How the server answered.
        public var mode: GuideMode
        /// How the client's command ended; nil where there was none.
        public var command: CommandOutcome?
        /// How long it took by the system's clock, in nanoseconds; nil where nobody measured.
        public var duration: Int64?
        /// When it began, in the world's time: evidence is shown with the time since then; nil shows the time of day.
        public var startedAt: Timestamp?
        /// Whether the client sent anything at all.
        public var hasConnected: Bool
        /// The obligations.
        public var verdicts: [Verdict]
        /// What the client was exposed to.
        public var exposures: [Exposure]
        /// What was looked at from within the client; empty but for contract cases.
        public var checks: [Check]
        /// Entries of the journal that nobody could judge.
        public var missedCount: Int

        /// Describes a run.
        public init(
            scenario: String, mode: GuideMode, command: CommandOutcome? = nil, duration: Int64? = nil,
            startedAt: Timestamp? = nil, hasConnected: Bool, verdicts: [Verdict], exposures: [Exposure],
            checks: [Check] = [], missedCount: Int = 0
        ) {
            self.scenario = scenario
            self.mode = mode
            self.command = command
            self.duration = duration
            self.startedAt = startedAt
            self.hasConnected = hasConnected
            self.verdicts = verdicts
            self.exposures = exposures
            self.checks = checks
            self.missedCount = missedCount
        }
    }

    /// How a command ended.
    public enum CommandOutcome: Sendable, Hashable {
        /// With an exit status.
        case exited(Int)
        /// By a signal.
        case signalled(Int)
        /// Its time was up, in nanoseconds, and it was ended.
        case timedOut(Int64)

        /// Whether it says that all is well.
        public var isSuccess: Bool { self == .exited(0) }
    }

    /// A contract case: what the client reported was compared with what the case asks.
    public struct Check: Sendable {
        /// Its address, `consultation/create/409-continues-existing`.
        public var address: String
        /// What it quotes: the guide and the clause.
        public var clause: String
        /// What is wrong, each a sentence; empty where all is well.
        public var failures: [String]
        /// What helps to find out why, a line each, shown below the failures.
        public var notes: [String]

        /// Describes a check.
        public init(address: String, clause: String, failures: [String], notes: [String] = []) {
            self.address = address
            self.clause = clause
            self.failures = failures
            self.notes = notes
        }
    }
}
