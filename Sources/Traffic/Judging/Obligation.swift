import FitIQAPI
import Traffic

/// An API client's obligation towards its backend: a row in the contract.
public struct Obligation: Sendable, Hashable {
    /// The name, such as `ws/keepalive`: the subject and the requirement.
    public let id: String
    public let level: Level
    public let origin: Origin
    /// The place in the guides, such as `best practice 1`, or empty if the guide's name is enough.
    public let place: String
    /// What the client must do, as one sentence.
    public let clause: String
    /// The tolerance, as a sentence, or nil.
    public let tolerance: String?
    /// How to fix a client that violates it, as one or two sentences.
    public let advice: String
    /// The same advice in terms of Swift libraries, for clients written in Swift.
    ///
    /// The Swift advice is empty if there is nothing to add.
    public let swiftAdvice: String
    /// The built-in scenarios that exercise this obligation.
    ///
    /// If the list is empty, any scenario exercises the obligation.
    public let scenarios: [String]

    /// The severity: breaking a *must* fails a run; breaking a *should* is a warning.
    public enum Level: String, Sendable, Hashable, CaseIterable { case must, should }

    public enum Origin: Sendable, Hashable {
        case guides([GuideMode])
        /// Every guide.
        case all
        /// This project; no guide contains the obligation.
        case ours
    }

    public init(
        id: String, level: Level, origin: Origin, place: String = "", clause: String, tolerance: String? = nil,
        advice: String, swiftAdvice: String = "", scenarios: [String] = []
    ) {
        (self.id, self.level, self.origin) = (id, level, origin)
        (self.place, self.clause, self.tolerance) = (place, clause, tolerance)
        (self.advice, self.swiftAdvice, self.scenarios) = (advice, swiftAdvice, scenarios)
    }

    /// Whether the obligation applies to clients of a server in the given mode.
    public func applies(in mode: GuideMode) -> Bool {
        switch origin {
        case .all: true
        case .guides(let guides): mode == .union || guides.contains(mode)
        case .ours: mode == .union
        }
    }

    /// The obligations that only an adapter inside the client can check.
    ///
    /// These obligations concern what the client shows to its user.
    public static let inside: [Obligation] = [
        Obligation(
            id: "inside/transcript-equals-chunks", level: .must,
            origin: .guides([.consultationWebSocket, .enhancedConsultations]), place: "streaming",
            clause: "The text of an answer consists of its chunks, in order.",
            advice:
                "Append each chunk's content as it arrives, without trimming, and start over with the next answer."),
        Obligation(
            id: "inside/cut-stream-not-complete", level: .must, origin: .ours,
            clause: "The client does not show a truncated answer as complete.",
            advice: "Mark a message complete only on stream_complete or assistant_message_end; if the socket ends "
                + "earlier, mark it interrupted and fetch the history."),
        Obligation(
            id: "inside/server-error-surfaces", level: .must,
            origin: .guides([.consultationWebSocket, .enhancedConsultations]), place: "message protocol, error",
            clause: "The client shows an error frame's message to its user.",
            advice: "Publish the frame's error text, as WebSocketError.serverError does, and stop the typing indicator."
        ),
        Obligation(
            id: "inside/conflict-yields-existing", level: .must, origin: .guides([.consultationWebSocket]),
            place: "HTTP errors", clause: "After a 409, the client continues the existing consultation.",
            advice: "Return the consultation identified by error.details.existing_consultation_id, not an error.",
            swiftAdvice: "Decode the consultation's dates with .iso8601."),
        Obligation(
            id: "inside/limit-yields-too-many", level: .must, origin: .guides([.consultationWebSocket]),
            place: "HTTP errors",
            clause: "After a 429, the user sees that there are too many active consultations.",
            advice:
                "Map 429 to a separate error, tooManyActiveConsultations, and suggest completing old consultations."),
        Obligation(
            id: "inside/failed-meal-surfaces", level: .must,
            origin: .guides([.webSocketArchitecture, .mealLogWebSocket]), place: "meal_log.failed",
            clause: "The client shows its user why a meal log failed.",
            advice: "Show data.error_message (websocket-architecture: data.error) from meal_log.failed events, and "
                + "from loaded logs with the status failed."),
        Obligation(
            id: "inside/refusal-surfaces", level: .must, origin: .guides([.consultationWebSocket]),
            place: "best practice 4",
            clause: "The client tells its user when the backend refuses a request or keeps answering it with an error.",
            advice: "Show an alert with error.message; a print in a catch block does not reach the user."),
        Obligation(
            id: "inside/event-of-its-own-meal", level: .must, origin: .guides([.mealLogWebSocket]), place: "step 4",
            clause: "The client applies an event to the meal log named in the event, even if another log is newer.",
            advice: "Compare data.id with the ids of the logs that you track, and ignore events about other logs."),
        Obligation(
            id: "inside/meal-contents-shown", level: .must, origin: .guides([.mealLogWebSocket]), place: "key features",
            clause: "The client shows the protein and the foods from a meal log event.",
            advice: "Use total_protein_g and items from data; you need not fetch anything else."),
        Obligation(
            id: "inside/unknown-is-ignored", level: .must,
            origin: .guides([.consultationWebSocket, .enhancedConsultations, .webSocketArchitecture, .goalLinking]),
            place: "processMessage (consultation-websocket), handleIncomingMessage (enhanced-consultations), "
                + "handleMessage (websocket-architecture), toDomain (goal-linking)",
            clause: "The client tolerates unknown frame types, members, personas and statuses.",
            advice:
                "Decode the type, the persona and the status as strings, and add a default branch that does nothing.",
            swiftAdvice: "A Codable enum throws for an unknown raw value, and the client loses the whole answer."),
        Obligation(
            id: "inside/gone-conversation-cleared", level: .must, origin: .guides([.goalLinking]),
            place: "error handling, 3",
            clause: "After a 404 for a conversation, the client does not show any goal as linked to that conversation.",
            advice: "Set the goal's conversationId to nil when its conversation is not found, and show the error."),
        Obligation(
            id: "inside/template-by-its-type", level: .must, origin: .guides([.enhancedConsultations]),
            place: "TemplateCreatedBanner, issue 5",
            clause: "The client shows each template according to its type, and shows only goal templates as goals.",
            advice: "Branch on template_created.type, both in the frame's metadata and in messages from the history."),
        Obligation(
            id: "inside/keeps-100-messages", level: .must, origin: .guides([.consultationWebSocket]),
            place: "best practice 5", clause: "The client keeps only the last 100 messages of a long history.",
            advice: "Keep messages.suffix(100) of the loaded messages, and trim the list as messages arrive."),
    ]
}

/// Whether a client kept an obligation, with evidence if the client broke it.
public struct Verdict: Sendable {
    public let obligation: Obligation
    public var outcome: Outcome
    public var exercisedCount: Int
    /// The first breaches, at most ``Findings/keptCount``.
    public var findings: [Finding]
    public var findingCount: Int
    /// The numbers of entries that show additional breaches, at most ``Findings/numberCount``.
    public var moreEntries: [Int] = []
    /// Whether the client is known to be written in Swift.
    public var isAboutSwift = false
    /// Whether the obligation was left unjudged because a real server, whose state is unknown, answered.
    public var isLeftToServer = false

    public enum Outcome: String, Sendable, CaseIterable {
        case kept, broken
        case notExercised = "not_exercised"
    }

    public init(obligation: Obligation, outcome: Outcome, exercisedCount: Int, findings: [Finding], findingCount: Int) {
        (self.obligation, self.outcome, self.exercisedCount) = (obligation, outcome, exercisedCount)
        (self.findings, self.findingCount) = (findings, findingCount)
    }

    /// How to fix the client, in terms of its programming language if that is known.
    public var advice: String {
        isAboutSwift && !obligation.swiftAdvice.isEmpty
            ? "\(obligation.advice) \(obligation.swiftAdvice)" : obligation.advice
    }

    /// Adds another verdict on the same obligation.
    ///
    /// - Parameter span: The nanoseconds to add to the times in the other verdict's evidence.
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
    /// Whether a finding breaks a *must*, so that the verdict fails a run.
    public var failsRun: Bool { findings.contains { $0.level == .must } }
}

public struct Finding: Sendable {
    /// The severity; usually the obligation's own level.
    public let level: Obligation.Level
    /// A sentence that says what the client did and what was expected, with numbers.
    public var message: String
    /// The few journal entries that show the breach, oldest first.
    public let evidence: [JournalEntry]

    public init(level: Obligation.Level, message: String, evidence: [JournalEntry]) {
        (self.level, self.message, self.evidence) = (level, message, evidence)
    }
}

/// Collects a judge's findings about one obligation.
public struct Findings: Sendable {
    /// The maximum number of breaches kept with evidence.
    ///
    /// Additional breaches are only counted.
    public static let keptCount = 5
    /// The maximum number of entry numbers to keep for additional breaches.
    public static let numberCount = 1000

    let obligation: Obligation
    private(set) var exercisedCount = 0
    private(set) var kept: [Finding] = []
    fileprivate var numbers: [Int] = []
    private(set) var count = 0
    var clock = SystemClock()

    init(of obligation: Obligation) { self.obligation = obligation }

    mutating func exercised() { exercisedCount += 1 }

    /// Records that the obligation was exercised and broken.
    mutating func breached(_ message: String, level: Obligation.Level? = nil, _ evidence: [JournalEntry]) {
        exercised()
        found(message, level: level, evidence)
    }

    /// Records a breach.
    ///
    /// Call ``exercised()`` too, or use ``breached(_:level:_:)``, because a broken obligation also counts as exercised.
    ///
    /// At the limit, a breach of a *must* replaces a breach of a *should*. Repeated entries in `evidence`, such as a
    /// socket's end that is also the last failure, appear only once in the finding.
    ///
    /// - Parameter message: The message, with dates from ``date(of:)`` that match the evidence.
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

    /// Converts a fact's time to the journal's date.
    func date(of time: Timestamp) -> Timestamp { clock.date(of: time) }

    var verdict: Verdict {
        var verdict = Verdict(
            obligation: obligation, outcome: count > 0 ? .broken : exercisedCount > 0 ? .kept : .notExercised,
            exercisedCount: exercisedCount, findings: kept, findingCount: count)
        verdict.moreEntries = numbers
        return verdict
    }
}

/// What a recording contains in addition to requests, responses and messages.
///
/// A journal contains everything. Recordings by other programs omit some evidence; obligations that need this evidence
/// count as not exercised.
public struct Evidence: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The pings, pongs and close frames of WebSockets.
    public static let controlFrames = Evidence(rawValue: 1)
    /// When each WebSocket ended, and which side ended it.
    public static let socketEnds = Evidence(rawValue: 2)
    /// The credentials of requests, or placeholders for them.
    public static let credentials = Evidence(rawValue: 4)
    /// The backend's state.
    ///
    /// Only the fake's state is known, because a real server has state that predates the journal.
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
