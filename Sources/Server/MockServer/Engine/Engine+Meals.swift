import FitIQAPI
import FitIQBackend

/// Meals as only the apps log them: several at once, changed later, or as photos.
extension Engine {
    func mealAnswer(
        _ endpoint: Endpoint, on id: String, by user: UserID, _ exchange: Exchange
    ) throws(APIError) -> Answer {
        let (fields, body, world) = (exchange.head.fields, exchange.body, exchange.world)
        switch endpoint {
        case .createMealLogs:
            try checkMediaType(fields, body)
            return .created(try world.backend.createMealLogs(CreateMealLogsRequest(body: body), by: user, &world.turn))
        case .updateMealLog:
            _ = try world.backend.mealLog(id, for: user)
            try checkMediaType(fields, body)
            return .ok(try world.backend.updateMealLog(id, UpdateMealLogRequest(body: body), by: user, &world.turn))
        case .recognizeMealPhoto:
            let request = try MealPhotoRequest(body: body, contentType: fields[.contentType])
            return .created(try world.backend.recognizeMealPhoto(request, by: user, &world.turn))
        case .showMealPhoto: return .ok(try world.backend.mealPhoto(id, for: user))
        case .confirmMealPhoto:
            _ = try world.backend.mealPhoto(id, for: user)
            try checkMediaType(fields, body)
            let request = try ConfirmMealPhotoRequest(body: body)
            return .ok(try world.backend.confirmMealPhoto(id, request, by: user, &world.turn))
        case .deleteMealPhoto: try world.backend.deleteMealPhoto(id, by: user)
        default: preconditionFailure("\(endpoint.name) is not about meals.")
        }
        return .noContent
    }
}
