import FitIQAPI
import HTTPTypes

/// Errands, and where their ends go.
extension ClientCore {
    /// Sends an errand as soon as it may go.
    mutating func submit(
        _ errand: Errand, _ method: HTTPRequest.Method, _ target: String, body: [UInt8]? = nil, at time: Timestamp
    ) {
        requests.submit(errand, method, target, body: body, at: time)
        askForToken(at: time)
    }

    /// Asks for a token where the one there is was refused.
    mutating func askForToken(at now: Timestamp) {
        if requests.tokens.ask(until: now.advanced(by: configuration.patience.token)) { tell(.credentialsRefused) }
    }

    /// Whether another errand of the user's can be taken on; tells where none can.
    mutating func hasRoom() -> Bool {
        let limit = configuration.limits.requests
        guard requests.entries.count >= limit else { return true }
        tell(.refused, ClientMessages.tooBusy(limit: limit))
        return false
    }

    /// Whether the backend's guide serves an endpoint; tells where it does not.
    mutating func serves(_ endpoint: Endpoint, _ what: String) -> Bool {
        guard !configuration.guide.serves(endpoint) else { return true }
        tell(.refused, ClientMessages.notServed(what, guide: configuration.guide.rawValue))
        return false
    }

    mutating func drop(_ errand: Errand) {
        if let number = requests.drop(errand) { actions.append(.cancel(number: number)) }
    }

    mutating func expireRequests(at now: Timestamp) {
        let (cancelled, results) = requests.expire(at: now)
        actions += cancelled.map { .cancel(number: $0) }
        for result in results { finish(result.errand, result.outcome, at: now) }
        if let deadline = requests.tokens.deadline, deadline <= now { giveUpTokens(at: now) }
    }

    /// Takes a token of the user's.
    mutating func use(token: String, at now: Timestamp) {
        if !requests.tokens.use(token) { giveUpTokens(at: now) }
    }

    /// Ends what waits for a token, and tells so once.
    mutating func giveUpTokens(at now: Timestamp) {
        let results = requests.giveUpTokens()
        tell(.unauthorized, ClientMessages.unauthorized)
        for result in results { finish(result.errand, result.outcome, at: now) }
        if link.wanted != nil, link.socket == nil { leave(.failed) }
    }

    mutating func finish(_ errand: Errand, _ outcome: RequestBook.Outcome, at now: Timestamp) {
        switch errand {
        case .createConsultation(let persona): finishCreate(persona, outcome, at: now)
        case .chatAboutGoal(let goal): finishChatAboutGoal(goal, outcome, at: now)
        case .history(let consultation): finishHistory(consultation, outcome, at: now)
        case .archive(let consultation): finishArchive(consultation, outcome, at: now)
        case .createGoal(let draft): finishCreateGoal(draft, outcome, at: now)
        case .findGoal(let draft): finishFindGoal(draft, outcome, at: now)
        case .listGoals: finishListGoals(outcome, at: now)
        case .linkGoal(let goal, let consultation): finishLink(goal, consultation, outcome)
        case .createMeal(let number): finishCreateMeal(number, outcome, at: now)
        case .findMeal(let number): finishFindMeal(number, outcome, at: now)
        case .loadMeal(let number): finishLoadMeal(number, outcome, at: now)
        }
    }
}
