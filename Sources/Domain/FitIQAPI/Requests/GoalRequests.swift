/// The body of `POST /api/v1/goals` (goal-linking, createGoalOnBackend).
public struct CreateGoalRequest: Equatable, Sendable {
    /// 1 to 200 characters.
    public var title: String
    /// 0 to 2,000 characters.
    public var description: String
    public var targetDate: DateTime
    /// 1 to 100 characters.
    public var category: String?

    public init(title: String, description: String = "", targetDate: DateTime, category: String? = nil) {
        (self.title, self.description) = (title, description)
        (self.targetDate, self.category) = (targetDate, category)
    }

    public init(body: [UInt8]) throws(APIError) {
        let fields = try BodyReader(body)
        title = try fields.text("title", characters: GoalLengths.title)
            .required("title", expected: "a string of 1 to 200 characters")
        description = try fields.text("description", characters: GoalLengths.description)
            .required("description", expected: "a string of 0 to 2000 characters")
        targetDate = try fields.dateTime("targetDate").required("targetDate", expected: BodyReader.expectedDateTime)
        category = try fields.text("category", characters: GoalLengths.category)
    }
}

/// The length limits of a goal's texts, in characters.
enum GoalLengths {
    static let title = 1...200
    static let description = 0...2000
    static let category = 1...100
}

/// The body of `PATCH /api/v1/goals/{goalId}`: absent fields stay unchanged (goal-linking, updateGoalOnBackend).
public struct UpdateGoalRequest: Equatable, Sendable {
    /// The change to the goal's conversation.
    public enum Conversation: Equatable, Sendable {
        /// The field is absent.
        case keep
        /// The field is null: both ends are unlinked.
        case unlink
        /// The id to link with, as received; the backend checks whether it exists.
        case link(String)
    }

    /// 1 to 200 characters.
    public var title: String?
    /// 0 to 2,000 characters.
    public var description: String?
    public var targetDate: DateTime?
    /// From 0 to 1.
    public var progress: Double?
    /// Any status may follow any other.
    public var status: GoalStatus?
    /// The only field in which null does not mean absent.
    public var conversation = Conversation.keep
    /// 1 to 100 characters.
    public var category: String?

    public init() {}

    /// Reads a body; an object without known fields changes nothing.
    public init(body: [UInt8]) throws(APIError) {
        let fields = try BodyReader(body)
        title = try fields.text("title", characters: GoalLengths.title)
        description = try fields.text("description", characters: GoalLengths.description)
        targetDate = try fields.dateTime("targetDate")
        progress = try fields.number("progress", in: 0...1)
        status = try fields.choice("status", of: GoalStatus.self)
        category = try fields.text("category", characters: GoalLengths.category)
        if fields.isNull("conversationId") {
            conversation = .unlink
        } else if let id = try fields.string("conversationId", expected: "a consultation's id, or null to unlink") {
            conversation = .link(id)
        }
    }

    /// Changes a goal except its conversation, which has two ends.
    public func apply(to goal: inout Goal) {
        if let title { goal.title = title }
        if let description { goal.description = description }
        if let targetDate { goal.targetDate = targetDate }
        if let progress { goal.progress = progress }
        if let status { goal.status = status }
        if let category { goal.category = category }
    }
}

/// The body of `POST /api/v1/consultations/chat-about-goal` (goal-linking, ChatAboutGoalRequest).
public struct ChatAboutGoalRequest: Equatable, Sendable {
    /// A UUID in either case; the backend checks whether the user has such a goal.
    public var goalID: String

    public init(goalID: String) { self.goalID = goalID }

    public init(body: [UInt8]) throws(APIError) {
        let expected = "the id that POST /api/v1/goals answered with"
        goalID = try BodyReader(body).string("goalId", expected: expected).required("goalId", expected: expected)
        guard ResourceID.read(goalID) != .malformed else { throw .malformedGoalID(goalID, field: "goalId") }
    }
}
