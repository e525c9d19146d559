import FitIQAPI
import FitIQBackend

extension ConsultationData: Coded {
    static func read(_ cursor: Cursor, goals: GoalTable) -> ConsultationData? {
        guard let fields = Fields(cursor, as: .consultation) else { return nil }
        var consultation = ConsultationData(persona: .nutritionist)
        let isComplete = consultation.read(fields, goals: goals)
        consultation.checkContext(fields, ids: cursor.diagnosis.ids)
        if case .list(let nodes)? = fields["messages"]?.node.content, !cursor.diagnosis.isSaved {
            let (limit, count) = (ScenarioLimits.messages, nodes.count + consultation.madeUpMessages)
            if nodes.count <= limit, count > limit {
                fields.refuse("made_up_messages", Messages.tooMany("messages in all", limit: limit, got: count))
            }
        }
        // If the persona is missing, which was already reported, the topic is also unknown.
        return isComplete ? consultation : nil
    }

    mutating func code(_ coder: inout MemberCoder) {
        coder.member("id", &id, .id())
        coder.required("persona", &persona, .choice(), Messages.oneOf(Persona.allCases.map(\.rawValue)))
        coder.member("context", &contextType, .choice())
        coder.member("context_id", &contextID, .exactText(CreateConsultationRequest.contextIDLengths))
        let goal = MemberForm(read: coder.goals.reference) { $0.value($1.text) }
        coder.member("goal", &contextGoal, goal)
        coder.member("linked_goal", &linkedGoal, goal)
        coder.member("unlinked", &isUnlinked, .flag(), unless: false)
        coder.member("is_goals_conversation", &isGoalsConversation, .flag(), unless: true)
        coder.member("title", &title, .text(CreateConsultationRequest.titleLengths))
        coder.member("quick_action", &quickAction, .text(CreateConsultationRequest.quickActionLengths))
        coder.member("status", &status, .choice())
        coder.member("made_up_messages", &madeUpMessages, .integer(0...ScenarioLimits.messages), unless: 0)
        coder.member(
            "messages", &messages, .lines(limit: ScenarioLimits.messages, of: "messages", MessageData.read), unless: [])
        coder.member("awaits_answer", &awaitsAnswer, .flag(), unless: false)
        coder.member("created_at", &createdAt, .time())
        coder.member("updated_at", &updatedAt, .time())
        coder.member("completed_at", &completedAt, .time())
    }

    private func checkContext(_ fields: Fields, ids: IDCase) {
        // An invalid context has already been reported.
        let isContextKnown = fields["context"].map { $0.written == contextType.rawValue } ?? true
        guard isContextKnown, !namesDeletedGoal(ids) else { return }
        fields.refuse(
            ["goal"], unless: contextType == .goal,
            Messages.needs("'context: goal'; use 'linked_goal' to link a consultation about a different topic"))
        fields.refuse(
            ["context_id"], unless: ![.general, .goal].contains(contextType),
            Messages.needs("'context: insight', 'context: mood' or 'context: journal'; use 'goal' for goals"))
        if isUnlinked, fields["linked_goal"] != nil { fields.refuse("unlinked", Messages.contradicts("linked_goal")) }
    }
}

extension MessageData: Coded {
    static func read(_ cursor: Cursor) -> MessageData? {
        guard let fields = Fields(cursor, as: .message),
            let key = fields.one(of: MessageRole.allCases.map(\.rawValue), isRequired: true),
            let role = MessageRole(rawValue: key)
        else { return nil }
        // A message from the assistant or the system may be empty.
        let content =
            role == .user
            ? fields[key]?.question() : fields[key]?.string(expected: "a string", bytes: ScenarioLimits.messageBytes)
        var message = MessageData(role: role, content: content ?? "")
        message.read(fields)
        return message
    }

    mutating func code(_ coder: inout MemberCoder) {
        if coder.isWriting {
            coder.writer.key(escaping: role.rawValue)
            coder.writer.value(content)
        }
        coder.member("id", &id, .id())
        var known = metadata ?? MessageMetadata()
        coder.member("tokens_used", &known.tokensUsed, .integer(0...1_000_000_000))
        coder.member("function_called", &known.functionCalled, .text(1...200))
        coder.member("persona", &known.persona, .choice())
        coder.member("processing_time_ms", &known.processingTime, .integer(0...Int.max))
        coder.member(
            "template_created", &known.templateCreated, MemberForm(read: CreatedTemplate.read) { $1.write(into: &$0) })
        metadata = known == MessageMetadata() ? nil : known
        coder.member("created_at", &createdAt, .time())
    }
}

extension CreatedTemplate {
    static func read(_ cursor: Cursor) -> CreatedTemplate? {
        guard let fields = Fields(cursor, as: .template) else { return nil }
        let type = fields.required("type", "the kind, such as goal, workout or meal_plan")?.text(1...100)
        let id = fields.required("id", "the id of the created object")?.text(1...200)
        let name = fields.required("name", "the template's name")?.text(1...200)
        guard let type, let id, let name else { return nil }
        return CreatedTemplate(type: type, id: id, name: name)
    }
}

extension Cursor {
    /// A user's message: 1 to 5,000 characters, trimmed, like messages from clients.
    fileprivate func question() -> String? {
        guard let text = words(bytes: ClientFrame.maximumContentByteCount) else { return nil }
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return refuse(Messages.blankText) }
        let trimmed = String(scalars[first...last])
        let range = SendMessageRequest.lengths
        guard diagnosis.isSaved || range.contains(trimmed.count) else {
            return refuse(Messages.wrongLength(expected: Messages.text(of: range), got: trimmed.count))
        }
        return trimmed
    }
}
