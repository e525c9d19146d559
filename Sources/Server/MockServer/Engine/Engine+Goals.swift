import FitIQAPI
import FitIQBackend
import HTTP1

/// The endpoints of goals.
extension Engine {
    func goalAnswer(
        _ route: Route, _ head: RequestHead, body: [UInt8], user: UserID, in world: World
    ) throws(APIError) -> Answer {
        switch route {
        case .goal(let id) where head.method == .patch:
            // The id comes before the body, as everywhere.
            _ = try world.backend.goal(id, for: user)
            try checkMediaType(head.fields, body)
            let request = try UpdateGoalRequest(body: body)
            return .ok(try world.backend.updateGoal(id, request, by: user, &world.turn))
        case .goal(let id):
            return .ok(try world.backend.goal(id, for: user))
        case .goals where head.method == .post:
            try checkMediaType(head.fields, body)
            let request = try CreateGoalRequest(body: body)
            return .created(try world.backend.createGoal(request, by: user, &world.turn))
        case .goals:
            return .ok(world.backend.goals(for: user))
        case .chatAboutGoal:
            try checkMediaType(head.fields, body)
            let request = try ChatAboutGoalRequest(body: body)
            return .created(try world.backend.chatAboutGoal(request, by: user, &world.turn))
        case .consultations, .quickActions, .consultation, .messages, .archive, .webSocket, .avatar, .mealLogs,
            .naturalMealLogs, .mealLog:
            preconditionFailure("No endpoint of goals.")
        }
    }
}
