import FitIQAPI
import Obligations
import Recording

/// What came of a case.
public struct CaseResult: Sendable {
    /// The case.
    public let contractCase: ContractCase
    /// Whose answers were given.
    public internal(set) var mode: GuideMode
    /// Why it was not run, as a sentence; nil where it was.
    public internal(set) var skipped: String?
    /// What was wrong as the client's user sees it.
    public internal(set) var failures: [CaseFailure] = []
    /// What is checked from within the client, as far as the steps came to it.
    public internal(set) var looked: Set<InsideCheck> = []
    /// The obligations, as the server saw them.
    public internal(set) var verdicts: [Verdict] = []
    /// What the client was exposed to.
    public internal(set) var exposures: [Exposure] = []
    /// Whether the client sent anything at all.
    public internal(set) var hasConnected = false
    /// Entries of the journal that nobody could judge.
    public internal(set) var missedCount = 0
    /// What went over the wire last, pings aside; empty where nothing was wrong as the client's user sees it.
    public internal(set) var lastEntries: [JournalEntry] = []
    /// How long it took by the contract's clock.
    public internal(set) var contractTime = Duration.zero

    init(_ contractCase: ContractCase, mode: GuideMode) {
        self.contractCase = contractCase
        self.mode = mode
    }

    /// The obligations that were broken, *must* or *should*.
    public var broken: [Verdict] { verdicts.filter { $0.outcome == .broken } }

    /// What was checked from within the client and found wrong.
    public var brokenChecks: Set<InsideCheck> { Set(failures.compactMap(\.check)) }

    /// The obligations that the case means to have the client face, and that it did not.
    public var unfaced: [String] {
        guard skipped == nil else { return [] }
        return contractCase.faces.filter { id in
            verdicts.first { $0.obligation.id == id }.map { $0.outcome == .notExercised } ?? true
        }
    }

    /// Whether nothing was wrong on either side.
    ///
    /// A *should* may be broken. A case that was skipped has passed.
    public var isPassed: Bool { failures.isEmpty && !verdicts.contains { $0.failsRun } }
}

/// Something that was wrong as the client's user sees it.
public struct CaseFailure: Sendable, Hashable {
    /// What was expected, and what the client showed, as a sentence.
    public var message: String
    /// Which of the checks from within the client it breaks; nil for none of them.
    public var check: InsideCheck?

    /// Describes a failure.
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
    /// What was checked from within the client, as verdicts; their findings have no evidence in the journal.
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
