import FitIQAPI
import HTTPTypes
import JSON

/// The purpose of a request; the request book holds each errand at most once.
enum Errand: Sendable, Hashable {
    case createConsultation(Persona)
    case chatAboutGoal(String)
    case history(consultation: String)
    case archive(consultation: String)
    case createGoal(GoalDraft)
    /// Whether a goal was created by a request that got no usable answer.
    case findGoal(GoalDraft)
    case listGoals
    case linkGoal(goal: String, consultation: String)
    case createMeal(Int)
    /// Whether a meal was logged by a request that got no usable answer.
    case findMeal(Int)
    case loadMeal(Int)

    /// Whether the request may be sent again although the first may have succeeded.
    ///
    /// A second consultation gets 409 and a second chat-about-goal the existing one; a second goal or meal would be
    /// created.
    var isRepeatable: Bool {
        switch self {
        case .createGoal, .createMeal: false
        default: true
        }
    }

    /// Whether the book repeats it on schedule; loading a meal has its own cadence.
    var isRetried: Bool {
        if case .loadMeal = self { false } else { true }
    }

    /// Whether it goes first after a pause that the backend asked for: a create must not earn another 429.
    var isUrgent: Bool {
        if case .createConsultation = self { true } else { false }
    }
}

/// A goal that is being created.
struct GoalDraft: Sendable, Hashable {
    /// Distinguishes two drafts with the same text.
    let number: Int
    let title: String
    let description: String
    let targetDate: String
    let begunAt: Timestamp
    /// The consultation in which the coach suggested it.
    let consultation: String?
}

/// Request bodies: the forms of the union, which the backend of every guide accepts.
enum Body {
    static func object(_ members: [(key: String, value: String)]) -> [UInt8] {
        JSONValue.object(JSONObject(members.map { (key: $0.key, value: JSONValue.string($0.value)) })).encoded()
    }
}

/// A response as the client reads it.
struct Answer: Sendable {
    let status: Int
    /// The body as JSON; nil if it is not valid JSON.
    let body: JSONValue?
    /// The value of `Retry-After`, in whole seconds.
    let retryAfter: Duration?

    init(_ response: ClientResponse) {
        status = response.status
        body = try? JSON.parse(response.body)
        let seconds = response.fields[.retryAfter].flatMap { Int($0) }
        retryAfter = seconds.map { .seconds(min(max($0, 0), 86_400)) }
    }

    var isSuccess: Bool { (200..<300).contains(status) }
    var code: String? { body?["error"]?["code"]?.string }

    /// Whether the backend asks for a pause (429 of a rate limit; its code distinguishes it from the other 429).
    var isThrottled: Bool {
        guard status == 429, code != "TOO_MANY_ACTIVE_CONSULTATIONS" else { return false }
        return code == "RATE_LIMITED" || retryAfter != nil
    }

    /// Whether the request may have succeeded, and repeating may help.
    var isFailure: Bool { status >= 500 || status == 408 || (isSuccess && body == nil) }

    /// The backend's message, or a description of the status.
    var message: String {
        guard let text = body?["error"]?["message"]?.string, !text.isEmpty else {
            return isSuccess ? ClientMessages.noUsableAnswer : ClientMessages.status(status)
        }
        return String(text.prefix(500))
    }
}

/// The contents of the guides' answers, at any of their documented places.
extension Answer {
    /// The id of a created consultation: in `data.consultation`, in `data`, at the top, or as `consultation_id`.
    var consultationID: String? {
        Self.id(
            body?["data"]?["consultation"]?["id"] ?? body?["data"]?["id"] ?? body?["data"]?["consultation_id"]
                ?? body?["id"] ?? body?["consultation_id"])
    }

    /// The id of the conflicting consultation (409).
    var existingConsultationID: String? { Self.id(body?["error"]?["details"]?["existing_consultation_id"]) }

    /// The consultation of chat-about-goal.
    var conversationID: String? {
        Self.id(
            body?["conversationId"] ?? body?["conversation_id"] ?? body?["data"]?["conversation_id"]
                ?? body?["data"]?["conversationId"])
    }

    /// The object of an answer about one thing, with or without an envelope.
    var object: JSONValue? { body?["data"]?.object != nil ? body?["data"] : body }

    /// The messages of a history; nil if there is no list.
    var messages: [JSONValue]? { (body?["data"]?["messages"] ?? body?["messages"] ?? body?["data"])?.array }

    /// The goals of a list; nil if there is none.
    var goals: [JSONValue]? { (body?["goals"] ?? body?["data"]?["goals"] ?? body?["data"])?.array }

    /// The meal logs of a list; nil if there is none.
    var mealLogs: [JSONValue]? { (body?["data"]?["meal_logs"] ?? body?["meal_logs"] ?? body?["data"])?.array }

    /// An id in the backend's form; no other may go into a path.
    static func id(_ value: JSONValue?) -> String? { value?.string.flatMap(pathID) }

    /// A text as an id for a path: a lower-case UUID; nil if it is not a UUID.
    static func pathID(_ text: String) -> String? {
        guard text.utf8.count == 36 else { return nil }
        return ResourceID(text.lowercased())?.description
    }
}
