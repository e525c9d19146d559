import HTTP1

/// What a path has to be like: it contains a text, or it fits a template.
public enum PathPattern: Sendable, Equatable {
    /// The path as it arrived, percent-encoded, contains the text.
    case containing(String)
    /// The path has these segments, with any single one where nil stands; a world's `/w/{world}` does not count.
    case template([String?])

    /// Reads `/messages` or `/api/v1/goals/{goalId}`: what has a brace in it is a template, and begins with a slash.
    ///
    /// Nil where it is empty, or a template of another form.
    public init?(_ text: String) {
        guard !text.isEmpty else { return nil }
        guard text.contains("{") || text.contains("}") else {
            self = .containing(text)
            return
        }
        guard text.hasPrefix("/") else { return nil }
        var segments: [String?] = []
        for segment in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            if segment.hasPrefix("{"), segment.hasSuffix("}"), segment.count > 2 {
                segments.append(nil)
            } else if segment.contains("{") || segment.contains("}") {
                return nil
            } else {
                segments.append(String(segment))
            }
        }
        self = .template(segments)
    }

    func matches(_ target: RequestTarget) -> Bool {
        switch self {
        case .containing(let text): return Self.contains(target.path, text)
        case .template(let wanted):
            let segments = target.segmentsInWorld
            return segments.count == wanted.count && zip(segments, wanted).allSatisfy { $1 == nil || $0 == $1 }
        }
    }

    /// Whether a text contains another, byte for byte.
    private static func contains(_ text: String, _ part: String) -> Bool {
        let (text, part) = (Array(text.utf8), Array(part.utf8))
        guard part.count <= text.count else { return false }
        return (0...(text.count - part.count)).contains { start in text[start...].starts(with: part) }
    }
}
