import FitIQAPI

extension ClientCore {
    mutating func say(_ text: String) {
        guard configuration.guide != .mealLogWebSocket else {
            return tell(.refused, ClientMessages.notServed("chat", guide: configuration.guide.rawValue))
        }
        let trimmed = Self.trimmed(text)
        guard !trimmed.isEmpty else { return tell(.refused, ClientMessages.blankMessage) }
        // Bytes first: one character can have any number of combining marks, and counting them is slow.
        guard trimmed.utf8.count <= ClientFrame.maximumContentByteCount,
            trimmed.count <= ClientFrame.maximumContentLength
        else {
            let count = trimmed.count
            return tell(.refused, ClientMessages.longMessage(count, limit: ClientFrame.maximumContentLength))
        }
        if intent != nil { return sayBeforehand(trimmed) }
        guard link.wanted != nil else { return tell(.refused, ClientMessages.noChat) }
        enqueue(trimmed)
    }

    /// The text without white space at its ends, as the backend trims it.
    static func trimmed(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(Substring(scalars[first...last]))
    }

    private mutating func enqueue(_ text: String) {
        guard let count = conversation?.waiting.count, count < configuration.limits.waitingMessages else {
            return tell(.refused, ClientMessages.tooManyWaiting(limit: configuration.limits.waitingMessages))
        }
        conversation?.waiting.append(text)
        showTalk()
    }

    /// Keeps what the user says while the consultation is being created.
    private mutating func sayBeforehand(_ text: String) {
        guard beforehand.count < configuration.limits.waitingMessages else {
            return tell(.refused, ClientMessages.tooManyWaiting(limit: configuration.limits.waitingMessages))
        }
        beforehand.append(text)
    }

    /// Reports that messages for a chat are dropped because another is opened instead.
    mutating func forgetBeforehand() {
        guard !beforehand.isEmpty else { return }
        tell(.refused, ClientMessages.notSent(beforehand.count))
        beforehand = []
    }

    /// Sends what may be sent: one message, if no answer is in progress.
    mutating func talk(at now: Timestamp) {
        if intent == nil, !beforehand.isEmpty {
            if link.wanted != nil {
                let texts = beforehand
                beforehand = []
                for text in texts { enqueue(text) }
            } else {
                forgetBeforehand()
            }
        }
        guard link.isConnected, let socket = link.socket, conversation?.needsHistory == false, archiving == nil
        else { return }
        let deadline = now.advanced(by: configuration.patience.answer)
        guard let text = conversation?.beginTurn(until: deadline) else { return }
        actions.append(
            .sendText(socket: socket.number, ChatMessage.frame(text, style: configuration.chatStyle)))
        showTalk()
    }

    mutating func receive(_ frame: ChatFrame, at now: Timestamp) {
        if case .meal(let news) = frame { return take(news) }
        // Frames on a socket that is no longer wanted do not belong to the talk.
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
        case .templateCreated(let type, let id): suggested(type, id, at: now)
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
        // The read in progress may have started before the socket heard anything.
        if isReadingHistory { conversation?.isStale = true } else { readHistory(at: now) }
    }

    /// The backend could not answer, or rejected the message.
    private mutating func failed(_ message: String, at now: Timestamp) {
        guard archiving == nil else { return }
        tell(.chat, message)
        guard conversation?.turn != nil else { return }
        conversation?.endTurn(takesBack: true)
        showTalk()
        readHistory(at: now)
    }
}
