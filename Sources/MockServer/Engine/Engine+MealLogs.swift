import FitIQAPI
import FitIQBackend
import HTTP1

/// The endpoints of meal logs.
extension Engine {
    func mealLogAnswer(_ route: Route, _ head: RequestHead, body: [UInt8], user: UserID) throws(APIError) -> Answer {
        throw Route.refusal(ofUnknownPath: head.target.path, in: mode)
    }
}
