/// What a consultation is about: part of its identity when duplicates are looked for.
public struct ConsultationContext: Hashable, Sendable {
    /// The kind of thing talked about.
    public var type: ContextType
    /// The id of the thing: always there for a goal, never for `general`, as the client likes for the others.
    public var id: String?

    /// Makes a context.
    public init(_ type: ContextType, id: String? = nil) {
        self.type = type
        self.id = id
    }

    /// An open-ended talk.
    public static let general = ConsultationContext(.general)
}
