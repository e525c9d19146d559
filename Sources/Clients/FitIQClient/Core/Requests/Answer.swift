import FitIQAPI
import HTTPTypes
import JSON

/// The purpose of a request; the request book contains each errand at most once.
enum Errand: Sendable, Hashable {
    case createConsultation(Persona)
    case chatAboutGoal(String)
    case history(consultation: String)
    case archive(consultation: String)
    case createGoal(GoalDraft)
    /// Find out whether a request that got no usable response created the goal.
    case findGoal(GoalDraft)
    case listGoals
    case linkGoal(goal: String, consultation: String)
    case listQuickActions
    case createMeal(Int)
    /// Find out whether a request that got no usable response logged the meal.
    case findMeal(Int)
    case loadMeal(Int)
    /// Sign in, or register and sign in.
    case signIn
    case refreshTokens

    /// Whether the request may be sent again even though the first request may have succeeded.
    ///
    /// A second consultation gets 409, and a second chat-about-goal returns the existing one. A second request would
    /// create a second goal or meal.
    var isRepeatable: Bool {
        switch self {
        case .createGoal, .createMeal: false
        default: true
        }
    }

    /// Whether the errand uses an access token, in which case a 401 is about the token; all other errands obtain a
    /// token.
    var needsToken: Bool { self != .signIn && self != .refreshTokens }
    /// Whether the book repeats the errand on schedule; loading a meal has its own schedule.
    var isRetried: Bool { if case .loadMeal = self { false } else { true } }
    /// Whether the errand is sent first after a pause that the backend requested, to avoid a second 429 for a creation.
    var isUrgent: Bool { if case .createConsultation = self { true } else { false } }
}

struct GoalDraft: Sendable, Hashable {
    /// A number that distinguishes two drafts with the same text.
    let number: Int
    let title: String
    let description: String
    let targetDate: String
    let begunAt: Timestamp
    let consultation: String?
}

/// Request bodies in the union mode's forms, which every guide's backend accepts.
enum Body {
    static func object(_ members: [(key: String, value: String)]) -> [UInt8] {
        JSONValue.object(JSONObject(members.map { (key: $0.key, value: JSONValue.string($0.value)) })).encoded()
    }
}

/// A response, as the client interprets it.
struct Answer: Sendable {
    let status: Int
    /// The body as JSON, or nil if it is not valid JSON.
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

    /// Whether the response is a rate limiter's 429, which requests a pause and has a different code from the other
    /// 429.
    var isThrottled: Bool {
        guard status == 429, code != "TOO_MANY_ACTIVE_CONSULTATIONS" else { return false }
        return code == "RATE_LIMITED" || retryAfter != nil
    }

    /// Whether the request may have succeeded and repeating it may help.
    var isFailure: Bool { status >= 500 || status == 408 || (isSuccess && body == nil) }

    /// The backend's message, or a description of the status.
    var message: String {
        guard let text = body?["error"]?["message"]?.string, !text.isEmpty else {
            return isSuccess ? "The backend's answer could not be read." : ClientMessages.status(status)
        }
        return String(text.prefix(500))
    }

    /// The ID of a created consultation: in `data.consultation`, in `data`, at the top, or as `consultation_id`.
    var consultationID: String? {
        Self.id(
            data?["consultation"]?["id"] ?? data?["id"] ?? data?["consultation_id"] ?? body?["id"]
                ?? body?["consultation_id"])
    }

    private var data: JSONValue? { body?["data"] }
    var existingConsultationID: String? { Self.id(body?["error"]?["details"]?["existing_consultation_id"]) }

    var conversationID: String? {
        Self.id(
            body?["conversationId"] ?? body?["conversation_id"] ?? data?["conversation_id"] ?? data?["conversationId"])
    }

    /// The object in a response about one entity, with or without an envelope.
    var object: JSONValue? { data?.object != nil ? data : body }
    var messages: [JSONValue]? { (data?["messages"] ?? body?["messages"] ?? data)?.array }
    var goals: [JSONValue]? { (body?["goals"] ?? data?["goals"] ?? data)?.array }
    var mealLogs: [JSONValue]? { (data?["meal_logs"] ?? body?["meal_logs"] ?? data)?.array }
    var quickActions: [String]? { data?["quick_actions"]?.array?.compactMap { $0["prompt"]?.string } }
    /// The tokens in the response to a sign-in or refresh.
    var tokens: (access: String, refresh: String)? {
        guard isSuccess, let access = data?["access_token"]?.string, let refresh = data?["refresh_token"]?.string
        else { return nil }
        return (access, refresh)
    }
    /// An ID in the backend's form; paths contain only IDs in this form.
    static func id(_ value: JSONValue?) -> String? { value?.string.flatMap(pathID) }

    /// Parses a string as an ID for a path: a lower-case UUID, or nil if the string is not a UUID.
    static func pathID(_ text: String) -> String? {
        guard text.utf8.count == 36 else { return nil }
        return ResourceID(text.lowercased())?.description
    }
}

/// A frame from the server, in either protocol; unknown types are not an error.
enum ChatFrame: Sendable, Equatable {
    case connected
    /// `message_received`, or the echo of a `user_message` with its ID and text.
    case received(id: ExactString?, content: String?)
    case answerBegins(id: ExactString)
    /// A piece of an answer.
    ///
    /// `stream_chunk` has no ID.
    case piece(id: ExactString?, content: String)
    case answerEnds(id: ExactString?)
    case templateCreated(Template)
    case error(message: String, code: String?)
    case meal(MealNews)
    case pong, unknown
    /// The text is not a JSON object with a type, or a member that its type requires is missing.
    case broken

    /// Parses a text message: one frame, or several frames separated by newlines, which some servers send.
    static func frames(in text: [UInt8]) -> [ChatFrame] {
        if let value = try? JSON.parse(text) { return frames(of: value) }
        let lines = text.split(separator: 0x0A)
        guard !lines.isEmpty else { return [.broken] }
        return lines.flatMap { line in (try? JSON.parse(line)).map(frames) ?? [.broken] }
    }

    /// The frame, followed by frames from its metadata.
    private static func frames(of value: JSONValue) -> [ChatFrame] {
        guard let type = value["type"]?.string else { return [.broken] }
        let frame = frame(of: type, value)
        guard type != "template_created", let template = Template(value["metadata"]) else { return [frame] }
        return [.templateCreated(template), frame]
    }

    private static func frame(of type: String, _ value: JSONValue) -> ChatFrame {
        let content = value["content"]?.string
        let id = value["message_id"]?.exactString
        switch type {
        case "connected": return .connected
        case "message_received": return .received(id: id, content: nil)
        case "user_message": return .received(id: id, content: content)
        case "stream_chunk": return content.map { .piece(id: nil, content: $0) } ?? .broken
        case "stream_complete": return .answerEnds(id: nil)
        case "assistant_message_start": return id.map { .answerBegins(id: $0) } ?? .broken
        case "assistant_message_chunk":
            guard let id, let content else { return .broken }
            return .piece(id: id, content: content)
        case "assistant_message_end": return id.map { .answerEnds(id: $0) } ?? .broken
        case "template_created": return Template(value["metadata"]).map { .templateCreated($0) } ?? .broken
        case "error":
            return .error(message: value["error"]?.string ?? "The coach could not answer.", code: value["code"]?.string)
        case "pong": return .pong
        case "meal_log.completed", "meal_log.failed":
            return MealNews(value["data"], status: type == "meal_log.failed" ? .failed : .completed)
                .map { .meal($0) } ?? .broken
        default: return .unknown
        }
    }
}

/// A template that the coach created while answering, from the metadata.
struct Template: Sendable, Equatable {
    let type: String
    let id: String
    let name: String

    init?(_ metadata: JSONValue?) {
        guard let template = metadata?["template_created"], let type = template["type"]?.string else { return nil }
        self.type = type
        id = template["id"]?.string ?? ""
        name = template["name"]?.string ?? ""
    }
}

enum ChatMessage {
    static func frame(_ text: String, style: ClientConfiguration.ChatStyle) -> [UInt8] {
        let value: JSONValue = ["type": .string(style.rawValue), "content": .string(text)]
        return value.encoded()
    }
}
