import FitIQAPI
import Traffic

/// Whether a client kept an obligation, with evidence if it did not.
public struct Verdict: Sendable {
    public let obligation: Obligation
    public var outcome: Outcome
    public var exercisedCount: Int
    /// The first breaches, at most ``Findings/keptCount``.
    public var findings: [Finding]
    public var findingCount: Int
    /// The numbers of the entries that show the other breaches, at most ``Findings/numberCount``.
    public var moreEntries: [Int] = []
    /// Whether the client is known to be written in Swift.
    public var isAboutSwift = false
    /// Whether it was not judged, because a real server answered and only its backend knows.
    public var isLeftToServer = false

    public enum Outcome: String, Sendable, CaseIterable {
        /// The client faced the obligation and kept it.
        case kept
        case broken
        case notExercised = "not_exercised"
    }

    public init(obligation: Obligation, outcome: Outcome, exercisedCount: Int, findings: [Finding], findingCount: Int) {
        self.obligation = obligation
        self.outcome = outcome
        self.exercisedCount = exercisedCount
        self.findings = findings
        self.findingCount = findingCount
    }

    /// How to fix the client, in the words of its language if that is known.
    public var advice: String {
        isAboutSwift && !obligation.swiftAdvice.isEmpty
            ? "\(obligation.advice) \(obligation.swiftAdvice)" : obligation.advice
    }

    /// Adds the verdict on the same obligation from elsewhere.
    ///
    /// - Parameter span: How far its evidence is moved in time, in nanoseconds.
    public mutating func add(_ other: Verdict, movedBy span: Int64 = 0) {
        var all = Findings(of: obligation)
        all.numbers = Array((moreEntries + other.moreEntries).prefix(Findings.numberCount))
        for finding in findings { all.keep(finding) }
        for finding in other.findings {
            all.keep(
                Finding(
                    level: finding.level, message: finding.message,
                    evidence: finding.evidence.map { $0.moved(byNanoseconds: span) }))
        }
        (findings, moreEntries) = (all.kept, all.numbers)
        findingCount += other.findingCount
        exercisedCount += other.exercisedCount
        outcome = findingCount > 0 ? .broken : exercisedCount > 0 ? .kept : .notExercised
        isAboutSwift = isAboutSwift || other.isAboutSwift
        isLeftToServer = isLeftToServer || other.isLeftToServer
    }

    var hiddenCount: Int { findingCount - findings.count }
    /// Whether it fails a run: one of the findings breaks a *must*.
    public var failsRun: Bool { findings.contains { $0.level == .must } }
}

public struct Finding: Sendable {
    /// The severity; usually the obligation's own level.
    public let level: Obligation.Level
    /// What the client did and what was due, with numbers, as a sentence.
    public var message: String
    /// The few journal entries that show the breach, oldest first.
    public let evidence: [JournalEntry]

    public init(level: Obligation.Level, message: String, evidence: [JournalEntry]) {
        self.level = level
        self.message = message
        self.evidence = evidence
    }
}

/// Collects a judge's findings about one obligation.
public struct Findings: Sendable {
    /// How many breaches are kept with their evidence; the others are only counted.
    public static let keptCount = 5
    /// How many numbers of entries are kept of the other breaches.
    public static let numberCount = 1000

    let obligation: Obligation
    private(set) var exercisedCount = 0
    private(set) var kept: [Finding] = []
    fileprivate var numbers: [Int] = []
    private(set) var count = 0
    var clock = SystemClock()

    init(of obligation: Obligation) { self.obligation = obligation }

    mutating func exercised() { exercisedCount += 1 }

    /// Records a breach; call ``exercised()`` as well, because a broken obligation was faced.
    ///
    /// A breach of a *must* replaces one of a *should* if there is no room for both. An entry may be given for each of
    /// the parts that it plays, such as the end of a socket that is also the last failure, and is shown once.
    ///
    /// - Parameter message: Has dates (``date(of:)``), as the evidence will have.
    mutating func found(_ message: String, level: Obligation.Level? = nil, _ evidence: [JournalEntry]) {
        count += 1
        var shown: [JournalEntry] = []
        for entry in evidence where entry.number != shown.last?.number { shown.append(clock.dated(entry)) }
        keep(Finding(level: level ?? obligation.level, message: message, evidence: shown))
    }

    fileprivate mutating func keep(_ finding: Finding) {
        guard kept.count == Self.keptCount else { return kept.append(finding) }
        var other = finding
        if finding.level == .must, let place = kept.lastIndex(where: { $0.level == .should }) {
            swap(&kept[place], &other)
        }
        numbers += other.evidence.map(\.number).prefix(Self.numberCount - numbers.count)
    }

    /// The journal's own time for the time of a fact.
    func date(of time: Timestamp) -> Timestamp { clock.date(of: time) }

    var verdict: Verdict {
        var verdict = Verdict(
            obligation: obligation, outcome: count > 0 ? .broken : exercisedCount > 0 ? .kept : .notExercised,
            exercisedCount: exercisedCount, findings: kept, findingCount: count)
        verdict.moreEntries = numbers
        return verdict
    }
}

/// What a recording of a client contains in addition to requests, responses and messages.
///
/// A journal contains all of it. Recordings of other programs omit things, and no client is blamed for what they omit:
/// an obligation that needs it counts as not exercised.
public struct Evidence: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The pings, pongs and close frames of WebSockets.
    public static let controlFrames = Evidence(rawValue: 1)
    /// When each WebSocket ended, and which side ended it.
    public static let socketEnds = Evidence(rawValue: 2)
    /// The credentials of requests, or placeholders for them.
    public static let credentials = Evidence(rawValue: 4)
    /// What the backend holds, which is known of the fake: a real server's state is older than the journal.
    public static let backend = Evidence(rawValue: 8)
    public static let all: Evidence = [.controlFrames, .socketEnds, .credentials, .backend]
}

extension SessionJournal {
    /// What the recording contains.
    public var evidence: Evidence {
        let ends: Evidence = tellsSocketEnds ? [.controlFrames, .socketEnds] : []
        return ends.union(tellsCredentials ? [.backend, .credentials] : .backend)
    }
}
