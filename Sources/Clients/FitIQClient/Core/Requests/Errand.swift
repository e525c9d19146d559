import FitIQAPI
import HTTPTypes
import JSON

/// What a request is for; the book of requests holds each errand at most once.
enum Errand: Sendable, Hashable {
    case createConsultation(Persona)
    case chatAboutGoal(String)
    case history(consultation: String)
    case archive(consultation: String)
    case createGoal(GoalDraft)
    /// Whether a goal was made by a request that got no usable answer.
    case findGoal(GoalDraft)
    case listGoals
    case linkGoal(goal: String, consultation: String)
    case createMeal(Int)
    /// Whether a meal log was made by a request that got no usable answer.
    case findMeal(Int)
    case loadMeal(Int)

    /// Whether the request may be sent again although the first may have been done.
    ///
    /// Another consultation is answered with 409 and chat-about-goal with the one that exists; another goal or meal is made.
    var isRepeatable: Bool {
        switch self {
        case .createGoal, .createMeal: false
        default: true
        }
    }

    /// Whether the book repeats it by the schedule; the load of a meal has a cadence of its own.
    var isRetried: Bool {
        if case .loadMeal = self { false } else { true }
    }

    /// Whether it goes first after a pause that the backend asked for: a create must not earn another 429.
    var isUrgent: Bool {
        if case .createConsultation = self { true } else { false }
    }
}

/// A goal that is being made.
struct GoalDraft: Sendable, Hashable {
    /// Tells two of the same words apart.
    let number: Int
    let title: String
    let description: String
    let targetDate: String
    let begunAt: Timestamp
    /// The consultation in which the coach suggested it.
    let consultation: String?
}

/// Bodies of requests: the forms of the union, which every guide's backend takes.
enum Body {
    static func object(_ members: [(key: String, value: String)]) -> [UInt8] {
        JSONValue.object(JSONObject(members.map { (key: $0.key, value: JSONValue.string($0.value)) })).encoded()
    }
}

/// A response as the client reads it.
struct Answer: Sendable {
    let status: Int
    /// The body as JSON; nil where it is none.
    let body: JSONValue?
    /// What `Retry-After` asks for, in whole seconds.
    let retryAfter: Duration?

    init(_ response: ClientResponse) {
        status = response.status
        body = try? JSON.parse(response.body)
        let seconds = response.fields[.retryAfter].flatMap { Int($0) }
        retryAfter = seconds.map { .seconds(min(max($0, 0), 86_400)) }
    }

    var isSuccess: Bool { (200..<300).contains(status) }
    var code: String? { body?["error"]?["code"]?.string }

    /// Whether the backend asks for a pause (429 of a rate limit, told from the other 429 by its code).
    var isThrottled: Bool {
        guard status == 429, code != "TOO_MANY_ACTIVE_CONSULTATIONS" else { return false }
        return code == "RATE_LIMITED" || retryAfter != nil
    }

    /// Whether what was asked for may have been done, and asking again may help.
    var isFailure: Bool { status >= 500 || status == 408 || (isSuccess && body == nil) }

    /// The backend's words, or the status in ours.
    var message: String {
        guard let text = body?["error"]?["message"]?.string, !text.isEmpty else {
            return isSuccess ? ClientMessages.noUsableAnswer : ClientMessages.status(status)
        }
        return String(text.prefix(500))
    }
}

/// What the guides' answers hold, wherever they put it.
extension Answer {
    /// The id of a consultation that was created: in `data.consultation`, in `data`, at the top, or as `consultation_id`.
    var consultationID: String? {
        Self.id(
            body?["data"]?["consultation"]?["id"] ?? body?["data"]?["id"] ?? body?["data"]?["consultation_id"]
                ?? body?["id"] ?? body?["consultation_id"])
    }

    /// The id of the consultation that stands in the way (409).
    var existingConsultationID: String? { Self.id(body?["error"]?["details"]?["existing_consultation_id"]) }

    /// The consultation of chat-about-goal.
    var conversationID: String? {
        Self.id(
            body?["conversationId"] ?? body?["conversation_id"] ?? body?["data"]?["conversation_id"]
                ?? body?["data"]?["conversationId"])
    }

    /// The object of an answer about one thing, with an envelope or without.
    var object: JSONValue? { body?["data"]?.object != nil ? body?["data"] : body }

    /// The messages of a history; nil where there is no list.
    var messages: [JSONValue]? { (body?["data"]?["messages"] ?? body?["messages"] ?? body?["data"])?.array }

    /// The goals of a list; nil where there is none.
    var goals: [JSONValue]? { (body?["goals"] ?? body?["data"]?["goals"] ?? body?["data"])?.array }

    /// The meal logs of a list; nil where there is none.
    var mealLogs: [JSONValue]? { (body?["data"]?["meal_logs"] ?? body?["meal_logs"] ?? body?["data"])?.array }

    /// An id in the backend's form; another may not go into a path.
    static func id(_ value: JSONValue?) -> String? { value?.string.flatMap(pathID) }

    /// A text as the id that goes into a path: lower case, a UUID; nil where it is none.
    static func pathID(_ text: String) -> String? {
        guard text.utf8.count == 36 else { return nil }
        return ResourceID(text.lowercased())?.description
    }
}
