import JSON

/// Something that the coach made while it answered (enhanced-consultations, `template_created`).
public struct CreatedTemplate: Equatable, Sendable {
    /// `workout`, `meal_plan`, `goal`: a word of the backend's.
    public var type: String
    /// The id of what was made.
    public var id: String
    /// What it is called.
    public var name: String

    /// Names something.
    public init(type: String, id: String, name: String) {
        self.type = type
        self.id = id
        self.name = name
    }

    /// Writes it as an object.
    public func write(into writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("type", type)
            writer.member("id", id)
            writer.member("name", name)
        }
    }
}
