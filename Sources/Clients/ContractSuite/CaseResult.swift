import FitIQAPI
import Judging
import Traffic

/// The outcome of one case: failures that the client's user sees, and verdicts from the server's point of view.
public struct CaseResult: Sendable {
    public let contractCase: ContractCase
    public internal(set) var mode: GuideMode
    /// A sentence about why the case was skipped, or nil if the case ran.
    public internal(set) var skipped: String?
    /// A sentence about the part that was omitted because the client has no chat, or nil if the whole case was played.
    public internal(set) var leftOut: String?
    /// The missing instruction that caused the skip.
    var missing: ClientInstruction?
    /// The failures that the client's user sees.
    public internal(set) var failures: [CaseFailure] = []
    /// The internal checks that the steps performed.
    public internal(set) var looked: Set<InsideCheck> = []
    /// The verdicts on obligations, from the server's point of view.
    public internal(set) var verdicts: [Verdict] = []
    public internal(set) var exposures: [Exposure] = []
    /// The client's situations.
    public internal(set) var coverage = Coverage()
    public internal(set) var hasConnected = false
    /// The number of journal entries that could not be judged.
    public internal(set) var missedCount = 0
    /// The last traffic without pings, or empty if the user saw no failure.
    public internal(set) var lastEntries: [JournalEntry] = []
    /// Advice based on the traffic, or empty if there is no failure.
    public internal(set) var advice = ""
    /// Whether the client reports that it is written in Swift.
    var isAboutSwift = false
    public internal(set) var contractTime = Duration.zero
    /// The case's duration on the system's clock.
    public internal(set) var systemTime = Duration.zero

    init(_ contractCase: ContractCase, mode: GuideMode) {
        self.contractCase = contractCase
        self.mode = mode
    }

    /// The broken obligations, *must* or *should*.
    public var broken: [Verdict] { verdicts.filter { $0.outcome == .broken } }
    /// Withdraws a breach of `ws/close-handshake` if the adapter ended and thereby closed its sockets.
    mutating func excuseOwnEnd() {
        verdicts = verdicts.map { verdict in
            guard verdict.obligation.id == "ws/close-handshake", verdict.outcome == .broken else { return verdict }
            return Verdict(
                obligation: verdict.obligation, outcome: .notExercised, exercisedCount: 0, findings: [],
                findingCount: 0)
        }
    }

    /// Whether the client sent upper-case IDs; false if the user saw no failure.
    var hasUpperCaseIDs = false
    /// The internal checks that failed.
    ///
    /// The list is empty if the server saw a broken *must* or an upper-case ID, because either may be the cause.
    public var brokenChecks: Set<InsideCheck> { followsFromTraffic ? [] : Set(failures.compactMap(\.check)) }
    private var followsFromTraffic: Bool { hasUpperCaseIDs || verdicts.contains { $0.failsRun } }

    /// The obligations that the case should have exercised but did not.
    public var unfaced: [String] {
        guard skipped == nil else { return [] }
        return contractCase.faces.filter { id in
            verdicts.first { $0.obligation.id == id }.map { $0.outcome == .notExercised } ?? true
        }
    }

    /// Whether neither side has any failures.
    ///
    /// A broken *should* does not count, and a skipped case passes.
    public var isPassed: Bool { skipped != nil || failures.isEmpty && !verdicts.contains { $0.failsRun } }
}

public struct CaseFailure: Sendable, Hashable {
    /// The expectation and what the client showed, as a sentence.
    public var message: String
    public var check: InsideCheck?
    /// When the failure occurred, measured from the start of the case.
    var at = Duration.zero
    /// The index of the failing step; nil in a case, which ends with the first failure.
    var step: Int?
}

extension CaseResult: CustomStringConvertible {
    /// All failures, one sentence per line, for a failed test.
    public var description: String { Messages.summary(of: self) }

    /// The internal checks as verdicts.
    ///
    /// Findings of internal checks have no evidence in the journal.
    public var insideVerdicts: [Verdict] {
        guard skipped == nil else { return [] }
        return Obligation.inside.filter { $0.applies(in: mode) }.map { obligation in
            let check = InsideCheck(rawValue: obligation.id)
            let failed = failures.filter { $0.check == check }
            let isFaced = check.map(looked.contains) ?? false && (failed.isEmpty || !followsFromTraffic)
            let found = isFaced ? failed : []
            return Verdict(
                obligation: obligation, outcome: !isFaced ? .notExercised : found.isEmpty ? .kept : .broken,
                exercisedCount: isFaced ? 1 : 0,
                findings: found.prefix(Findings.keptCount).map {
                    Finding(level: obligation.level, message: $0.message, evidence: [])
                }, findingCount: found.count)
        }
    }
}

extension Report {
    /// Creates a report with one run per topic: the verdicts of its cases, and a check for each case.
    ///
    /// Internal checks appear among the obligations and, in full detail, in their case. Cases for a single guide are
    /// separate from cases for the union.
    public init(title: String, results: [CaseResult]) {
        self.init(title: title)
        faced = Set(results.flatMap(\.contractCase.faces) + results.flatMap(\.contractCase.checks).map(\.rawValue))
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
            exposures: result.exposures, coverage: result.coverage, checks: result.checks,
            missedCount: result.missedCount)
    }

    fileprivate mutating func add(_ result: CaseResult) {
        hasConnected = hasConnected || result.hasConnected
        missedCount += result.missedCount
        checks += result.checks
        coverage.formUnion(result.coverage)
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
    /// Hints about the cause of the failure, one per line.
    var notes: [String] {
        let entries = lastEntries.map { "    \(EntryLine($0).text)" }
        return (entries.isEmpty ? [] : [Messages.lastEntries] + entries)
            + (broken.isEmpty && !advice.isEmpty ? [advice] : [])
    }

    fileprivate var checks: [Report.Check] { skipped == nil ? [Report.Check(self)] : [] }

    /// The verdicts and internal checks; each finding includes the case.
    fileprivate var toldVerdicts: [Verdict] {
        (verdicts + insideVerdicts).map { verdict in
            var told = verdict
            told.isAboutSwift = isAboutSwift
            for place in told.findings.indices {
                told.findings[place].message = "\(told.findings[place].message) (in \(contractCase.address))"
            }
            return told
        }
    }
}

extension [Verdict] {
    /// Merges these verdicts with other verdicts on the same obligations.
    fileprivate func adding(_ others: [Verdict]) -> [Verdict] {
        let others = Dictionary(others.map { ($0.obligation.id, $0) }, uniquingKeysWith: { first, _ in first })
        return map { verdict in
            var sum = verdict
            if let other = others[verdict.obligation.id] { sum.add(other) }
            return sum
        }
    }
}
