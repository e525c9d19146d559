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

    mutating func receiveFromMealSocket(_ input: ClientInput, _ socket: ChatLink.Socket, at now: Timestamp) {
        switch input {
        case .socketOpened where socket.phase == .opening: mealLink.opened(at: now)
        case .socketRefused(let response): refusedMeals(socket, Answer(response), at: now)
        case .socketFailed: lostMeals(socket, isOwn: false, at: now)
        case .text(_, let text) where socket.phase != .opening:
            mealLink.signOfLife()
            for frame in ChatFrame.frames(in: text) {
                switch frame {
                case .connected: if mealLink.connected() != nil { lookAtMealsOnce(at: now) }
                case .meal(let news): take(news)
                case .error(let message, _): tell(.meal, message)
                default: break
                }
            }
        case .binary, .pong: mealLink.signOfLife()
        case .socketClosed(let end):
            // Another device of the user has it now; to reconnect would close that one's.
            if end.code == .policyViolation, !end.isOwn { mealLink.want(nil) }
            lostMeals(socket, isOwn: end.isOwn, at: now)
        default: return
        }
    }

    private mutating func refusedMeals(_ socket: ChatLink.Socket, _ answer: Answer, at now: Timestamp) {
        mealLink.ended(isOwn: false, at: now)
        switch answer.status {
        case 401:
            let deadline = now.advanced(by: configuration.patience.token)
            if requests.tokens.refuse(socket.token, until: deadline) { tell(.credentialsRefused) }
            // The first new token may be tried at once; a series of tries keeps its pace.
            if mealLink.tryCount > 0 { retryMeals(at: now) }
        case 400..<500 where answer.status != 408 && answer.status != 429:
            tellRefusal(answer)
            mealLink.want(nil)
        default: retryMeals(asked: answer.retryAfter, at: now)
        }
    }

    /// Records that the socket is gone, and schedules another if one is wanted.
    mutating func lostMeals(_ socket: ChatLink.Socket, isOwn: Bool, at now: Timestamp) {
        mealLink.ended(isOwn: isOwn, at: now)
        // The client closed it as unwanted, and it has been wanted again since.
        if socket.phase == .closing, !socket.isReplaced { return }
        retryMeals(at: now)
    }

    private mutating func retryMeals(asked: Duration? = nil, at now: Timestamp) {
        guard mealLink.wanted != nil, !mealLink.retry(asked: asked, at: now) else { return }
        tell(.unavailable, ClientMessages.noConnection)
        mealLink.want(nil)
    }
}
