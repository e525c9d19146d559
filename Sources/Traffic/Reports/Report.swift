import FitIQAPI
import JSON
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

extension Report {
    /// What a whole report comes to.
    public struct Outcome: Sendable, Equatable {
        /// Obligations by what became of them in all runs together: the worst counts.
        public var counts: [Mark: Int] = [:]
        /// Contract cases that failed and are not known to.
        public var failedCheckCount = 0
        /// Contract cases in all.
        public var checkCount = 0
        /// Runs whose command did not end well.
        public var failedCommandCount = 0
        /// Lines of the known-broken list whose obligation or check was kept.
        public var outdated: [KnownBroken.Line] = []
        /// Whether the client sent anything in any run.
        public var hasConnected = false

        /// The exit status: 4 where no run saw the client, 1 where anything fails the run, 0 where all is well.
        ///
        /// A client that never connected is told first: whatever else is wrong follows from that.
        public var exitCode: Int {
            if !hasConnected { return 4 }
            let fails =
                self[.broken] > 0 || failedCheckCount > 0 || failedCommandCount > 0 || !outdated.isEmpty
            return fails ? 1 : 0
        }

        /// How many obligations have that mark.
        public subscript(mark: Mark) -> Int { counts[mark] ?? 0 }
    }

    /// What became of an obligation in a run.
    public enum Mark: Int, Sendable, Hashable, CaseIterable {
        /// The client was never made to face it.
        case notExercised
        /// The client kept it.
        case kept
        /// It was broken, as is known.
        case knownBroken
        /// It was broken, and is no *must*.
        case warned
        /// It was broken, and fails the run.
        case broken
    }

    /// Judges the whole.
    public func outcome(knownBroken: KnownBroken = .none) -> Outcome {
        var outcome = Outcome()
        var worst: [String: Mark] = [:]  // Obligations' ids: constants.
        for run in runs {
            outcome.hasConnected = outcome.hasConnected || run.hasConnected
            if run.command?.isSuccess == false { outcome.failedCommandCount += 1 }
            for verdict in run.verdicts {
                let mark = run.mark(of: verdict, knownBroken)
                let before = worst[verdict.obligation.id] ?? mark
                worst[verdict.obligation.id] = mark.rawValue > before.rawValue ? mark : before
            }
            outcome.checkCount += run.checks.count
            outcome.failedCheckCount +=
                run.checks.count { !$0.failures.isEmpty && !knownBroken.lists($0.address, in: run.scenario) }
        }
        for mark in worst.values { outcome.counts[mark, default: 0] += 1 }
        outcome.outdated = knownBroken.lines.filter { isOutdated($0) }
        return outcome
    }

    /// Whether what a line lists was kept somewhere and broken nowhere.
    private func isOutdated(_ line: KnownBroken.Line) -> Bool {
        var isKept = false
        for run in runs where line.scenario == nil || line.scenario == ExactString(run.scenario) {
            for verdict in run.verdicts where ExactString(verdict.obligation.id) == line.subject {
                if verdict.outcome == .broken { return false }
                isKept = isKept || verdict.outcome == .kept
            }
            for check in run.checks where ExactString(check.address) == line.subject {
                if !check.failures.isEmpty { return false }
                isKept = true
            }
        }
        return isKept
    }
}

extension Report.Run {
    /// What became of an obligation in this run.
    func mark(of verdict: Verdict, _ knownBroken: KnownBroken) -> Report.Mark {
        switch verdict.outcome {
        case .kept: .kept
        case .notExercised: .notExercised
        case .broken:
            knownBroken.lists(verdict.obligation.id, in: scenario)
                ? .knownBroken : verdict.failsRun ? .broken : .warned
        }
    }
}
