import FitIQAPI

/// What a client should show its user.
public enum ClientExpectation: Sendable, Hashable {
    /// The chat's connection is so.
    case connection(ClientReport.Connection)
    /// There is no connection, and none is being made.
    case offline
    /// The chat is that of the consultation with this id, which existed before.
    case continues(String)
    /// There is no consultation.
    case noConsultation
    /// The transcript is what the server has stored, line by line; answers that are shown as not complete do not count.
    case transcriptAsStored
    /// The transcript is the end of what the server has stored, so many lines of it at least, and complete.
    case transcriptEndsAsStored(atLeast: Int)
    /// No answer is shown as complete that the server has not stored just so.
    case completeAnswersAreStored
    /// A message of this role contains the text.
    case line(MessageRole, containing: String)
    /// No message of the transcript contains the text.
    case noLine(containing: String)
    /// At least so many answers are complete.
    case answers(Int)
    /// An answer is coming: it has text, and is not complete.
    case streaming
    /// The user was told of trouble of this kind, in words that contain the text.
    case problem(ClientReport.Problem.Kind, containing: String = "")
    /// The user was told of this kind of trouble exactly so often.
    case problemCount(ClientReport.Problem.Kind, Int)
    /// The user was told of no trouble.
    case noProblem
    /// There is a goal with this title.
    case goal(String)
    /// There are exactly so many goals with this title.
    case goalCount(String, Int)
    /// The goal is linked with the consultation whose chat is open.
    case goalLinked(String)
    /// The goal is linked with no consultation.
    case goalUnlinked(String)
    /// The meal with this text is so far, and has these calories, if any are given.
    case meal(String, MealLogStatus, calories: Int? = nil)
    /// The meal with this text failed, and the user is told why, in words that contain this.
    case mealError(String, containing: String)
    /// Nothing that was begun is unfinished.
    case idle
    /// All of these.
    case all([ClientExpectation])

    /// Whether the server's truth is needed to tell.
    var needsStoredMessages: Bool {
        switch self {
        case .transcriptAsStored, .transcriptEndsAsStored, .completeAnswersAreStored: true
        case .all(let parts): parts.contains { $0.needsStoredMessages }
        default: false
        }
    }
}

/// What can be seen only from within a client (CONTRACT section 9, last paragraph).
public enum InsideCheck: String, Sendable, Hashable, CaseIterable {
    /// The transcript is what the server streamed and stored.
    case transcript = "inside/transcript-equals-chunks"
    /// An answer that was cut is not shown as complete.
    case cutStream = "inside/cut-stream-not-complete"
    /// An `error` frame is told to the user.
    case serverError = "inside/server-error-surfaces"
    /// After 409 the chat is that of the consultation that exists.
    case conflict = "inside/conflict-yields-existing"
    /// After 429 the user is told that there are too many.
    case limit = "inside/limit-yields-too-many"
    /// Why a meal failed is told to the user.
    case failedMeal = "inside/failed-meal-surfaces"
}

extension ClientExpectation {
    /// What is checked from within the client by it.
    public var checks: Set<InsideCheck> {
        switch self {
        case .transcriptAsStored, .transcriptEndsAsStored: [.transcript]
        case .completeAnswersAreStored: [.cutStream]
        case .continues: [.conflict]
        case .problem(.chat, _), .problemCount(.chat, _): [.serverError]
        case .problem(.tooMany, _): [.limit]
        case .problemCount(.tooMany, let count): count > 0 ? [.limit] : []
        case .mealError: [.failedMeal]
        case .all(let parts): parts.reduce(into: []) { $0.formUnion($1.checks) }
        default: []
        }
    }

    /// The chat is open and quiet.
    static let ready = ClientExpectation.all([.connection(.connected), .idle])
    /// So many answers have come, the transcript is the server's, and nothing is under way.
    static func answered(_ count: Int) -> ClientExpectation {
        .all([.connection(.connected), .answers(count), .transcriptAsStored, .idle])
    }
}

/// A message as the server has stored it.
public struct StoredMessage: Sendable, Hashable {
    /// Who wrote it.
    public var role: MessageRole
    /// What it says.
    public var text: String

    /// Describes a message.
    public init(role: MessageRole, text: String) {
        self.role = role
        self.text = text
    }
}

/// What both sides say at one moment.
struct Observation: Sendable {
    /// What the client's user sees.
    var report = ClientReport()
    /// What the server has stored of that consultation; empty where it is not asked for, or unknown.
    var stored: [StoredMessage] = []
}
