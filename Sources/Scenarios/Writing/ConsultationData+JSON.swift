import FitIQAPI
import FitIQBackend
import JSON

extension ConsultationData {
    func write(into writer: inout JSONWriter) {
        writer.member("id", ifPresent: id?.description)
        writer.member("persona", persona.rawValue)
        writer.member("context", contextType.rawValue)
        writer.text("context_id", contextID?.text)
        writer.text("goal", contextGoal?.text)
        writer.text("linked_goal", linkedGoal?.text)
        if isUnlinked { writer.member("unlinked", true) }
        if !isGoalsConversation { writer.member("is_goals_conversation", false) }
        writer.text("title", title)
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
        case .user: writer.text("user", content)
        case .assistant: writer.text("assistant", content)
        case .system: writer.text("system", content)
        }
        writer.member("id", ifPresent: id?.description)
        writer.member("tokens_used", ifPresent: metadata?.tokensUsed)
        writer.text("function_called", metadata?.functionCalled)
        if let template = metadata?.templateCreated {
            writer.object("template_created") { writer in
                writer.text("type", template.type)
                writer.text("id", template.id)
                writer.text("name", template.name)
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
