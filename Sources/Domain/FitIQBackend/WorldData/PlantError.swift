import FitIQAPI

/// The reason data cannot be planted; nothing of it was.
public struct PlantError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The position in the document, by keys and by indexes from 0: `users[0].consultations[2].messages[1].created_at`.
    public var path: String
    /// The problem, what is allowed, and how to fix it.
    public var message: String

    /// Whether the data is valid and only lacks room.
    public var isForWantOfRoom: Bool

    init(_ path: String, _ message: String, isForWantOfRoom: Bool = false) {
        self.path = path
        self.message = message
        self.isForWantOfRoom = isForWantOfRoom
    }

    public var description: String { "\(path): \(message)" }
}

/// The messages about refused data.
extension PlantError {
    // MARK: Ids and references

    static func duplicateID(_ path: String, _ id: ResourceID) -> PlantError {
        PlantError(path, "The id \(id) occurs twice; ids are unique in a world: leave it out to have one issued.")
    }

    static func duplicateUser(_ path: String, _ id: String) -> PlantError {
        PlantError(path, "The user \"\(id)\" occurs twice; put everything of a user into one entry.")
    }

    static func duplicateName(_ path: String, _ name: String) -> PlantError {
        PlantError(path, "Two goals of this user are called \"\(name)\"; give each a name of its own.")
    }

    static func issuedIDs(_ path: String, _ count: Int, maximum: Int) -> PlantError {
        PlantError(path, "\(count) ids cannot have been issued; the number is from 0 to \(maximum).")
    }

    static func unknownGoal(_ path: String, _ goal: GoalReference) -> PlantError {
        let text =
            switch goal {
            case .named(let name): "is called \"\(name)\""
            case .id(let id): "has the id \(id)"
            }
        return PlantError(path, "No goal of this user \(text); add it to the user's goals, with this name or id.")
    }

    // MARK: Consultations

    static func missingContextGoal(_ path: String) -> PlantError {
        PlantError(
            path, "The context is a goal, and no goal is named; name one of the user's, or take another context.")
    }

    static func strayContextGoal(_ path: String, _ context: ContextType) -> PlantError {
        PlantError(
            path,
            "The context is \"\(context.rawValue)\", so it is about no goal; make the context \"goal\", "
                + "or link the goal with linked_goal.")
    }

    static func strayContextID(_ path: String, _ context: ContextType) -> PlantError {
        PlantError(
            path,
            "The context \"\(context.rawValue)\" takes no context_id; leave it out, or make the context \"insight\", "
                + "\"mood\" or \"journal\".")
    }

    static func linkedAndUnlinked(_ path: String) -> PlantError {
        PlantError(path, "It is unlinked, and linked with a goal; leave out unlinked or linked_goal.")
    }

    static func duplicateTopic(_ path: String, _ topic: Topic) -> PlantError {
        let context = topic.context.type.rawValue + (topic.context.id.map { " \($0)" } ?? "")
        return PlantError(
            path,
            "The user has an active consultation with the \(topic.persona.rawValue) about \"\(context)\" already, "
                + "and one is the limit; archive one of the two, or take another persona or context.")
    }

    static func tooManyActive(_ path: String, limit: Int) -> PlantError {
        PlantError(path, "A user has at most \(limit) active consultations; archive some, or leave them out.")
    }

    static func twoConversations(_ path: String, other: String) -> PlantError {
        PlantError(
            path,
            "The goal is linked with \(other) already, and has one conversation; say is_goals_conversation: false "
                + "in one of the two.")
    }

    // MARK: Times

    static func beyondTheBeginning(_ path: String, _ time: Timestamp, now: Timestamp) -> PlantError {
        PlantError(
            path,
            "\(time.preciseText) lies after \(now.preciseText), when the world begins; give a time before that, "
                + "or leave it out.")
    }

    static func negativeAge(_ path: String, _ nanoseconds: Int64) -> PlantError {
        PlantError(
            path,
            "\(nanoseconds) ns before the world begins is after it; give a duration of 0 or more, or leave it out.")
    }

    static func beforeTheCalendar(_ path: String, _ nanoseconds: Int64) -> PlantError {
        PlantError(
            path, "\(nanoseconds) ns before the world begins is before 1678, the first year; give a shorter duration.")
    }

    static func outOfOrder(_ path: String, _ time: Timestamp, earlier: Timestamp, _ what: String) -> PlantError {
        PlantError(
            path,
            "\(time.preciseText) lies before \(earlier.preciseText), when \(what); give a time from then on, "
                + "or leave it out.")
    }

    static func finishedWhileProcessing(_ path: String) -> PlantError {
        PlantError(
            path, "A meal log that is being processed has not finished; leave the time out, or change the status.")
    }

    // MARK: Values

    static func length(_ path: String, _ count: Int, allowed: ClosedRange<Int>) -> PlantError {
        PlantError(
            path, "The text has \(count) characters; \(allowed.lowerBound) to \(allowed.upperBound) are allowed.")
    }

    static func tooManyBytes(_ path: String, _ count: Int, limit: Int) -> PlantError {
        PlantError(path, "The text has \(count) bytes; the limit is \(limit): make it shorter.")
    }

    static func blank(_ path: String) -> PlantError {
        PlantError(path, "The text is blank; write something else than white space.")
    }

    static func number(_ path: String, _ number: Double, allowed: ClosedRange<Double>) -> PlantError {
        PlantError(
            path, "\(number) is not a number from \(text(allowed.lowerBound)) to \(text(allowed.upperBound)).")
    }

    static func negative(_ path: String, _ number: Int) -> PlantError {
        PlantError(path, "\(number) is negative; the number is 0 or more.")
    }

    private static func text(_ bound: Double) -> String { "\(Int(bound))" }

    // MARK: Limits

    /// - Parameter what: The counted things, in the plural: `goals`.
    static func tooMany(_ path: String, _ what: String, _ count: Int, limit: Int) -> PlantError {
        PlantError(path, "These make \(count) \(what); the limit is \(limit): leave some out.")
    }

    static func storeFull(_ path: String, limit: Int) -> PlantError {
        PlantError(
            path, "A world holds at most \(limit) bytes, and is full here; leave out this and what follows.",
            isForWantOfRoom: true)
    }
}
