extension Endpoint {
    /// The name of the operation, as the OpenAPI description's `operationId` has it.
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

    /// The operation of that name, or nil where there is none.
    public init?(name: String) {
        guard let endpoint = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = endpoint
    }
}
