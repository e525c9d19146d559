import FitIQAPI
import FitIQBackend
import JSON

extension ConsultationData {
    func write(into writer: inout JSONWriter) {
        writer.member("id", ifPresent: id?.description)
        writer.member("persona", persona.rawValue)
        writer.member("context", contextType.rawValue)
        writer.member("context_id", ifPresent: contextID?.text)
        writer.member("goal", ifPresent: contextGoal?.text)
        writer.member("linked_goal", ifPresent: linkedGoal?.text)
        if isUnlinked { writer.member("unlinked", true) }
        if !isGoalsConversation { writer.member("is_goals_conversation", false) }
        writer.member("title", ifPresent: title)
        writer.member("status", status.rawValue)
        if madeUpMessages != 0 { writer.member("made_up_messages", madeUpMessages) }
        writer.linesIfAny("messages", messages) { $1.write(into: &$0) }
        writer.time("created_at", createdAt)
        writer.time("updated_at", updatedAt)
    }
}

extension MessageData {
    fileprivate func write(into writer: inout JSONWriter) {
        switch role {
        case .user: writer.member("user", content)
        case .assistant: writer.member("assistant", content)
        case .system: writer.member("system", content)
        }
        writer.member("id", ifPresent: id?.description)
        writer.member("tokens_used", ifPresent: metadata?.tokensUsed)
        writer.member("function_called", ifPresent: metadata?.functionCalled)
        if let template = metadata?.templateCreated {
            writer.object("template_created") { writer in
                writer.member("type", template.type)
                writer.member("id", template.id)
                writer.member("name", template.name)
            }
        }
        writer.time("created_at", createdAt)
    }
}

extension GoalReference {
    fileprivate var text: String {
        switch self {
        case .named(let name): name.text
        case .id(let id): id.description
        }
    }
}
