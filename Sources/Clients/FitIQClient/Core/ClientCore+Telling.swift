/// What the user is told.
extension ClientCore {
    /// The most news that wait to be taken; the oldest go.
    static let eventLimit = 256

    mutating func tell(_ event: ClientEvent) {
        events.append(event)
        if events.count > Self.eventLimit { events.removeFirst() }
    }

    mutating func tell(_ kind: ClientState.Problem.Kind, _ message: String) {
        let problem = ClientState.Problem(kind: kind, message: message)
        state.problems.append(problem)
        if state.problems.count > configuration.limits.problems { state.problems.removeFirst() }
        isChanged = true
        tell(.problem(problem))
    }

    /// Tells of an answer that is a refusal.
    mutating func tellRefusal(_ answer: Answer) {
        let kind: ClientState.Problem.Kind =
            switch answer.status {
            case 401: .unauthorized
            case 404: .notFound
            case 500...: .unavailable
            case 429: answer.isThrottled ? .unavailable : .tooMany
            default: answer.isSuccess ? .unavailable : .refused
            }
        tell(kind, answer.message)
    }

    /// Tells of an errand that came to nothing; answers belong to ``tellRefusal(_:)``.
    mutating func tellFailure(_ outcome: RequestBook.Outcome) {
        switch outcome {
        case .answered(let answer): tellRefusal(answer)
        case .unavailable(let message), .uncertain(let message): tell(.unavailable, message)
        case .unauthorized: break  // Told once for all that waited for the token.
        }
    }

    /// Shows the talk as it is now.
    mutating func showTalk() {
        state.transcript = conversation?.transcript ?? []
        isChanged = true
    }

    mutating func show(_ connection: ClientState.Connection) {
        guard state.connection != connection else { return }
        state.connection = connection
        isChanged = true
    }

    /// Says whether the client is busy, and that something has changed, once.
    mutating func publish() {
        let isBusy = isBusyNow
        if state.isBusy != isBusy {
            state.isBusy = isBusy
            isChanged = true
        }
        guard isChanged else { return }
        isChanged = false
        if events.last != .changed { tell(.changed) }
    }

    private var isBusyNow: Bool {
        if !requests.entries.isEmpty || intent != nil || archiving != nil { return true }
        if requests.tokens.deadline != nil { return true }
        if link.wanted != nil, !link.isConnected { return true }
        if let phase = link.socket?.phase, phase != .open { return true }
        if let conversation, link.wanted != nil, conversation.turn != nil || !conversation.waiting.isEmpty {
            return true
        }
        return meals.contains { $0.isBusy }
    }
}
