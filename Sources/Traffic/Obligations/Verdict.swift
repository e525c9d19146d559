import FitIQAPI
import Recording

/// Whether a client kept an obligation, and what shows that it did not.
public struct Verdict: Sendable {
    /// The obligation.
    public let obligation: Obligation
    /// What was found.
    public let outcome: Outcome
    /// How often the client faced it.
    public let exercisedCount: Int
    /// The first breaches, at most ``Findings/keptCount``.
    public let findings: [Finding]
    /// How many breaches there were in all.
    public let findingCount: Int

    /// What can be found.
    public enum Outcome: String, Sendable, CaseIterable {
        /// The client faced it and kept it.
        case kept
        /// The client broke it.
        case broken
        /// The client was never made to face it.
        case notExercised = "not_exercised"
    }

    /// Describes a verdict.
    public init(
        obligation: Obligation, outcome: Outcome, exercisedCount: Int, findings: [Finding], findingCount: Int
    ) {
        self.obligation = obligation
        self.outcome = outcome
        self.exercisedCount = exercisedCount
        self.findings = findings
        self.findingCount = findingCount
    }

    /// Whether it fails a run: one of the findings breaks a *must*.
    public var failsRun: Bool { findings.contains { $0.level == .must } }
}

/// One breach of an obligation.
public struct Finding: Sendable {
    /// How bad it is; mostly the obligation's own level.
    public let level: Obligation.Level
    /// What the client did and what was due, with numbers, as a sentence.
    public let message: String
    /// The entries of the journal that show it, oldest first; few.
    public let evidence: [JournalEntry]

    /// Describes a breach.
    public init(level: Obligation.Level, message: String, evidence: [JournalEntry]) {
        self.level = level
        self.message = message
        self.evidence = evidence
    }
}

/// Where a judge writes down what it found of one obligation.
public struct Findings: Sendable {
    /// How many breaches are kept with their evidence; the others are counted.
    public static let keptCount = 5

    let obligation: Obligation
    private(set) var exercisedCount = 0
    private(set) var kept: [Finding] = []
    private(set) var count = 0

    init(of obligation: Obligation) {
        self.obligation = obligation
    }

    /// Notes that the client faced the obligation.
    mutating func exercised() {
        exercisedCount += 1
    }

    /// Notes a breach; what is broken was faced, so call ``exercised()`` for it too.
    ///
    /// A breach of a *must* takes the place of one of a *should* where there is no room for both.
    mutating func found(_ message: String, level: Obligation.Level? = nil, _ evidence: [JournalEntry]) {
        count += 1
        let finding = Finding(level: level ?? obligation.level, message: message, evidence: evidence)
        if kept.count < Self.keptCount {
            kept.append(finding)
        } else if finding.level == .must, let place = kept.lastIndex(where: { $0.level == .should }) {
            kept[place] = finding
        }
    }

    var verdict: Verdict {
        Verdict(
            obligation: obligation, outcome: count > 0 ? .broken : exercisedCount > 0 ? .kept : .notExercised,
            exercisedCount: exercisedCount, findings: kept, findingCount: count)
    }
}

/// What a record of a client tells beside requests, answers and messages.
///
/// A journal tells all of it. Other programs' recordings leave things out, and what they leave out no client may be
/// blamed for: an obligation that cannot be judged without it counts as not exercised.
public struct Evidence: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt8

    /// Makes a set of bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The pings, pongs and close frames of WebSockets.
    public static let controlFrames = Evidence(rawValue: 1)
    /// When each WebSocket ended, and who ended it.
    public static let socketEnds = Evidence(rawValue: 2)
    /// The credentials of requests, or placeholders in their place.
    public static let credentials = Evidence(rawValue: 4)
    /// Everything.
    public static let all: Evidence = [.controlFrames, .socketEnds, .credentials]
}
