import FitIQAPI
import FitIQBackend

/// The operations that only the apps use.
extension Engine {
    /// The answer of an operation of the apps; the `id` is the first one in its path, empty if there is none.
    func appAnswer(
        _ endpoint: Endpoint, on id: String, by user: UserID, _ exchange: Exchange
    ) throws(APIError) -> Answer {
        if let documents = endpoint.documents { return try documentAnswer(documents, exchange, by: user) }
        switch endpoint {
        case .createMealLogs, .updateMealLog, .recognizeMealPhoto, .showMealPhoto, .confirmMealPhoto, .deleteMealPhoto:
            return try mealAnswer(endpoint, on: id, by: user, exchange)
        default: return try accountAnswer(endpoint, user, exchange)
        }
    }
}
