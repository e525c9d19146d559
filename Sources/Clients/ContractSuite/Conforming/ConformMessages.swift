import Text

/// What a comparison of a real server with the fake says.
enum ConformMessages {
    static let noMember = "no such member"
    static let noAnswer = "no answer"
    static let notJSON = "not JSON"
    static let json = "JSON"
    static let noBody = "no body"
    static let noMediaType = "no media type"
    static let status = "the status"
    static let mediaType = "the media type"
    static let body = "the body"
    static let frame = "the type of a message"

    static func quoted(_ text: String) -> String { "`\(text.onOneLine(limit: 60).replacing("`", with: "'"))`" }
    /// The place of a value in an answer: `201, data.created_at`.
    static func place(_ kind: String, _ path: String) -> String { path.isEmpty ? kind : "\(kind), \(path)" }
    static func notCompared(_ count: Int) -> String {
        "\(Words.counted(count, "answer")) of endpoints that the fake is not asked for \(count == 1 ? "is" : "are") not compared."
    }

    // MARK: Cases that are not played to their end

    static let notOurs =
        "it would write to a consultation that was there before, so the rest of the case is left out."
    static let unmet = "what the case waits for did not show."
}
