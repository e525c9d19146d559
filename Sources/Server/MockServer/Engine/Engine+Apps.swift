import FitIQAPI
import FitIQBackend

/// The operations that only the apps use.
extension Engine {
    /// The answer of an operation of the apps; the `id` is the first one in its path, empty if there is none.
    func appAnswer(
        _ endpoint: Endpoint, on id: String, by user: UserID, _ exchange: Exchange, _ backend: inout Backend,
        _ turn: inout Turn
    ) throws(APIError) -> Answer {
        if let documents = endpoint.documents {
            return try documentAnswer(documents, exchange, by: user, &backend, &turn)
        }
        let body = exchange.body
        switch endpoint {
        case .updateConsultation, .completeConsultation, .sendMessage, .suggestConsultationGoals:
            return try chatAnswer(endpoint, on: id, by: user, exchange, &backend, &turn)
        case .replaceGoal:
            _ = try backend.goal(id, for: user)
            try checkMediaType(exchange.head.fields, body)
            return .ok(try backend.replaceGoal(id, AppGoalRequest(body: body), by: user, &turn))
        case .listGoalTips, .listGoalSuggestions, .analyzeGoal:
            return .ok(try backend.goalAdvice(endpoint, on: id, for: user, at: turn.now))
        case .listSuggestedGoals, .suggestGoals: return .ok(backend.suggestedGoals(for: user))
        case .deleteGoal: try backend.deleteGoal(id, by: user, &turn)
        case .deleteConsultation: try backend.deleteConsultation(id, by: user, &turn)
        case .deleteMealLog: try backend.deleteMealLog(id, by: user, &turn)
        case .deleteUser: backend.deleteUser(user, &turn)
        case .createMealLogs, .updateMealLog, .recognizeMealPhoto, .showMealPhoto, .confirmMealPhoto, .deleteMealPhoto:
            return try mealAnswer(endpoint, on: id, by: user, exchange, &backend, &turn)
        default: return try accountAnswer(endpoint, by: user, exchange, &backend, &turn)
        }
        return .noContent
    }

    private func chatAnswer(
        _ endpoint: Endpoint, on id: String, by user: UserID, _ exchange: Exchange, _ backend: inout Backend,
        _ turn: inout Turn
    ) throws(APIError) -> Answer {
        let body = exchange.body
        _ = try backend.consultation(id, for: user)
        try checkMediaType(exchange.head.fields, body)
        switch endpoint {
        case .updateConsultation:
            let request = try UpdateConsultationRequest(body: body)
            return .ok(try backend.updateConsultation(id, request, by: user, &turn))
        case .completeConsultation: return .ok(try backend.complete(id, by: user, &turn))
        case .sendMessage:
            let request = try SendMessageRequest(body: body)
            return .created(try backend.sendMessage(request, in: id, by: user, &turn))
        case .suggestConsultationGoals:
            let request = try SuggestGoalsRequest(body: body)
            return .ok(try backend.suggestGoals(in: id, limit: request.limit, for: user))
        default: preconditionFailure("\(endpoint.name) is not about a consultation.")
        }
    }
}
