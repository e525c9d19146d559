import FitIQAPI

/// What the network tells of requests.
extension RequestBook {
    typealias Result = (errand: Errand, outcome: Outcome)

    /// Takes a response.
    ///
    /// - Returns: what came of the errand, where that is decided; and whether the user has to bring another token.
    mutating func receive(_ response: ClientResponse, at now: Timestamp) -> (result: Result?, asksForToken: Bool) {
        guard let index = index(of: response.number), case .sent(_, let token, _) = entries[index].phase else {
            return (nil, false)
        }
        let answer = Answer(response)
        if answer.status == 401 {
            entries[index].phase = .waiting(until: now)
            return (nil, tokens.refuse(token, until: now.advanced(by: patience.token)))
        }
        if answer.isThrottled { return (throttle(index, answer, at: now), false) }
        guard answer.isFailure else {
            return ((entries.remove(at: index).errand, .answered(answer)), false)
        }
        return (fail(index, answer.message, asked: answer.retryAfter, at: now), false)
    }

    /// Notes that a request has no answer.
    mutating func fail(number: Int, at now: Timestamp) -> Result? {
        index(of: number).flatMap { fail($0, ClientMessages.noAnswer, asked: nil, at: now) }
    }

    /// Ends what has waited too long.
    ///
    /// - Returns: the requests to cancel, and what came of errands.
    mutating func expire(at now: Timestamp) -> (cancelled: [Int], results: [Result]) {
        var cancelled: [Int] = []
        var results: [Result] = []
        for entry in entries {
            guard case .sent(let number, _, let deadline) = entry.phase, deadline <= now, let index = index(of: number)
            else { continue }
            cancelled.append(number)
            if let result = fail(index, ClientMessages.noAnswer, asked: nil, at: now) { results.append(result) }
        }
        return (cancelled, results)
    }

    /// Gives up what waits for a token.
    mutating func giveUpTokens() -> [Result] {
        tokens.giveUp()
        let waiting = entries.filter { if case .waiting = $0.phase { true } else { false } }
        entries.removeAll { if case .waiting = $0.phase { true } else { false } }
        return waiting.map { ($0.errand, .unauthorized) }
    }

    private func index(of number: Int) -> Int? {
        entries.firstIndex { if case .sent(number, _, _) = $0.phase { true } else { false } }
    }

    private mutating func fail(_ index: Int, _ message: String, asked: Duration?, at now: Timestamp) -> Result? {
        entries[index].attempts += 1
        entries[index].failedAt = now
        let entry = entries[index]
        if !entry.errand.isRepeatable {
            entries[index].phase = .uncertain
            return (entry.errand, .uncertain(message))
        }
        let delay = schedule.delay(afterAttempts: entry.attempts, asked: asked, last: entry.lastWait)
        guard entry.errand.isRetried, let delay else {
            entries.remove(at: index)
            return (entry.errand, .unavailable(message))
        }
        entries[index].phase = .waiting(until: now.advanced(by: delay))
        return nil
    }

    private mutating func throttle(_ index: Int, _ answer: Answer, at now: Timestamp) -> Result? {
        entries[index].throttles += 1
        let pause = max(answer.retryAfter ?? .zero, schedule.firstDelay)
        let until = now.advanced(by: min(pause, schedule.longestRetryAfter))
        throttledUntil = max(throttledUntil ?? until, until)
        guard entries[index].throttles < Self.mostThrottles, pause <= schedule.longestRetryAfter else {
            return (entries.remove(at: index).errand, .unavailable(answer.message))
        }
        entries[index].phase = .waiting(until: until)
        return nil
    }
}
