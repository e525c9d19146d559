import FitIQAPI
import JSON

struct ConsultationDraft {
    let record: ConsultationRecord
    /// Whether it is linked other than by its context.
    var isLinkedExplicitly = false
    /// Whether its goal may name it as its conversation.
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
        try check(data.title, "\(path).title", TextLengths.title)
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

    /// The last question as one that has no answer yet.
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
            try check(data.contextID?.text, "\(path).context_id", TextLengths.contextID)
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

    /// Sets the consultation that each goal names, as the link tables would be after those calls.
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
/// The topics that clients request first, a persona without a context or without an id, stay free: with ten active
/// consultations such a request must be refused by the limit, not as a duplicate (409 is decided before 429).
private struct FreeTopics {
    private var count = 0

    mutating func next() -> Topic {
        defer { count += 1 }
        let (round, place) = count.quotientAndRemainder(dividingBy: Persona.allCases.count)
        return Topic(persona: Persona.allCases[place], context: ConsultationContext(.journal, id: "entry-\(round + 1)"))
    }
}
