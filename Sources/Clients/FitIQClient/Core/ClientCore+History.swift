import FitIQAPI

/// The history: read before the socket, after a cut, and to check what was heard.
extension ClientCore {
    var isHistoryServed: Bool { configuration.guide.serves(.listMessages) }

    var isReadingHistory: Bool {
        conversation.map { requests.contains(.history(consultation: $0.id)) } ?? false
    }

    mutating func readHistory(at now: Timestamp) {
        guard isHistoryServed, let id = conversation?.id, !gone.contains(id), !isReadingHistory else { return }
        conversation?.isStale = false
        conversation?.nextLook = nil
        submit(.history(consultation: id), .get, "/api/v1/consultations/\(id)/messages", at: now)
    }

    mutating func finishHistory(_ id: String, _ outcome: RequestBook.Outcome, at now: Timestamp) {
        guard conversation?.id == id, link.wanted == id else { return }
        guard case .answered(let answer) = outcome, answer.isSuccess, let messages = answer.messages else {
            return missHistory(id, outcome, at: now)
        }
        if conversation?.isStale == true { return readHistory(at: now) }
        guard let taken = conversation?.take(messages) else { return }
        for template in taken.templates { suggested(template.type, template.id, at: now) }
        link.isReady = true
        if link.isConnected { conversation?.wasCut = false }
        switch taken.finding {
        case .nothing, .answered: break
        case .unanswered: lookAgain(at: now)
        case .unheard: askAgain()
        }
        showTalk()
    }

    private mutating func missHistory(_ id: String, _ outcome: RequestBook.Outcome, at now: Timestamp) {
        tellFailure(outcome)
        if case .answered(let answer) = outcome, answer.status == 404 {
            gone.insert(id)
            areGoalsStale = true
            return leave(.failed)
        }
        // A chat is not opened without its history; an open one continues with what was heard.
        guard link.isReady else { return leave(.failed) }
        conversation?.goOnWithoutHistory()
        if conversation?.turn.map({ !$0.isHeard || $0.isLate }) == true { loseQuestion() }
    }

    /// The question is there but not its answer: looks again, with growing pauses, until patience runs out.
    private mutating func lookAgain(at now: Timestamp) {
        guard let turn = conversation?.turn else { return }
        guard !turn.isLate, now < turn.deadline else {
            tell(.unavailable, ClientMessages.coachSilent)
            conversation?.endTurn()
            return
        }
        let count = (conversation?.lookCount ?? 0) + 1
        conversation?.lookCount = count
        conversation?.nextLook = min(now.advanced(by: .seconds(min(2 * count, 10))), turn.deadline)
    }

    /// The backend has not received the question: sends it again, once.
    private mutating func askAgain() {
        guard let turn = conversation?.turn, let question = turn.question else { return }
        guard !turn.isAcknowledged, !turn.isLate, let count = conversation?.repeatCount, count < 1,
            let index = conversation?.questionIndex
        else { return loseQuestion() }
        conversation?.tail.remove(at: index)
        conversation?.endTurn(takesBack: true)
        conversation?.waiting.insert(question, at: 0)
        conversation?.repeatCount = count + 1
    }

    /// The fate of the question is unknown and will stay so.
    mutating func loseQuestion() {
        guard let turn = conversation?.turn else { return }
        if turn.question != nil, !turn.isAcknowledged { tell(.unavailable, ClientMessages.lostMessage) }
        conversation?.endTurn()
        showTalk()
    }

    /// Times out answers that do not arrive.
    mutating func expireTalk(at now: Timestamp) {
        guard let conversation, let turn = conversation.turn, link.wanted != nil else { return }
        if !turn.isHeard {
            guard link.isConnected, let look = conversation.nextLook, look <= now else { return }
            if gone.contains(conversation.id) { loseQuestion() } else { readHistory(at: now) }
            return
        }
        guard turn.deadline <= now, !turn.isLate else { return }
        guard isHistoryServed, !gone.contains(conversation.id) else {
            tell(.unavailable, ClientMessages.coachSilent)
            self.conversation?.endTurn()
            return showTalk()
        }
        self.conversation?.turn?.isLate = true
        readHistory(at: now)
    }
}
