import FitIQAPI
import FitIQBackend

/// The operations that only the apps use.
extension Engine {
    /// The answer of an operation of the apps; the `id` is the first one in its path, empty if there is none.
    func appAnswer(
        _ endpoint: Endpoint, on id: String, by user: UserID, _ exchange: Exchange
    ) throws(APIError) -> Answer {
        if let documents = endpoint.documents { return try documentAnswer(documents, exchange, by: user) }
        let (body, world) = (exchange.body, exchange.world)
        switch endpoint {
        case .updateConsultation, .completeConsultation, .sendMessage, .suggestConsultationGoals:
            return try chatAnswer(endpoint, on: id, by: user, exchange)
        case .replaceGoal:
            _ = try world.backend.goal(id, for: user)
            try checkMediaType(exchange.head.fields, body)
            return .ok(try world.backend.replaceGoal(id, AppGoalRequest(body: body), by: user, &world.turn))
        case .listGoalTips, .listGoalSuggestions, .analyzeGoal:
            return .ok(try world.backend.goalAdvice(endpoint, on: id, for: user, at: world.turn.now))
        case .listSuggestedGoals, .suggestGoals: return .ok(world.backend.suggestedGoals(for: user))
        case .deleteGoal: try world.backend.deleteGoal(id, by: user, &world.turn)
        case .deleteConsultation: try world.backend.deleteConsultation(id, by: user, &world.turn)
        case .deleteMealLog: try world.backend.deleteMealLog(id, by: user, &world.turn)
        case .deleteUser: world.backend.deleteUser(user, &world.turn)
        case .createMealLogs, .updateMealLog, .recognizeMealPhoto, .showMealPhoto, .confirmMealPhoto, .deleteMealPhoto:
            return try mealAnswer(endpoint, on: id, by: user, exchange)
        default: return try accountAnswer(endpoint, user, exchange)
        }
        return .noContent
    }

    private func chatAnswer(
        _ endpoint: Endpoint, on id: String, by user: UserID, _ exchange: Exchange
    ) throws(APIError) -> Answer {
        let (body, world) = (exchange.body, exchange.world)
        _ = try world.backend.consultation(id, for: user)
        try checkMediaType(exchange.head.fields, body)
        switch endpoint {
        case .updateConsultation:
            let request = try UpdateConsultationRequest(body: body)
            return .ok(try world.backend.updateConsultation(id, request, by: user, &world.turn))
        case .completeConsultation: return .ok(try world.backend.complete(id, by: user, &world.turn))
        case .sendMessage:
            let request = try SendMessageRequest(body: body)
            return .created(try world.backend.sendMessage(request, in: id, by: user, &world.turn))
        case .suggestConsultationGoals:
            let request = try SuggestGoalsRequest(body: body)
            return .ok(try world.backend.suggestGoals(in: id, limit: request.limit, for: user))
        default: preconditionFailure("\(endpoint.name) is not about a consultation.")
        }
    }
}
