import FitIQAPI
import FitIQBackend
import JSON

extension ConsultationData {
    static func read(_ cursor: Cursor, goals: GoalTable) -> ConsultationData? {
        guard let fields = Fields(cursor, as: .consultation) else { return nil }
        let names = Persona.allCases.map(\.rawValue)
        let persona = fields.required("persona", Messages.oneOf(names))?.choice(of: Persona.self)
        var consultation = ConsultationData(persona: persona ?? .nutritionist)
        consultation.id = fields["id"]?.resourceID()
        consultation.readContext(fields, goals: goals, ids: cursor.diagnosis.ids)
        consultation.title = fields["title"]?.text(CreateConsultationRequest.titleLengths)
        consultation.quickAction = fields["quick_action"]?.text(CreateConsultationRequest.quickActionLengths)
        consultation.status = fields["status"]?.choice(of: ConsultationStatus.self) ?? consultation.status
        consultation.madeUpMessages =
            fields["made_up_messages"]?.integer(0...ScenarioLimits.messages) ?? consultation.madeUpMessages
        if let cursors = fields["messages"]?.elements(limit: ScenarioLimits.messages, of: "messages") {
            consultation.messages = cursors.compactMap(MessageData.read)
            let count = cursors.count + consultation.madeUpMessages
            if count > ScenarioLimits.messages, !cursor.diagnosis.isSaved {
                fields.refuse(
                    "made_up_messages", Messages.tooMany("messages in all", limit: ScenarioLimits.messages, got: count))
            }
        }
        consultation.createdAt = fields["created_at"]?.dataTime()
        consultation.updatedAt = fields["updated_at"]?.dataTime()
        consultation.completedAt = fields["completed_at"]?.dataTime()
        consultation.awaitsAnswer = fields["awaits_answer"]?.flag() ?? consultation.awaitsAnswer
        // If the persona is missing, which was already reported, the topic is also unknown.
        return persona == nil ? nil : consultation
    }

    private mutating func readContext(_ fields: Fields, goals: GoalTable, ids: IDCase) {
        let context = fields["context"].map { $0.choice(of: ContextType.self) } ?? contextType
        contextType = context ?? contextType
        contextGoal = fields["goal"].flatMap(goals.reference)
        contextID = fields["context_id"]?.exactText(CreateConsultationRequest.contextIDLengths)
        linkedGoal = fields["linked_goal"].flatMap(goals.reference)
        isGoalsConversation = fields["is_goals_conversation"]?.flag() ?? isGoalsConversation
        isUnlinked = fields["unlinked"]?.flag() ?? isUnlinked
        guard let context else { return }
        guard !namesDeletedGoal(ids) else { return }
        fields.refuse(
            ["goal"], unless: context == .goal,
            Messages.needs("'context: goal'; use 'linked_goal' to link a consultation about a different topic"))
        fields.refuse(
            ["context_id"], unless: ![.general, .goal].contains(context),
            Messages.needs("'context: insight', 'context: mood' or 'context: journal'; use 'goal' for goals"))
        if isUnlinked, fields["linked_goal"] != nil { fields.refuse("unlinked", Messages.contradicts("linked_goal")) }
    }

    func write(into writer: inout JSONWriter) {
        writer.member("id", ifPresent: id)
        writer.member("persona", persona.rawValue)
        writer.member("context", contextType.rawValue)
        writer.member("context_id", ifPresent: contextID?.text)
        writer.member("goal", ifPresent: contextGoal?.text)
        writer.member("linked_goal", ifPresent: linkedGoal?.text)
        if isUnlinked { writer.member("unlinked", true) }
        if !isGoalsConversation { writer.member("is_goals_conversation", false) }
        writer.member("title", ifPresent: title)
        writer.member("quick_action", ifPresent: quickAction)
        writer.member("status", status.rawValue)
        if madeUpMessages != 0 { writer.member("made_up_messages", madeUpMessages) }
        writer.linesIfAny("messages", messages) { $1.write(into: &$0) }
        if awaitsAnswer { writer.member("awaits_answer", true) }
        writer.time("created_at", createdAt)
        writer.time("updated_at", updatedAt)
        writer.time("completed_at", completedAt)
    }
}

extension MessageData {
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
        message.id = fields["id"]?.resourceID()
        message.createdAt = fields["created_at"]?.dataTime()
        let metadata = MessageMetadata(
            tokensUsed: fields["tokens_used"]?.integer(0...1_000_000_000),
            templateCreated: fields["template_created"].flatMap(CreatedTemplate.read),
            functionCalled: fields["function_called"]?.text(1...200),
            persona: fields["persona"]?.choice(of: Persona.self),
            processingTime: fields["processing_time_ms"]?.integer(0...Int.max))
        if metadata != MessageMetadata() { message.metadata = metadata }
        return message
    }

    func write(into writer: inout JSONWriter) {
        writer.key(escaping: role.rawValue)
        writer.value(content)
        writer.member("id", ifPresent: id)
        writer.member("tokens_used", ifPresent: metadata?.tokensUsed)
        writer.member("function_called", ifPresent: metadata?.functionCalled)
        writer.member("persona", ifPresent: metadata?.persona?.rawValue)
        writer.member("processing_time_ms", ifPresent: metadata?.processingTime)
        if let template = metadata?.templateCreated {
            writer.key("template_created")
            template.write(into: &writer)
        }
        writer.time("created_at", createdAt)
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
