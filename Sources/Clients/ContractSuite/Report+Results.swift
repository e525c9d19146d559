import FitIQAPI
import Judging
import Traffic

extension Report {
    /// The results of cases, as one run per topic: its obligations over all of its cases, and a check for each case.
    ///
    /// Inside checks appear both among the obligations and, in full, at their case; cases that follow a single guide
    /// are listed apart from those of the union.
    public init(title: String, results: [CaseResult]) {
        self.init(title: title)
        var places: [String: Int] = [:]  // Topics of the suite: constants.
        for result in results {
            let name = Messages.topic(result.contractCase.topic, result.mode)
            if let place = places[name] {
                runs[place].add(result)
            } else {
                places[name] = runs.count
                runs.append(Run(result, named: name))
            }
        }
    }
}

extension Report.Run {
    fileprivate init(_ result: CaseResult, named name: String) {
        self.init(
            scenario: name, mode: result.mode, hasConnected: result.hasConnected, verdicts: result.toldVerdicts,
            exposures: result.exposures, checks: result.checks, missedCount: result.missedCount)
    }

    fileprivate mutating func add(_ result: CaseResult) {
        hasConnected = hasConnected || result.hasConnected
        missedCount += result.missedCount
        checks += result.checks
        verdicts = verdicts.isEmpty ? result.toldVerdicts : verdicts.adding(result.toldVerdicts)
        let counts = Dictionary(result.exposures.map { ($0.path, $0.count) }, uniquingKeysWith: +)
        exposures =
            exposures.isEmpty
            ? result.exposures
            : exposures.map { Exposure(path: $0.path, count: $0.count + (counts[$0.path] ?? 0)) }
    }
}

extension Report.Check {
    fileprivate init(_ result: CaseResult) {
        self.init(
            address: result.contractCase.address, clause: result.contractCase.clause.description,
            failures: result.failures.map(\.message), notes: result.notes)
    }
}

extension CaseResult {
    /// Hints why the case failed, a line each.
    var notes: [String] {
        guard !failures.isEmpty, hasConnected else { return [] }
        let entries = lastEntries.map { "    \(EntryLine($0).text)" }
        return (entries.isEmpty ? [] : [Messages.lastEntries] + entries) + (broken.isEmpty ? [Messages.lostWithin] : [])
    }

    /// The case as a check; none if it was skipped.
    fileprivate var checks: [Report.Check] { skipped == nil ? [Report.Check(self)] : [] }

    /// The verdicts including the inside checks, each finding naming the case.
    fileprivate var toldVerdicts: [Verdict] {
        let address = contractCase.address
        return (verdicts + insideVerdicts).map { verdict in
            Verdict(
                obligation: verdict.obligation, outcome: verdict.outcome, exercisedCount: verdict.exercisedCount,
                findings: verdict.findings.map { finding in
                    Finding(
                        level: finding.level, message: Messages.finding(finding.message, in: address),
                        evidence: finding.evidence)
                }, findingCount: verdict.findingCount)
        }
    }
}

extension [Verdict] {
    /// Merges these verdicts with others of the same obligations.
    fileprivate func adding(_ others: [Verdict]) -> [Verdict] {
        let others = Dictionary(others.map { ($0.obligation.id, $0) }, uniquingKeysWith: { first, _ in first })
        return map { verdict in
            guard let other = others[verdict.obligation.id] else { return verdict }
            let outcomes = [verdict.outcome, other.outcome]
            let findings = verdict.findings + other.findings
            // Those that fail the run first, in case there is no room for all.
            let kept = findings.filter { $0.level == .must } + findings.filter { $0.level == .should }
            return Verdict(
                obligation: verdict.obligation,
                outcome: outcomes.contains(.broken) ? .broken : outcomes.contains(.kept) ? .kept : .notExercised,
                exercisedCount: verdict.exercisedCount + other.exercisedCount,
                findings: kept.prefix(Findings.keptCount).map { $0 },
                findingCount: verdict.findingCount + other.findingCount)
        }
    }
}
