import FitIQAPI
import FitIQBackend
import HTTP1

/// The endpoints of meal logs; their events reach the sockets when the backend advances.
extension Engine {
    /// Answers a request for meal logs.
    ///
    /// - Throws: 404 for an unknown id; 415 and 400 for a bad body, 400 for a bad query; 507 where the world is full.
    func mealLogAnswer(
        _ route: Route, _ head: RequestHead, body: [UInt8], user: UserID, in world: World
    ) throws(APIError) -> Answer {
        switch route {
        case .naturalMealLogs:
            try checkMediaType(head.fields, body)
            let request = try CreateMealLogRequest(body: body)
            return .created(try world.backend.createMealLog(request, by: user, &world.turn))
        case .mealLogs:
            let query = try MealLogListQuery(query: head.target.queryItems())
            return .ok(world.backend.mealLogs(query, for: user))
        case .mealLog(let id):
            return .ok(try world.backend.mealLog(id, for: user))
        case .consultations, .quickActions, .consultation, .messages, .archive, .webSocket, .avatar, .chatAboutGoal,
            .goals, .goal:
            preconditionFailure("Not an endpoint of meal logs.")
        }
    }
}
