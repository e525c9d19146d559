import JSON

/// A prompt that starts a conversation with one tap (enhanced-consultations, QuickAction).
public struct QuickAction: Hashable, Sendable {
    /// What is put into the message field.
    public var prompt: String
    /// A line below it.
    public var description: String?
    /// The context it suits.
    public var contextType: ContextType
    /// The coach it suits; nil suits all.
    public var persona: Persona?
    /// A word to group by.
    public var category: String?

    /// Makes a quick action.
    public init(
        prompt: String, description: String? = nil, contextType: ContextType, persona: Persona? = nil,
        category: String? = nil
    ) {
        self.prompt = prompt
        self.description = description
        self.contextType = contextType
        self.persona = persona
        self.category = category
    }

    func write(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("prompt", prompt)
        if let description { writer.member("description", description) }
        writer.member("context_type", contextType.rawValue)
        if let persona { writer.member("persona", persona.rawValue) }
        if let category { writer.member("category", category) }
        writer.endObject()
    }
}
