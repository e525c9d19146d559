import FitIQAPI
import Judging
import Traffic

/// The outcome of one case: failures on the client's side, verdicts on the server's.
public struct CaseResult: Sendable {
    public let contractCase: ContractCase
    /// The guide that the backend followed.
    public internal(set) var mode: GuideMode
    /// Why it was skipped, as a sentence; nil if it ran.
    public internal(set) var skipped: String?
    /// What was wrong as the client's user sees it.
    public internal(set) var failures: [CaseFailure] = []
    /// The inside checks that the steps reached.
    public internal(set) var looked: Set<InsideCheck> = []
    /// The obligations, as the server saw them.
    public internal(set) var verdicts: [Verdict] = []
    /// What the client was exposed to.
    public internal(set) var exposures: [Exposure] = []
    /// Whether the client sent anything at all.
    public internal(set) var hasConnected = false
    /// The journal entries that could not be judged.
    public internal(set) var missedCount = 0
    /// The last wire traffic except pings; empty if the client's user saw nothing wrong.
    public internal(set) var lastEntries: [JournalEntry] = []
    /// The duration in contract time.
    public internal(set) var contractTime = Duration.zero

    init(_ contractCase: ContractCase, mode: GuideMode) {
        self.contractCase = contractCase
        self.mode = mode
    }

    /// The broken obligations, *must* or *should*.
    public var broken: [Verdict] { verdicts.filter { $0.outcome == .broken } }

    /// The failed inside checks.
    public var brokenChecks: Set<InsideCheck> { Set(failures.compactMap(\.check)) }

    /// The obligations that the case was meant to exercise and did not.
    public var unfaced: [String] {
        guard skipped == nil else { return [] }
        return contractCase.faces.filter { id in
            verdicts.first { $0.obligation.id == id }.map { $0.outcome == .notExercised } ?? true
        }
    }

    /// Whether nothing was wrong on either side.
    ///
    /// A *should* may be broken. A skipped case has passed.
    public var isPassed: Bool { failures.isEmpty && !verdicts.contains { $0.failsRun } }
}

/// Something that was wrong as the client's user sees it.
public struct CaseFailure: Sendable, Hashable {
    /// The expectation and what the client showed, as a sentence.
    public var message: String
    /// The inside check that it breaks, if any.
    public var check: InsideCheck?

    public init(message: String, check: InsideCheck? = nil) {
        self.message = message
        self.check = check
    }
}

extension CaseResult: CustomStringConvertible {
    /// Everything that is wrong, one sentence a line, as a failed test shows it.
    public var description: String { Messages.summary(of: self) }
}

extension CaseResult {
    /// The inside checks as verdicts; their findings have no evidence in the journal.
    public var insideVerdicts: [Verdict] {
        guard skipped == nil else { return [] }
        return Obligation.inside.filter { $0.applies(in: mode) }.map { obligation in
            let check = InsideCheck(rawValue: obligation.id)
            let found = failures.filter { $0.check == check }
            let isFaced = check.map(looked.contains) ?? false
            return Verdict(
                obligation: obligation, outcome: !isFaced ? .notExercised : found.isEmpty ? .kept : .broken,
                exercisedCount: isFaced ? 1 : 0,
                findings: found.prefix(Findings.keptCount).map {
                    Finding(level: obligation.level, message: $0.message, evidence: [])
                }, findingCount: found.count)
        }
    }
}
