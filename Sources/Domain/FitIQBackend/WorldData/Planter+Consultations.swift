import FitIQAPI
import JSON

struct ConsultationDraft {
    let record: ConsultationRecord
    /// Whether the consultation is linked by more than its context.
    var isLinkedExplicitly = false
    /// Whether the goal may have this consultation as its conversation.
    var isGoalsConversation = false
}

/// The consultations of a user in a document, before they are planted.
struct ConsultationDrafts {
    private(set) var drafts: [ConsultationDraft] = []
    /// The topics of active consultations, including existing ones.
    private(set) var active: [Topic]
    private(set) var byteCount = 0

    init(active: [Topic]) { self.active = active }

    mutating func append(_ draft: ConsultationDraft) {
        if draft.record.consultation.isActive { active.append(draft.record.topic) }
        byteCount += draft.record.byteCount
        drafts.append(draft)
    }
}

extension Planter {
    mutating func consultationDrafts(
        of data: UserData, _ user: UserID, goals: GoalDrafts, at path: String
    ) throws(PlantError) -> ConsultationDrafts {
        var consultations = ConsultationDrafts(
            active: backend.users[user].active.map { backend.consultations[$0].topic })
        for (index, consultation) in data.consultations.enumerated() {
            let path = "\(path).consultations[\(index)]"
            try append(consultation, by: user, goals: goals, to: &consultations, at: path)
        }
        return consultations
    }

    private mutating func append(
        _ data: ConsultationData, by user: UserID, goals: GoalDrafts, to consultations: inout ConsultationDrafts,
        at path: String
    ) throws(PlantError) {
        try checkStorage(path, planned: consultations.byteCount)
        try check(data.title, "\(path).title", CreateConsultationRequest.titleLengths)
        try check(data.quickAction, "\(path).quick_action", CreateConsultationRequest.quickActionLengths)
        let context = try context(of: data, goals: goals, at: path)
        let topic = Topic(persona: data.persona, context: context)
        if data.status == .active {
            guard backend.configuration.rules.perTopic == .many || isRestored || !consultations.active.contains(topic)
            else {
                throw PlantError(path, .duplicateTopic(topic))
            }
            guard consultations.active.count < limits.activeConsultations || isRestored else {
                throw PlantError(path, .tooManyActive(limit: limits.activeConsultations))
            }
        }
        let times = try times(of: data, at: path)
        var consultation = Consultation(
            id: data.id ?? turn.identifiers.next(), userID: backend.users[user].id, persona: data.persona,
            context: context, goalID: try linkedGoal(of: data, goals: goals, at: path), title: data.title,
            createdAt: times.created)
        consultation.status = data.status
        let history = try history(of: data, consultation, times, planned: consultations.byteCount, at: path)
        consultation.messageCount = history.count
        consultation.lastMessageAt = history.messages.last?.createdAt
        consultation.isAnswered = history.messages.contains { $0.role == .assistant }
        consultation.updatedAt = times.updated ?? consultation.lastMessageAt ?? consultation.createdAt
        try check(
            consultation.updatedAt, "\(path).updated_at",
            notBefore: consultation.lastMessageAt ?? consultation.createdAt,
            consultation.lastMessageAt == nil ? "it was created" : "its last message was stored")
        let completedAt = try time(data.completedAt, "\(path).completed_at")
        if let completedAt {
            guard data.status != .active else { throw PlantError("\(path).completed_at", .notEnded) }
            try check(
                completedAt, "\(path).completed_at", notBefore: consultation.createdAt, "the consultation was created")
        }
        if backend.configuration.mode.servesApps {
            consultation.completedAt = completedAt ?? (data.status == .completed ? consultation.updatedAt : nil)
            consultation.quickAction = data.quickAction
        }
        var record = record(consultation, history, of: user)
        if data.awaitsAnswer {
            guard data.status == .active, let question = history.messages.last, question.role == .user else {
                throw PlantError("\(path).awaits_answer", .nothingToAnswer)
            }
            if backend.configuration.mode.servesApps { record.waiting = [self.question(question, in: record)] }
        }
        consultations.append(
            ConsultationDraft(
                record: record,
                isLinkedExplicitly: data.linkedGoal != nil, isGoalsConversation: data.isGoalsConversation))
    }

    private func record(_ consultation: Consultation, _ history: History, of user: UserID) -> ConsultationRecord {
        ConsultationRecord(
            consultation, history: history, askedCount: history.messages.count { $0.role == .user }, owner: user,
            mode: backend.configuration.mode, origin: backend.configuration.origin)
    }

    /// The last question, if it awaits an answer.
    private func question(_ message: Message, in record: ConsultationRecord) -> Question {
        let number = record.askedCount - 1
        return Question(
            content: message.content, number: number, answerID: message.answerID,
            script: backend.script(for: message.content, number: number, in: record.consultation))
    }

    private func context(
        of data: ConsultationData, goals: GoalDrafts, at path: String
    ) throws(PlantError) -> ConsultationContext {
        switch data.contextType {
        case .goal:
            if let id = data.contextID, data.namesDeletedGoal(backend.configuration.rules.ids ?? .lowerCase) {
                return ConsultationContext(.goal, id: id)
            }
            guard data.contextID == nil else { throw PlantError("\(path).context_id", .strayContextID(.goal)) }
            guard let goal = data.contextGoal else {
                if backend.configuration.mode.servesApps || isRestored { return ConsultationContext(.goal) }
                throw PlantError(path, .missingContextGoal)
            }
            let index = try goals.index(of: goal, "\(path).goal")
            return ConsultationContext(.goal, id: "\(goals.goals[index].id)")
        case .general, .insight, .mood, .journal:
            guard data.contextGoal == nil else { throw PlantError("\(path).goal", .strayContextGoal(data.contextType)) }
            guard data.contextType != .general || data.contextID == nil else {
                throw PlantError("\(path).context_id", .strayContextID(.general))
            }
            try check(data.contextID?.text, "\(path).context_id", CreateConsultationRequest.contextIDLengths)
            return ConsultationContext(data.contextType, id: data.contextID)
        }
    }

    private func linkedGoal(
        of data: ConsultationData, goals: GoalDrafts, at path: String
    ) throws(PlantError) -> ResourceID? {
        if let linked = data.linkedGoal {
            guard !data.isUnlinked else { throw PlantError("\(path).unlinked", .linkedAndUnlinked) }
            return goals.goals[try goals.index(of: linked, "\(path).linked_goal")].id
        }
        guard let goal = data.contextGoal, !data.isUnlinked else { return nil }
        return goals.goals[try goals.index(of: goal, "\(path).goal")].id
    }

    /// Adds active consultations about free topics up to the requested number.
    mutating func fillActive(
        _ data: UserData, _ user: UserID, _ consultations: inout ConsultationDrafts, at path: String
    ) throws(PlantError) {
        guard let count = data.fillActiveConsultations else { return }
        let path = "\(path).fill_active_consultations"
        guard count >= 0 else { throw PlantError(path, .negative(count)) }
        guard count <= limits.activeConsultations else {
            throw PlantError(path, .tooManyActive(limit: limits.activeConsultations))
        }
        var topics = FreeTopics()
        while consultations.active.count < count {
            let topic = topics.next()
            guard !consultations.active.contains(topic) else { continue }
            try checkStorage(path, planned: consultations.byteCount)
            let consultation = Consultation(
                id: turn.identifiers.next(), userID: backend.users[user].id, persona: topic.persona,
                context: topic.context, goalID: nil, title: nil, createdAt: now)
            consultations.append(ConsultationDraft(record: record(consultation, History(), of: user)))
        }
    }

    /// Sets each goal's conversation to what it would be after the corresponding requests.
    func chooseConversations(
        of goals: inout GoalDrafts, in consultations: [ConsultationDraft], at path: String
    ) throws(PlantError) {
        var chosen: [Int: Int] = [:]
        for (index, draft) in consultations.enumerated()
        where draft.isGoalsConversation && draft.record.consultation.isActive {
            guard let goal = draft.record.consultation.goalID.flatMap(goals.index(ofID:)) else { continue }
            if let other = chosen[goal] {
                guard draft.isLinkedExplicitly else { continue }
                guard !consultations[other].isLinkedExplicitly else {
                    throw PlantError(
                        "\(path).consultations[\(index)]", .twoConversations(other: "\(path).consultations[\(other)]"))
                }
            }
            chosen[goal] = index
            goals.goals[goal].conversationID = draft.record.consultation.id
        }
    }

    mutating func insert(_ drafts: [ConsultationDraft]) {
        for (_, draft) in Self.oldestFirst(drafts, by: \.record.consultation.createdAt) { backend.insert(draft.record) }
    }
}

/// An endless supply of topics: journal entries by number.
///
/// The topics that clients request first, a persona without a context or without an id, stay free. If ten consultations
/// are active, the limit must reject such a request, not the search for duplicates (409 precedes 429).
private struct FreeTopics {
    private var count = 0

    mutating func next() -> Topic {
        defer { count += 1 }
        let (round, place) = count.quotientAndRemainder(dividingBy: Persona.allCases.count)
        return Topic(persona: Persona.allCases[place], context: ConsultationContext(.journal, id: "entry-\(round + 1)"))
    }
}

/// The times of a consultation's creation and last change, if the document has them.
struct ConsultationTimes {
    var created: Timestamp
    var updated: Timestamp?
    /// The times of the consultation's messages; nil where no time is given.
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
        // Compare each separately, because the sum may overflow.
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
                history.count == 0 ? "the consultation was created" : "the previous message was stored")
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
            // Trimmed, as messages over the socket are.
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

    /// Adds or removes the apps' members.
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

    /// Estimated in the same way as for answers: four bytes per token.
    private static func tokens(of content: String) -> Int { (content.utf8.count + 3) / 4 }
}
