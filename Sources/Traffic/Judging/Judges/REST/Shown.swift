import FitIQAPI
import HTTPTypes
import JSON

struct ShownGoal: Equatable, Sendable {
    let id: ExactString
    let conversation: ExactString?

    init?(_ value: JSONValue) {
        guard let id = value["id"]?.exactString else { return nil }
        self.id = id
        conversation = value["conversationId"]?.exactString ?? value["conversation_id"]?.exactString
    }
}

struct ShownConsultation: Equatable, Sendable {
    let id: ExactString
    let goal: ExactString?
    /// Nil in forms without a status.
    let status: String?

    init?(_ value: JSONValue) {
        guard let id = value["id"]?.exactString ?? value["consultation_id"]?.exactString else { return nil }
        self.id = id
        goal = value["goal_id"]?.exactString ?? value["goalId"]?.exactString
        status = value["status"]?.string
    }
}

/// A meal log as a response or an event shows it.
struct ShownMealLog: Equatable, Sendable {
    let id: ExactString
    let status: String?
    let updatedAt: DateTime?

    var isFinal: Bool { ["completed", "failed", "manual"].contains(status) }

    init?(_ value: JSONValue, status: String? = nil) {
        guard let id = value["id"]?.exactString ?? value["meal_log_id"]?.exactString else { return nil }
        self.id = id
        self.status = status ?? value["status"]?.string
        updatedAt = value["updated_at"]?.string.flatMap { DateTime($0) }
    }
}

extension RequestFact {
    /// The object that a response is about: the envelope's, or the whole response.
    private var answeredObject: JSONValue? { answer?["data"]?.object == nil ? answer : answer?["data"] }

    var shownGoals: [ShownGoal] {
        guard isSuccess, let answer else { return [] }
        switch endpoint {
        case .createGoal, .showGoal, .updateGoal, .replaceGoal:
            return answeredObject.flatMap(ShownGoal.init).map { [$0] } ?? []
        case .listGoals:
            let list = answer["goals"]?.array ?? answer["data"]?["goals"]?.array ?? []
            return list.compactMap { ShownGoal($0) }
        default: return []
        }
    }

    var shownConsultations: [ShownConsultation] {
        guard isSuccess, let answer else { return [] }
        switch endpoint {
        case .createConsultation, .showConsultation, .archiveConsultation, .updateConsultation, .completeConsultation:
            let object = answer["data"]?["consultation"] ?? answeredObject
            return object.flatMap(ShownConsultation.init).map { [$0] } ?? []
        case .listConsultations:
            return (answer["data"]?["consultations"]?.array ?? []).compactMap { ShownConsultation($0) }
        default: return []
        }
    }

    /// The response of chat-about-goal: the conversation and its goal.
    var shownLink: (conversation: ExactString, goal: ExactString)? {
        guard isSuccess, endpoint == .chatAboutGoal, let answer,
            let conversation = answer["conversationId"]?.exactString ?? answer["data"]?["conversation_id"]?.exactString,
            let goal = answer["goalId"]?.exactString ?? answer["data"]?["goal_id"]?.exactString
        else { return nil }
        return (conversation, goal)
    }

    var shownMealLogs: [ShownMealLog] {
        guard isSuccess, let answer else { return [] }
        switch endpoint {
        case .createMealLog, .showMealLog, .updateMealLog, .confirmMealPhoto:
            return answeredObject.flatMap { ShownMealLog($0) }.map { [$0] } ?? []
        case .listMealLogs, .createMealLogs:
            // A single meal, which was entered food by food, is the object itself.
            let logs = answer["data"]?["meal_logs"]?.array ?? answeredObject.map { [$0] } ?? []
            return logs.compactMap { ShownMealLog($0) }
        default: return []
        }
    }

    /// The meal logs that begin to be processed with this request.
    var acceptedMealLogs: [ShownMealLog] {
        switch restEndpoint {
        case .createMealLog, .createMealLogs, .updateMealLog: shownMealLogs.filter { !$0.isFinal }
        default: []
        }
    }
}

extension Endpoint {
    /// Whether the path names a consultation.
    var namesConsultation: Bool { Self.ofConsultations.contains(self) }
    private static let ofConsultations = Set(
        allCases.filter { $0.template.hasPrefix(Endpoint.showConsultation.template) })
}

extension FrameFact {
    /// The meal log whose processing ended, as reported to the client.
    var settledMealLog: ShownMealLog? {
        guard isHeard, let data = json?["data"] else { return nil }
        switch type {
        case "meal_log.completed": return ShownMealLog(data, status: "completed")
        case "meal_log.failed": return ShownMealLog(data, status: "failed")
        default: return nil
        }
    }

    /// What the coach created during its reply, as reported to the client; `type` is the backend's term.
    var createdTemplate: JSONValue? {
        guard isHeard else { return nil }
        switch type {
        case "template_created", "assistant_message_end", "stream_complete":
            return json?["metadata"]?["template_created"]
        default: return nil
        }
    }
}

/// An item with an ID, and the client it belongs to.
struct Owned: Hashable, Sendable {
    let client: ExactString
    let id: ExactString
}

/// The method and target of a request, by which equal requests of one client or one token are found.
struct Target: Hashable, Sendable {
    private let sender: ExactString
    private let method: HTTPRequest.Method
    private let target: ExactString

    init(_ request: RequestFact, of sender: ExactString) {
        self.sender = sender
        method = request.method
        target = ExactString(request.exchange.head.target.description)
    }
}
