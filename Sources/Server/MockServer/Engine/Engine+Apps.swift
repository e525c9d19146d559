import FitIQAPI
import FitIQBackend

/// The operations that only the apps use.
extension Engine {
    /// The answer of an operation of the apps; the `id` is the first one in its path, empty if there is none.
    func appAnswer(
        _ endpoint: Endpoint, on id: String, by user: UserID, _ exchange: Exchange
    ) throws(APIError) -> Answer {
        if let documents = endpoint.documents { return try documentAnswer(documents, exchange, by: user) }
        let world = exchange.world
        switch endpoint {
        case .deleteGoal:
            try world.backend.deleteGoal(id, by: user, &world.turn)
            return .noContent
        case .deleteConsultation:
            try world.backend.deleteConsultation(id, by: user, &world.turn)
            return .noContent
        case .deleteMealLog:
            try world.backend.deleteMealLog(id, by: user, &world.turn)
            return .noContent
        case .deleteUser:
            world.backend.deleteUser(user, &world.turn)
            return .noContent
        default: return try accountAnswer(endpoint, user, exchange)
        }
    }
}
