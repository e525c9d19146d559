import FitIQAPI

/// The times of a consultation's creation and last change, as far as the document gives them.
struct ConsultationTimes {
    var created: Timestamp
    var updated: Timestamp?
    /// The times of its messages, nil if not given.
    var messages: [Timestamp?]
}

extension Planter {
    func times(of data: ConsultationData, at path: String) throws(PlantError) -> ConsultationTimes {
        let updated = try time(data.updatedAt, "\(path).updated_at")
        var messages: [Timestamp?] = []
        messages.reserveCapacity(data.messages.count)
        for (index, message) in data.messages.enumerated() {
            messages.append(try time(message.createdAt, "\(path).messages[\(index)].created_at"))
        }
        let given = try time(data.createdAt, "\(path).created_at")
        let first = messages.lazy.compactMap { $0 }.first
        return ConsultationTimes(created: given ?? first ?? updated ?? now, updated: updated, messages: messages)
    }

    mutating func history(
        of data: ConsultationData, _ consultation: Consultation, _ times: ConsultationTimes, planned: Int,
        at path: String
    ) throws(PlantError) -> History {
        guard data.madeUpMessages >= 0 else {
            throw PlantError("\(path).made_up_messages", .negative(data.madeUpMessages))
        }
        // Each is compared separately: their sum may overflow.
        let limit = limits.messages
        guard isRestored || data.madeUpMessages <= limit && data.madeUpMessages + data.messages.count <= limit else {
            let count = data.madeUpMessages.addingReportingOverflow(data.messages.count)
            throw PlantError(path, .tooMany("messages", count.overflow ? .max : count.partialValue, limit: limit))
        }
        var history = History()
        try makeUp(data.madeUpMessages, consultation, times, into: &history, planned: planned, at: path)
        var latest = history.messages.last?.createdAt ?? consultation.createdAt
        for (index, message) in data.messages.enumerated() {
            let time = times.messages[index] ?? latest
            try check(
                time, "\(path).messages[\(index)].created_at", notBefore: latest,
                history.count == 0 ? "the consultation was created" : "the message before it was stored")
            latest = time
            let stored = try self.message(message, in: consultation, at: time, "\(path).messages[\(index)]")
            try append(stored, to: &history, planned: planned, "\(path).messages[\(index)]")
        }
        return history
    }

    private mutating func message(
        _ data: MessageData, in consultation: Consultation, at time: Timestamp, _ path: @autoclosure () -> String
    ) throws(PlantError) -> Message {
        guard data.content.utf8.count <= TextLengths.maximumBytes || isRestored else {
            throw PlantError(path(), .tooManyBytes(data.content.utf8.count, limit: TextLengths.maximumBytes))
        }
        var content = data.content
        if data.role == .user {
            // As they arrive over the socket.
            content = String(ClientFrame.trimmed(content))
            guard !content.isEmpty else { throw PlantError(path(), .blank) }
            try check(content, path(), TextLengths.question)
        }
        var metadata = data.metadata ?? MessageMetadata()
        if let tokens = metadata.tokensUsed, tokens < 0 { throw PlantError("\(path()).tokens_used", .negative(tokens)) }
        if data.role == .assistant, metadata.tokensUsed == nil { metadata.tokensUsed = Self.tokens(of: content) }
        complete(&metadata, of: data.role, in: consultation)
        return Message(
            id: data.id ?? turn.identifiers.next(), consultationID: consultation.id, role: data.role,
            content: content, metadata: metadata == MessageMetadata() ? nil : metadata, createdAt: time)
    }

    /// Adds what only the apps read, or removes it.
    private func complete(_ metadata: inout MessageMetadata, of role: MessageRole, in consultation: Consultation) {
        guard backend.configuration.mode.servesApps else {
            (metadata.persona, metadata.processingTime) = (nil, nil)
            return
        }
        if role == .assistant, metadata.persona == nil { metadata.persona = consultation.persona }
    }

    private mutating func makeUp(
        _ count: Int, _ consultation: Consultation, _ times: ConsultationTimes, into history: inout History,
        planned: Int, at path: String
    ) throws(PlantError) {
        guard count > 0 else { return }
        let given = times.messages.lazy.compactMap { $0 }.first ?? times.updated ?? now
        let endPath: () -> String = {
            let index = times.messages.firstIndex { $0 != nil }
            return index.map { "\(path).messages[\($0)].created_at" } ?? "\(path).updated_at"
        }
        try check(given, endPath(), notBefore: consultation.createdAt, "the consultation was created")
        let end = max(given, consultation.createdAt)
        var conversation = MadeUpConversation(consultation)
        for index in 0..<count {
            let (role, content) = conversation.next()
            var metadata = MessageMetadata(tokensUsed: Self.tokens(of: content))
            complete(&metadata, of: role, in: consultation)
            let message = Message(
                id: turn.identifiers.next(), consultationID: consultation.id, role: role, content: content,
                metadata: role == .assistant ? metadata : nil,
                createdAt: MadeUpConversation.time(of: index, of: count, from: consultation.createdAt, to: end))
            try append(message, to: &history, planned: planned, "\(path).made_up_messages")
        }
    }

    private func append(
        _ message: Message, to history: inout History, planned: Int, _ path: @autoclosure () -> String
    ) throws(PlantError) {
        try checkStorage(path(), planned: planned + history.byteCount)
        history.append(message, in: backend.configuration.mode.form(of: .listMessages))
    }

    /// Counted as for answers: four bytes per token.
    private static func tokens(of content: String) -> Int { (content.utf8.count + 3) / 4 }
}
