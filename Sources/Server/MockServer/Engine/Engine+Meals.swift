import FitIQAPI
import FitIQBackend

/// Meals as only the apps log them: several at once, changed later, or as photos.
extension Engine {
    func mealAnswer(
        _ endpoint: Endpoint, on id: String, by user: UserID, _ exchange: Exchange, _ backend: inout Backend,
        _ turn: inout Turn
    ) throws(APIError) -> Answer {
        let (fields, body) = (exchange.head.fields, exchange.body)
        switch endpoint {
        case .createMealLogs:
            try checkMediaType(fields, body)
            return .created(try backend.createMealLogs(CreateMealLogsRequest(body: body), by: user, &turn))
        case .updateMealLog:
            _ = try backend.mealLog(id, for: user)
            try checkMediaType(fields, body)
            return .ok(try backend.updateMealLog(id, UpdateMealLogRequest(body: body), by: user, &turn))
        case .recognizeMealPhoto:
            let request = try MealPhotoRequest(body: body, contentType: fields[.contentType])
            return .created(try backend.recognizeMealPhoto(request, by: user, &turn))
        case .showMealPhoto: return .ok(try backend.mealPhoto(id, for: user))
        case .confirmMealPhoto:
            _ = try backend.mealPhoto(id, for: user)
            try checkMediaType(fields, body)
            let request = try ConfirmMealPhotoRequest(body: body)
            return .ok(try backend.confirmMealPhoto(id, request, by: user, &turn))
        case .deleteMealPhoto: try backend.deleteMealPhoto(id, by: user)
        default: preconditionFailure("\(endpoint.name) is not about meals.")
        }
        return .noContent
    }
}
