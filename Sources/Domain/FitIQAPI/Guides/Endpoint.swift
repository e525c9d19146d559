import HTTPTypes

/// One operation of the API: a method on a path.
public enum Endpoint: CaseIterable, Sendable, Hashable {
    case createConsultation, listConsultations, listQuickActions, chatAboutGoal
    case showConsultation, listMessages, archiveConsultation, webSocket
    case createGoal, listGoals, showGoal, updateGoal
    case createMealLog, listMealLogs, showMealLog

    public var method: HTTPRequest.Method {
        switch self {
        case .createConsultation, .chatAboutGoal, .archiveConsultation, .createGoal, .createMealLog: .post
        case .updateGoal: .patch
        case .listConsultations, .listQuickActions, .showConsultation, .listMessages, .webSocket, .listGoals, .showGoal,
            .listMealLogs, .showMealLog:
            .get
        }
    }

    /// Whether HEAD is answered too: a WebSocket handshake is a GET without a HEAD counterpart.
    var answersHead: Bool { method == .get && self != .webSocket }

    /// The path with its parameters in braces.
    public var template: String {
        switch self {
        case .createConsultation, .listConsultations: "/api/v1/consultations"
        case .listQuickActions: "/api/v1/consultations/quick-actions"
        case .chatAboutGoal: "/api/v1/consultations/chat-about-goal"
        case .showConsultation: "/api/v1/consultations/{id}"
        case .listMessages: "/api/v1/consultations/{id}/messages"
        case .archiveConsultation: "/api/v1/consultations/{id}/archive"
        case .webSocket: "/api/v1/consultations/{id}/ws"
        case .createGoal, .listGoals: "/api/v1/goals"
        case .showGoal, .updateGoal: "/api/v1/goals/{goalId}"
        case .createMealLog: "/api/v1/meal-logs/natural"
        case .listMealLogs: "/api/v1/meal-logs"
        case .showMealLog: "/api/v1/meal-logs/{id}"
        }
    }

    /// The guides that document the endpoint; if none does, the guides that presuppose it.
    public var guides: [GuideMode] {
        let documenting = GuideMode.guides.filter { $0.provision(of: self) == .documented }
        return documenting.isEmpty ? GuideMode.guides.filter { $0.serves(self) } : documenting
    }
}

extension Endpoint {
    /// The name of the operation: the `operationId` in the OpenAPI description.
    public var name: String {
        switch self {
        case .createConsultation: "createConsultation"
        case .listConsultations: "listConsultations"
        case .listQuickActions: "listQuickActions"
        case .chatAboutGoal: "chatAboutGoal"
        case .showConsultation: "getConsultation"
        case .listMessages: "listMessages"
        case .archiveConsultation: "archiveConsultation"
        case .webSocket: "openSocket"
        case .createGoal: "createGoal"
        case .listGoals: "listGoals"
        case .showGoal: "getGoal"
        case .updateGoal: "changeGoal"
        case .createMealLog: "createMealLog"
        case .listMealLogs: "listMealLogs"
        case .showMealLog: "getMealLog"
        }
    }

    public init?(name: String) {
        guard let endpoint = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = endpoint
    }
}
