import JSON

/// The body of `POST /api/v1/goals` (goal-linking, createGoalOnBackend).
public struct CreateGoalRequest: Equatable, Sendable {
    /// 1 to 200 characters.
    public var title: String
    /// 0 to 2,000 characters.
    public var description: String
    public var targetDate: DateTime
    /// 1 to 100 characters.
    public var category: String?
    /// The whole body if it has the apps' form; the response then has the same form.
    public var app: GoalChange?

    public init(title: String, description: String = "", targetDate: DateTime, category: String? = nil) {
        (self.title, self.description) = (title, description)
        (self.targetDate, self.category) = (targetDate, category)
    }

    /// - Parameter isForApps: Whether a body with a snake_case field and without `targetDate` has the apps' form.
    public init(body: [UInt8], isForApps: Bool = false) throws(APIError) {
        let fields = try BodyReader(body)
        title = try fields.requiredText("title", characters: GoalLengths.title)
        if isForApps, fields.haveFormOfApps {
            var request = try GoalChange(fields, isForApps: true)
            // A new goal is active.
            request.status = nil
            targetDate = try request.targetDate.required("target_date", expected: BodyReader.expectedDateOrTime)
            (description, category, app) = (request.description ?? "", request.category, request)
            return
        }
        description = try fields.requiredText("description", characters: GoalLengths.description)
        targetDate = try fields.dateTime("targetDate").required("targetDate", expected: BodyReader.expectedDateTime)
        category = try fields.text("category", characters: GoalLengths.category)
    }
}

extension BodyReader {
    /// Whether a goal has the apps' form: a snake_case field and no `targetDate`.
    fileprivate var haveFormOfApps: Bool {
        self["targetDate"] == nil && object.contains { $0.key.contains("_") }
    }
}

/// The length limits for a goal's strings, in characters.
package enum GoalLengths {
    package static let title = 1...200
    package static let description = 0...2000
    package static let category = 1...100
    package static let unit = 1...50
}

/// A request's changes to a goal, in the guide's or the apps' form: absent fields stay unchanged.
public struct GoalChange: Equatable, Sendable {
    /// 1 to 200 characters.
    public var title: String?
    /// 0 to 2,000 characters.
    public var description: String?
    public var targetDate: DateTime?
    /// 1 to 100 characters.
    public var category: String?
    /// From 0 to 1.
    public var progress: Double?
    /// The new status; any transition is allowed.
    public var status: GoalWord?
    /// The apps' additional members.
    public var measure = GoalMeasure()

    public init() {}

    /// Reads the apps' form.
    public init(body: [UInt8]) throws(APIError) { try self.init(BodyReader(body), isForApps: true) }

    /// Reads a body; an object without known fields changes nothing.
    fileprivate init(_ fields: BodyReader, isForApps: Bool) throws(APIError) {
        title = try fields.text("title", characters: GoalLengths.title)
        description = try fields.text("description", characters: GoalLengths.description)
        targetDate = try isForApps ? fields.dateTime("target_date", orDate: true) : fields.dateTime("targetDate")
        progress = try fields.number("progress", in: 0...1)
        status = try fields.choice("status", among: isForApps ? GoalWord.apps : GoalWord.guide)
        category = try fields.text("category", characters: GoalLengths.category)
        guard isForApps else { return }
        measure.startDate = try fields.dateTime("start_date", orDate: true).flatMap { DateTime(date: $0.dateText) }
        measure.type = try fields.text("goal_type", characters: GoalLengths.category)
        measure.target = try fields.number("target_value", in: GoalMeasure.targets)
        measure.unit = try fields.text("target_unit", characters: GoalLengths.unit)
        measure.current = try fields.number("current_value", in: GoalMeasure.values)
    }

    /// Changes a goal.
    ///
    /// If only the progress or the current value changes, the other is updated to match.
    public func apply(to goal: inout Goal) {
        goal.title = title ?? goal.title
        goal.description = description ?? goal.description
        goal.targetDate = targetDate ?? goal.targetDate
        goal.category = category ?? goal.category
        goal.measure.startDate = measure.startDate ?? goal.measure.startDate
        goal.measure.type = measure.type ?? goal.measure.type
        goal.measure.target = measure.target ?? goal.measure.target
        goal.measure.unit = measure.unit ?? goal.measure.unit
        if let progress = progress ?? measure.current.map({ min(1, $0 / (goal.measure.target ?? 100)) }) {
            goal.progress = progress
        }
        goal.measure.current = measure.current ?? goal.measure.current
        switch status {
        // A goal without progress stays not started.
        case .active?: if goal.state != .notStarted || goal.progress > 0 { goal.state = .inProgress }
        default: goal.state = status.flatMap { GoalState(rawValue: $0.rawValue) } ?? goal.state
        }
    }
}

/// The body of `PUT /api/v1/goals/{goalId}`, and the apps' form of `POST /api/v1/goals`.
public typealias AppGoalRequest = GoalChange

/// The body of `PATCH /api/v1/goals/{goalId}` (goal-linking, updateGoalOnBackend).
public struct UpdateGoalRequest: Equatable, Sendable {
    /// The change to the goal's conversation.
    public enum Conversation: Equatable, Sendable {
        /// The field is absent.
        case keep
        /// The field is null, which unlinks both ends.
        case unlink
        /// The received id to link with; the backend checks whether it exists.
        case link(String)
    }

    /// The changes to the goal except for its conversation, which has two ends.
    public var change = GoalChange()
    /// Whether the body has the apps' form; the response then has the same form.
    public var hasFormOfApps = false
    /// The conversation; this is the only field where null differs from absent.
    public var conversation = Conversation.keep

    public init() {}

    /// - Parameter isForApps: Whether a body with a snake_case field and without `targetDate` has the apps' form.
    public init(body: [UInt8], isForApps: Bool = false) throws(APIError) {
        let fields = try BodyReader(body)
        hasFormOfApps = isForApps && fields.haveFormOfApps
        change = try GoalChange(fields, isForApps: hasFormOfApps)
        if fields.isNull("conversationId") {
            conversation = .unlink
        } else if let id = try fields.string("conversationId", expected: "a consultation's id, or null to unlink") {
            conversation = .link(id)
        }
    }
}

/// The body of `POST /api/v1/consultations/chat-about-goal` (goal-linking, ChatAboutGoalRequest).
public struct ChatAboutGoalRequest: Equatable, Sendable {
    /// A UUID in upper or lower case; the backend checks whether the user has such a goal.
    public var goalID: String

    public init(goalID: String) { self.goalID = goalID }

    /// - Parameter ids: With ``IDCase/free``, no id is malformed.
    public init(body: [UInt8], ids: IDCase? = nil) throws(APIError) {
        let expected = "the id that POST /api/v1/goals answered with"
        goalID = try BodyReader(body).string("goalId", expected: expected).required("goalId", expected: expected)
        if ids != .free, ResourceID.read(goalID) == .malformed { throw .malformedGoalID(goalID, field: "goalId") }
    }
}
