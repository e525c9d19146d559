import JSON

/// What a consultation is about: part of its identity when duplicates are looked for.
public struct ConsultationContext: Hashable, Sendable {
    /// The kind of thing talked about.
    public var type: ContextType
    /// The id of the thing: always there for a goal, never for `general`, as the client likes for the others.
    public var id: ExactString?

    /// Makes a context.
    public init(_ type: ContextType, id: ExactString? = nil) {
        self.type = type
        self.id = id
    }

    /// Makes a context of a thing whose id is at hand as text.
    public init(_ type: ContextType, id: String) { self.init(type, id: ExactString(id)) }

    /// An open-ended talk.
    public static let general = ConsultationContext(.general)
}
