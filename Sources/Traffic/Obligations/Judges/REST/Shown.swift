import FitIQAPI
import JSON

/// A goal as an answer shows it.
struct ShownGoal: Equatable, Sendable {
    let id: ExactString
    /// The linked conversation; nil where there is none.
    let conversation: ExactString?

    init?(_ value: JSONValue) {
        guard let id = value["id"]?.exactString else { return nil }
        self.id = id
        conversation = value["conversationId"]?.exactString ?? value["conversation_id"]?.exactString
    }
}

/// A consultation as an answer shows it.
struct ShownConsultation: Equatable, Sendable {
    let id: ExactString
    /// The goal that it is linked with; nil where there is none.
    let goal: ExactString?
    /// Nil in forms that have no status.
    let status: String?

    init?(_ value: JSONValue) {
        guard let id = value["id"]?.exactString ?? value["consultation_id"]?.exactString else { return nil }
        self.id = id
        goal = value["goal_id"]?.exactString ?? value["goalId"]?.exactString
        status = value["status"]?.string
    }
}

/// A meal log as an answer or an event shows it.
struct ShownMealLog: Equatable, Sendable {
    let id: ExactString
    let status: String?
    /// When it changed last.
    let updatedAt: DateTime?

    /// Whether its processing has ended.
    var isFinal: Bool { status == "completed" || status == "failed" }

    init?(_ value: JSONValue, status: String? = nil) {
        guard let id = value["id"]?.exactString ?? value["meal_log_id"]?.exactString else { return nil }
        self.id = id
        self.status = status ?? value["status"]?.string
        updatedAt = value["updated_at"]?.string.flatMap { DateTime($0) }
    }
}

extension RequestFact {
    /// The object that an answer is about, in whichever form: the envelope's, or the whole.
    private var answeredObject: JSONValue? { answer?["data"]?.object == nil ? answer : answer?["data"] }

    /// The goals that the client was shown.
    var shownGoals: [ShownGoal] {
        guard isSuccess, let answer else { return [] }
        switch endpoint {
        case .createGoal, .showGoal, .updateGoal: return answeredObject.flatMap(ShownGoal.init).map { [$0] } ?? []
        case .listGoals:
            let list = answer["goals"]?.array ?? answer["data"]?["goals"]?.array ?? []
            return list.compactMap { ShownGoal($0) }
        default: return []
        }
    }

    /// The consultations that the client was shown.
    var shownConsultations: [ShownConsultation] {
        guard isSuccess, let answer else { return [] }
        switch endpoint {
        case .createConsultation, .showConsultation, .archiveConsultation:
            let object = answer["data"]?["consultation"] ?? answeredObject
            return object.flatMap(ShownConsultation.init).map { [$0] } ?? []
        case .listConsultations:
            return (answer["data"]?["consultations"]?.array ?? []).compactMap { ShownConsultation($0) }
        default: return []
        }
    }

    /// What chat-about-goal answered with: the conversation, and the goal that it is about.
    var shownLink: (conversation: ExactString, goal: ExactString)? {
        guard isSuccess, endpoint == .chatAboutGoal, let answer,
            let conversation = answer["conversationId"]?.exactString ?? answer["data"]?["conversation_id"]?.exactString,
            let goal = answer["goalId"]?.exactString ?? answer["data"]?["goal_id"]?.exactString
        else { return nil }
        return (conversation, goal)
    }

    /// The meal logs that the client was shown.
    var shownMealLogs: [ShownMealLog] {
        guard isSuccess, let answer else { return [] }
        switch endpoint {
        case .createMealLog, .showMealLog: return answeredObject.flatMap { ShownMealLog($0) }.map { [$0] } ?? []
        case .listMealLogs: return (answer["data"]?["meal_logs"]?.array ?? []).compactMap { ShownMealLog($0) }
        default: return []
        }
    }
}

extension FrameFact {
    /// The meal log whose processing ended, as the client was told.
    var settledMealLog: ShownMealLog? {
        guard !isFromClient, isDelivered, let data = json?["data"] else { return nil }
        switch type {
        case "meal_log.completed": return ShownMealLog(data, status: "completed")
        case "meal_log.failed": return ShownMealLog(data, status: "failed")
        default: return nil
        }
    }

    /// What the coach made while it answered, as the client was told; its `type` is a word of the backend's.
    var createdTemplate: JSONValue? {
        guard !isFromClient, isDelivered else { return nil }
        switch type {
        case "template_created", "assistant_message_end", "stream_complete":
            return json?["metadata"]?["template_created"]
        default: return nil
        }
    }
}

/// Something with an id, and the client that it matters to.
struct Owned: Hashable, Sendable {
    let client: ExactString
    let id: ExactString
}
