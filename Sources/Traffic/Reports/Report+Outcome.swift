import JSON
import Obligations

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
