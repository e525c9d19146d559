import FitIQAPI

/// The reason data cannot be planted; nothing of it was.
public struct PlantError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The position in the document, by keys and by indexes from 0: `users[0].consultations[2].messages[1].created_at`.
    public var path: String
    /// The problem, what is allowed, and how to fix it.
    public var message: String
    /// Whether the data is valid and only lacks room.
    public var isForWantOfRoom = false

    init(_ path: String, _ problem: Problem) {
        (self.path, message) = (path, problem.message)
        if case .storeFull = problem { isForWantOfRoom = true }
    }

    public var description: String { "\(path): \(message)" }

    enum Problem {
        // Ids and references.
        case duplicateID(ResourceID), duplicateUser(String), duplicateName(String)
        case duplicateAddress(String), notAnAddress(String)
        case issuedIDs(Int, maximum: Int), unknownGoal(GoalReference)
        // Consultations.
        case missingContextGoal, strayContextGoal(ContextType), strayContextID(ContextType), linkedAndUnlinked
        case notEnded, nothingToAnswer
        case duplicateTopic(Topic), tooManyActive(limit: Int), twoConversations(other: String)
        // Times, ages in nanoseconds, and the event at the earlier of two times: `the goal was created`.
        case beyondTheBeginning(Timestamp, now: Timestamp), negativeAge(Int64), beforeTheCalendar(Int64)
        case outOfOrder(Timestamp, earlier: Timestamp, String), finishedWhileProcessing
        case photoNotRecognized, mealTypeOfApps(MealType), manualMeal
        // Values.
        case length(Int, allowed: ClosedRange<Int>), tooManyBytes(Int, limit: Int), blank
        case documentTooLarge(Int, limit: Int)
        /// A document breaks a rule of its collection, in the words of a request's refusal.
        case document(String)
        case number(Double, allowed: ClosedRange<Double>), negative(Int)
        // Limits, with what is counted in the plural: `goals`.
        case tooMany(String, Int, limit: Int), storeFull(limit: Int)
    }
}

extension PlantError.Problem {
    var message: String {
        switch self {
        case .duplicateID(let id):
            "The id \(id) occurs twice; ids are unique in a world: leave it out to have one issued."
        case .duplicateUser(let id): "The user \"\(id)\" occurs twice; put everything of a user into one entry."
        case .duplicateName(let name):
            "Two goals of this user are called \"\(name)\"; give each a name of its own."
        case .duplicateAddress(let email):
            "Another user has the address \"\(email)\" (the case of letters does not matter); each account has its own."
        case .notAnAddress(let email): "\"\(email)\" is not an address such as \"ada@example.com\"."
        case .issuedIDs(let count, let maximum):
            "\(count) ids cannot have been issued; the number is from 0 to \(maximum)."
        case .unknownGoal(.named(let name)):
            "No goal of this user is called \"\(name)\"; add it to the user's goals, with this name or id."
        case .unknownGoal(.id(let id)):
            "No goal of this user has the id \(id); add it to the user's goals, with this name or id."

        case .missingContextGoal:
            "The context is a goal, and no goal is named; name one of the user's, or take another context."
        case .strayContextGoal(let context):
            "The context is \"\(context.rawValue)\", so it is about no goal; make the context \"goal\", "
                + "or link the goal with linked_goal."
        case .strayContextID(let context):
            "The context \"\(context.rawValue)\" takes no context_id; leave it out, or make the context \"insight\", "
                + "\"mood\" or \"journal\"."
        case .linkedAndUnlinked: "It is unlinked, and linked with a goal; leave out unlinked or linked_goal."
        case .notEnded:
            "An active consultation has not been completed; leave completed_at out, or change the status."
        case .nothingToAnswer:
            "Only an active consultation whose last message is the user's awaits an answer; leave awaits_answer out."
        case .duplicateTopic(let topic):
            "The user has an active consultation with the \(topic.persona.rawValue) about "
                + "\"\(topic.context.type.rawValue)\(topic.context.id.map { " \($0)" } ?? "")\" already, "
                + "and one is the limit; archive one of the two, or take another persona or context."
        case .tooManyActive(let limit):
            "A user has at most \(limit) active consultations; archive some, or leave them out."
        case .twoConversations(let other):
            "The goal is linked with \(other) already, and has one conversation; say is_goals_conversation: false "
                + "in one of the two."

        case .beyondTheBeginning(let time, let now):
            "\(time.preciseText) is after \(now.preciseText), when the world begins; give a time before that, or leave "
                + "it out."
        case .negativeAge(let age):
            "\(age) ns before the world begins is after it; give a duration of 0 or more, or leave it out."
        case .beforeTheCalendar(let age):
            "\(age) ns before the world begins is before 1678, the first year; give a shorter duration."
        case .outOfOrder(let time, let earlier, let what):
            "\(time.preciseText) is before \(earlier.preciseText), when \(what); give a time from then on, or leave it "
                + "out."
        case .finishedWhileProcessing:
            "A meal log that is being processed has not finished; leave the time out, or change the status."
        case .photoNotRecognized: "A photo is recognized at once; make the status completed or failed."
        case .mealTypeOfApps(let type):
            "Only the apps know the meal type \"\(type.rawValue)\"; take another, or have the world answer as union."

        case .manualMeal:
            "The guide websocket-architecture does not know the status \"manual\"; make it completed, or have the world "
                + "answer as union or meal-log-websocket."

        case .length(let count, let allowed):
            "The text has \(count) characters; \(allowed.lowerBound) to \(allowed.upperBound) are allowed."
        case .tooManyBytes(let count, let limit):
            "The text has \(count) bytes; the limit is \(limit): make it shorter."
        case .documentTooLarge(let count, let limit):
            "The document has \(count) bytes of JSON; the limit is \(limit): leave some of it out."
        case .document(let refusal): refusal
        case .blank: "The text is blank; write something other than white space."
        case .number(let number, let allowed):
            "\(number) is not \(allowed.inWords)."
        case .negative(let number): "\(number) is negative; the number is 0 or more."

        case .tooMany(let what, let count, let limit):
            "These make \(count) \(what); the limit is \(limit): leave some out."
        case .storeFull(let limit):
            "A world holds at most \(limit) bytes, and is full here; leave out this and what follows."
        }
    }
}
