import Text

/// Messages about comparing a real server with the fake.
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
    static let frame = "the message type"

    static func quoted(_ text: String) -> String { "`\(text.onOneLine(limit: 60).replacing("`", with: "'"))`" }

    // MARK: The report

    static func alike(_ result: Conformance.EndpointResult) -> String {
        "\(result.title): \(result.alike) of \(Words.counted(result.answers, "answer")) matched, "
            + "\(result.alike * 100 / max(1, result.answers)) %"
    }
    static func deviates(_ deviation: Conformance.Deviation) -> String {
        let more = deviation.count == 1 ? "" : ", and in \(Words.counted(deviation.count - 1, "more answer"))"
        return "\(deviation.place): the fake has \(deviation.fake), and upstream has \(deviation.upstream); "
            + "first seen in \(deviation.firstSeen)\(more)."
    }
    static func moreDeviations(_ count: Int) -> String { "and \(Words.counted(count, "more deviation"))." }
    static func sum(_ conformance: Conformance, cases: Int?) -> String {
        let answers = conformance.endpoints.map(\.answers).reduce(0, +)
        let alike = conformance.fidelity.map { ": \($0) % matched" } ?? ""
        let played = cases.map { " in \(Words.counted($0, "case"))" } ?? ""
        return "\(Words.counted(answers, "answer"))\(played)\(alike)."
    }
    static func notCompared(_ count: Int) -> String {
        "\(Words.counted(count, "answer")) from endpoints that the fake lacks \(count == 1 ? "is" : "are") not "
            + "compared."
    }
    static func unanswered(_ count: Int) -> String {
        "\(Words.counted(count, "request")) without an answer \(count == 1 ? "is" : "are") not compared: a "
            + "recording does not show which side gave up."
    }
    static let rowsHeading = ["| endpoint | the fake | upstream | first seen |", "| --- | --- | --- | --- |"]

    // MARK: Unfinished cases

    static let notOurs =
        "the case would write to a consultation that already existed, so the rest of the case is skipped."
    static let unmet = "the event that the case was waiting for did not arrive, so the rest of the case is skipped."
}
