import FitIQAPI

extension ClientCore {
    mutating func say(_ text: String) {
        guard configuration.guide != .mealLogWebSocket else {
            return tell(.refused, ClientMessages.notServed("chat", guide: configuration.guide.rawValue))
        }
        let trimmed = String(ClientFrame.trimmed(text))
        guard !trimmed.isEmpty else { return tell(.refused, ClientMessages.blankMessage) }
        // Check bytes first, because counting characters with many combining marks is slow.
        guard trimmed.utf8.count <= ClientFrame.maximumContentByteCount,
            trimmed.count <= ClientFrame.maximumContentLength
        else {
            let count = trimmed.count
            return tell(
                .refused,
                "The message has \(count) characters; at most \(ClientFrame.maximumContentLength) can be sent.")
        }
        // The consultation is still being created.
        guard intent == nil else {
            if hasRoom(after: beforehand.count) { beforehand.append(trimmed) }
            return
        }
        guard link.wanted != nil else { return tell(.refused, ClientMessages.noChat) }
        enqueue(trimmed)
    }

    private mutating func enqueue(_ text: String) {
        guard hasRoom(after: conversation?.waiting.count ?? .max) else { return }
        conversation?.waiting.append(text)
        showTalk()
    }

    /// Whether another message may be queued; reports a problem if not.
    private mutating func hasRoom(after count: Int) -> Bool {
        let limit = configuration.limits.waitingMessages
        if count >= limit {
            tell(.refused, "\(limit) messages are already waiting to be sent. Try again after the coach answers.")
        }
        return count < limit
    }

    /// Reports that a chat's messages are dropped because the user opens another chat.
    mutating func forgetBeforehand() {
        guard !beforehand.isEmpty else { return }
        tell(.refused, ClientMessages.notSent(beforehand.count))
        beforehand = []
    }

    /// Sends one message if no answer is in progress.
    mutating func talk(at now: Timestamp) {
        if intent == nil {
            if link.wanted == nil { forgetBeforehand() }
            for text in beforehand { enqueue(text) }
            beforehand = []
        }
        guard link.isConnected, let socket = link.socket, conversation?.needsHistory == false, archiving == nil
        else { return }
        let deadline = now.advanced(by: configuration.patience.answer)
        guard let text = conversation?.beginTurn(until: deadline) else { return }
        actions.append(.sendText(socket: socket.number, ChatMessage.frame(text, style: configuration.chatStyle)))
        showTalk()
    }

    mutating func receive(_ frame: ChatFrame, at now: Timestamp) {
        if case .meal(let news) = frame { return take(news) }
        // Ignore frames on an abandoned socket.
        guard link.socket?.consultation == link.wanted, link.socket?.phase != .closing else { return }
        let deadline = now.advanced(by: configuration.patience.answer)
        switch frame {
        case .connected: connected(at: now)
        case .received(let id, let content):
            conversation?.turn?.deadline = deadline
            show(conversation?.received(id: id, content: content), at: now)
        case .answerBegins(let id): show(conversation?.begins(id: id, until: deadline), at: now)
        case .piece(let id, let content): show(conversation?.piece(id: id, content, until: deadline), at: now)
        case .answerEnds(let id):
            let hasReceipts = configuration.guide != .webSocketArchitecture
            show(conversation?.ends(id: id, hasReceipts: hasReceipts), at: now)
        case .templateCreated(let template): created(template, at: now)
        case .error(let message, _): failed(message, at: now)
        case .broken: conversation?.isTroubled = true
        case .meal, .pong, .unknown: break
        }
    }

    private mutating func show(_ effect: Conversation.Effect?, at now: Timestamp) {
        switch effect {
        case .none, .nothing: break
        case .changed: showTalk()
        case .grown(let piece):
            guard let conversation, let index = conversation.streamingIndex else { break }
            state.transcript[conversation.history.count + index].text += piece
            isChanged = true
        case .ended:
            showTalk()
            let isUnsure = conversation?.isTroubled == true || conversation?.turn != nil
            if configuration.checksAnswers || isUnsure { readHistory(at: now) }
        }
    }

    private mutating func connected(at now: Timestamp) {
        guard let isReplacement = link.connected() else { return }
        show(.connected)
        lookAtMealsOnce(at: now)
        let deadline = now.advanced(by: configuration.patience.answer)
        if conversation?.turn != nil { conversation?.turn?.deadline = deadline }
        guard isReplacement || conversation?.wasCut == true else { return }
        guard isHistoryServed else {
            conversation?.goOnWithoutHistory()
            return loseQuestion()
        }
        conversation?.needsHistory = true
        // A read in progress may have started before the socket received frames.
        if isReadingHistory { conversation?.isStale = true } else { readHistory(at: now) }
    }

    /// Handles a backend error, which means that there is no answer or the message was rejected.
    private mutating func failed(_ message: String, at now: Timestamp) {
        guard archiving == nil else { return }
        tell(.chat, message)
        guard conversation?.turn != nil else { return }
        conversation?.endTurn(takesBack: true)
        showTalk()
        readHistory(at: now)
    }

    // MARK: The history, read before the socket opens, after a lost connection, and to check answers

    var isHistoryServed: Bool { configuration.guide.serves(.listMessages) }
    var isReadingHistory: Bool { conversation.map { requests.contains(.history(consultation: $0.id)) } ?? false }

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
        let isFirst = conversation?.hasHistory == false
        guard let taken = conversation?.take(messages) else { return }
        for template in taken.templates { created(template, suggests: !isFirst, at: now) }
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
        if outcome.answer?.status == 404 {
            lose(id)
            return leave(.failed)
        }
        // A chat opens only with its history; an open chat continues with the received messages.
        guard link.isReady else { return leave(.failed) }
        conversation?.goOnWithoutHistory()
        if conversation?.turn.map({ !$0.isHeard || $0.isLate }) == true { loseQuestion() }
    }

    /// Reads the history again, with increasing delays up to a time limit, because it contains only the question.
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

    /// Sends the question again, because the backend has not received it.
    private mutating func askAgain() {
        guard let turn = conversation?.turn, let question = turn.question else { return }
        guard !turn.isAcknowledged, !turn.isLate, conversation?.isRepeated == false,
            let index = conversation?.questionIndex
        else { return loseQuestion() }
        conversation?.tail.remove(at: index)
        conversation?.endTurn(takesBack: true)
        conversation?.waiting.insert(question, at: 0)
        conversation?.isRepeated = true
    }

    /// Gives up on a question with an unknown result.
    mutating func loseQuestion() {
        guard let turn = conversation?.turn else { return }
        if turn.question != nil, !turn.isAcknowledged { tell(.unavailable, ClientMessages.lostMessage) }
        conversation?.endTurn()
        showTalk()
    }

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
