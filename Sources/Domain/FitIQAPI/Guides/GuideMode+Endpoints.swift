extension GuideMode {
    /// What the mode makes of an endpoint (CONTRACT: two ways to answer, the table).
    public func provision(of endpoint: Endpoint) -> Provision {
        switch self {
        case .union: .documented
        case .consultationWebSocket: consultationWebSocketProvision(of: endpoint)
        case .enhancedConsultations: enhancedConsultationsProvision(of: endpoint)
        case .goalLinking: goalLinkingProvision(of: endpoint)
        case .webSocketArchitecture: webSocketArchitectureProvision(of: endpoint)
        case .mealLogWebSocket: mealLogWebSocketProvision(of: endpoint)
        }
    }

    private func consultationWebSocketProvision(of endpoint: Endpoint) -> Provision {
        switch endpoint {
        case .createConsultation, .showConsultation, .listMessages, .webSocket: .documented
        case .archiveConsultation, .createGoal, .listGoals, .showGoal, .updateGoal: .support
        case .listConsultations, .listQuickActions, .chatAboutGoal, .createMealLog, .listMealLogs, .showMealLog: .absent
        }
    }

    private func enhancedConsultationsProvision(of endpoint: Endpoint) -> Provision {
        switch endpoint {
        case .createConsultation, .listConsultations, .listQuickActions, .showConsultation, .listMessages,
            .archiveConsultation, .webSocket:
            .documented
        case .createGoal, .listGoals, .showGoal, .updateGoal: .support
        case .chatAboutGoal, .createMealLog, .listMealLogs, .showMealLog: .absent
        }
    }

    private func goalLinkingProvision(of endpoint: Endpoint) -> Provision {
        switch endpoint {
        case .createGoal, .listGoals, .showGoal, .updateGoal, .chatAboutGoal, .showConsultation: .documented
        case .listMessages, .archiveConsultation, .webSocket: .support
        case .createConsultation, .listConsultations, .listQuickActions, .createMealLog, .listMealLogs, .showMealLog:
            .absent
        }
    }

    private func webSocketArchitectureProvision(of endpoint: Endpoint) -> Provision {
        switch endpoint {
        case .createConsultation, .webSocket: .documented
        case .showConsultation, .listMessages, .createMealLog, .listMealLogs, .showMealLog: .support
        case .listConsultations, .listQuickActions, .archiveConsultation, .chatAboutGoal, .createGoal, .listGoals,
            .showGoal, .updateGoal:
            .absent
        }
    }

    private func mealLogWebSocketProvision(of endpoint: Endpoint) -> Provision {
        switch endpoint {
        case .createMealLog, .showMealLog, .webSocket: .documented
        case .createConsultation, .listMealLogs: .support
        case .listConsultations, .listQuickActions, .showConsultation, .listMessages, .archiveConsultation,
            .chatAboutGoal, .createGoal, .listGoals, .showGoal, .updateGoal:
            .absent
        }
    }
}
