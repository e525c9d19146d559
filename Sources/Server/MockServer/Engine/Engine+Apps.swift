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
        case .replaceGoal:
            _ = try world.backend.goal(id, for: user)
            try checkMediaType(exchange.head.fields, body)
            return .ok(try world.backend.replaceGoal(id, AppGoalRequest(body: body), by: user, &world.turn))
        case .listGoalTips, .listGoalSuggestions, .analyzeGoal:
            return .ok(try world.backend.goalAdvice(endpoint, on: id, for: user, at: world.turn.now))
        case .listSuggestedGoals, .suggestGoals: return .ok(world.backend.suggestedGoals(for: user))
        default: return try accountAnswer(endpoint, user, exchange)
        }
    }
}
