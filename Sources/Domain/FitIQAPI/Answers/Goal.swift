import JSON

/// A user's goal (goal-linking, Goal Entity, without the app's local id).
public struct Goal: Equatable, Sendable {
    /// The guide's `backendId`.
    public var id: ResourceID
    public var userID: ExactString
    /// 1 to 200 characters.
    public var title: String
    /// 0 to 2,000 characters.
    public var description: String
    /// Only PATCH and PUT change the status; a change to ``progress`` does not.
    public var state = GoalState.notStarted
    /// From 0 to 1.
    public var progress = 0.0 { didSet { if progress != oldValue { measure.current = nil } } }
    /// 1 to 100 characters of free text.
    public var category: String?
    /// May be in the past.
    public var targetDate: DateTime
    /// The active consultation about this goal, whose ``Consultation/goalID`` is this goal.
    public var conversationID: ResourceID?
    public var measure = GoalMeasure()
    public var createdAt: Timestamp
    public var updatedAt: Timestamp

    /// Creates a goal that is not started and has no conversation.
    public init(
        id: ResourceID, userID: ExactString, title: String, description: String, category: String?,
        targetDate: DateTime, createdAt: Timestamp
    ) {
        (self.id, self.userID, self.title, self.description) = (id, userID, title, description)
        (self.category, self.targetDate, self.createdAt) = (category, targetDate, createdAt)
        self.updatedAt = createdAt
    }

    /// Encodes the goal in the form of goal-linking or of the union; no other guide documents goals.
    ///
    /// goal-linking uses the camelCase object without an envelope. The union adds `success` and `data` with the same
    /// fields in snake_case. For the apps, `data` also has the apps' members, and lists use the apps' words.
    public func encoded(in form: GuideMode, forApps: Bool = false) -> EncodedGoal {
        // Scenarios may set the apps' members in any mode.
        let unseenCount = forApps ? 0 : JSONWriter.object(measure.write).count - 2
        let status = state.guideStatus.rawValue
        let camelCase = JSONWriter.object(reserving: 512) { writeMembers(into: &$0, camelCase: true, status: status) }
        guard form.hasEnvelopeOfGoals else {
            return EncodedGoal(
                body: camelCase, camelCase: camelCase, snakeCase: [], byteCount: 2 * camelCase.count + unseenCount,
                canBeOverdue: false, targetDate: targetDate)
        }
        func snakeCase(status: String) -> [UInt8] {
            JSONWriter.object(reserving: 512) { writer in
                writeMembers(into: &writer, camelCase: false, status: status)
                if forApps { writeMeasure(into: &writer) }
            }
        }
        let data = snakeCase(status: status)
        let body = JSONWriter.object(reserving: camelCase.count + data.count + 32) { body in
            body.member("success", true)
            body.member("data", raw: data)
            writeMembers(into: &body, camelCase: true, status: status)
        }
        let list = forApps ? snakeCase(status: state.appStatus.rawValue) : data
        return EncodedGoal(
            body: body, camelCase: camelCase, snakeCase: list,
            byteCount: body.count + camelCase.count + list.count + unseenCount,
            canBeOverdue: canBeOverdue, targetDate: targetDate)
    }

    private var canBeOverdue: Bool { state != .completed && state != .archived }

    /// Whether the goal's target date has passed and the goal is neither completed nor archived.
    public func isOverdue(at now: Timestamp) -> Bool {
        canBeOverdue && targetDate.secondsSinceEpoch < now.secondsSinceEpoch
    }

    /// The current value, in the unit of its target.
    public var currentValue: Double {
        // Round off the multiplication error: 0.29 of 100 is 29.
        measure.current ?? ((measure.target ?? 100) * progress * 1e6).rounded() / 1e6
    }

    /// Writes the members of all guides, in camelCase for goal-linking and otherwise in snake_case.
    private func writeMembers(into writer: inout JSONWriter, camelCase: Bool, status: String) {
        writer.member("id", id)
        writer.member(camelCase ? "userId" : "user_id", userID.text)
        writer.member("title", title)
        writer.member("description", description)
        writer.member("status", status)
        writer.member("progress", progress)
        writer.member("category", orNull: category)
        writer.member(camelCase ? "targetDate" : "target_date", targetDate)
        writer.member(camelCase ? "conversationId" : "conversation_id", orNull: conversationID)
        writer.member(camelCase ? "createdAt" : "created_at", createdAt)
        writer.member(camelCase ? "updatedAt" : "updated_at", updatedAt)
    }

    private func writeMeasure(into writer: inout JSONWriter) {
        writer.member("start_date", measure.startDate?.dateText ?? DateTime(createdAt).dateText)
        writer.member("goal_type", orNull: measure.type)
        writer.member("target_value", measure.target ?? 100)
        writer.member("target_unit", measure.unit ?? "percent")
        writer.member("current_value", currentValue)
        // This backend has no recurring goals.
        writer.member("is_recurring", false)
    }
}

/// The apps' additional members of a goal.
///
/// Responses contain default values for unset members.
public struct GoalMeasure: Equatable, Sendable {
    /// The first second of a day in UTC; nil means the day of creation.
    public var startDate: DateTime?
    /// 1 to 100 characters of free text.
    public var type: String?
    /// The target value, in ``targets``; nil means 100.
    public var target: Double?
    /// 1 to 50 characters; nil means `percent`.
    public var unit: String?
    /// The current value, in ``values``; nil derives it from the goal's progress.
    public var current: Double?

    /// All targets above 0.
    public static let targets = Double.leastNonzeroMagnitude...1e9
    public static let values = 0...1e9

    public init() {}

    /// Writes the set members.
    public func write(into writer: inout JSONWriter) {
        writer.member("start_date", ifPresent: startDate?.dateText)
        writer.member("goal_type", ifPresent: type)
        writer.member("target_value", ifPresent: target)
        writer.member("target_unit", ifPresent: unit)
        writer.member("current_value", ifPresent: current)
    }
}

/// A goal as JSON in one mode's form, re-encoded whenever the goal changes.
public struct EncodedGoal: Equatable, Sendable {
    /// The body of the create, get and update responses.
    public let body: [UInt8]
    /// The camelCase object in lists.
    public let camelCase: [UInt8]
    /// The snake_case object in lists; empty for goal-linking, which sends no such object.
    ///
    /// For the apps, the object has the apps' form, except for the time-dependent members.
    public let snakeCase: [UInt8]
    /// The goal's share of the stored size in bytes, including members of other modes.
    public let byteCount: Int
    /// Whether the goal is neither completed nor archived.
    let canBeOverdue: Bool
    let targetDate: DateTime

    /// The body of a response to the apps.
    public func appBody(at now: Timestamp) -> [UInt8] {
        JSONWriter.object(reserving: snakeCase.count + 96) { writer in
            writer.member("success", true)
            writer.key("data")
            writeForApps(into: &writer, at: now)
        }
    }

    /// Writes the goal in the apps' form, as of the given time.
    func writeForApps(into writer: inout JSONWriter, at now: Timestamp) {
        let left = targetDate.secondsSinceEpoch - now.secondsSinceEpoch
        writer.beginObject()
        writer.members(of: snakeCase)
        writer.member("is_overdue", canBeOverdue && left < 0)
        writer.member("days_remaining", Int(max(0, (left + 86_399) / 86_400)))
        writer.endObject()
    }
}

extension GuideMode {
    /// Whether goal responses add the union's envelope around goal-linking's members.
    var hasEnvelopeOfGoals: Bool {
        switch self {
        case .union: true
        case .goalLinking: false
        default: preconditionFailure("\(rawValue) documents no goals: use form(of:) to get the form.")
        }
    }
}

extension Consultation {
    /// The body of `POST /api/v1/consultations/chat-about-goal` (goal-linking, ChatAboutGoalResponse).
    ///
    /// The form is `.goalLinking` or `.union`, which adds `success` and `data` with the same fields in snake_case.
    public func body(answeringChatAboutGoal goalID: ResourceID, in form: GuideMode, origin: String) -> [UInt8] {
        func write(into writer: inout JSONWriter, camelCase: Bool) {
            writer.member(camelCase ? "conversationId" : "conversation_id", id)
            writer.member(camelCase ? "goalId" : "goal_id", goalID)
            writer.member(camelCase ? "createdAt" : "created_at", createdAt)
            writer.object("persona") { persona.writeMembers(into: &$0, origin: origin) }
        }
        return JSONWriter.object(reserving: 768) { writer in
            if form.hasEnvelopeOfGoals {
                writer.member("success", true)
                writer.object("data") { write(into: &$0, camelCase: false) }
            }
            write(into: &writer, camelCase: true)
        }
    }
}

/// A goal that a coach suggests to the apps.
public struct GoalSuggestion: Equatable, Sendable {
    public let title: String
    private let encoded: [UInt8]

    public init(title: String, encoded: [UInt8]) { (self.title, self.encoded) = (title, encoded) }

    /// The body with suggestions, `data: {suggestions, count}`, and the id of their consultation, if any.
    public static func body(_ suggestions: [Self], for consultation: Consultation? = nil) -> [UInt8] {
        JSONWriter.success(reserving: 512 * suggestions.count + 256) { writer in
            writer.array("suggestions") { array in for suggestion in suggestions { array.raw(suggestion.encoded) } }
            writer.member("count", suggestions.count)
            writer.member("persona", ifPresent: consultation?.persona.rawValue)
            writer.member("consultation_id", ifPresent: consultation?.id)
        }
    }
}
