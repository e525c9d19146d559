import FitIQAPI

/// The socket of all meals, beside the chat's: opened when the user asks for it, and again, later each time, when it
/// is lost.
extension ClientCore {
    /// Whether events of meals can come.
    var hasOpenSocket: Bool { link.hasOpenSocket || mealLink.hasOpenSocket }

    mutating func listenToMeals() {
        guard serves(.mealSocket, "socket for meals"), mealLink.wanted == nil else { return }
        mealLink.want(Endpoint.mealSocket.template)
        mealLink.isReady = true
    }

    mutating func receiveOfMeals(_ frame: ChatFrame, at now: Timestamp) {
        switch frame {
        case .connected: if mealLink.connected() != nil { lookAtMealsOnce(at: now) }
        case .meal(let news): take(news)
        case .error(let message, _): tell(.meal, message)
        default: break
        }
    }
}
