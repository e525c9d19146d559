import JSON

/// A goal that a coach suggests to the apps.
public struct GoalSuggestion: Equatable, Sendable {
    public let title: String
    private let encoded: [UInt8]

    public init(title: String, encoded: [UInt8]) { (self.title, self.encoded) = (title, encoded) }

    /// The body with suggestions: `data: {suggestions, count}`, with the consultation they are for, if any.
    public static func body(_ suggestions: [Self], for consultation: Consultation? = nil) -> [UInt8] {
        JSONWriter.success(reserving: 512 * suggestions.count + 256) { writer in
            writer.array("suggestions") { array in for suggestion in suggestions { array.raw(suggestion.encoded) } }
            writer.member("count", suggestions.count)
            writer.member("persona", ifPresent: consultation?.persona.rawValue)
            writer.member("consultation_id", ifPresent: consultation?.id)
        }
    }
}
