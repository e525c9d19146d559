import FitIQAPI
import FitIQClient
import JSON
import Testing

@testable import ContractSuite
@testable import Traffic

@Suite("Answer shapes")
struct ValueShapeTests {
    /// Where the shape of a text differs from the shape of other texts: `path: known ≠ found`.
    private static func deviations(_ known: [String], _ other: String) throws -> [String] {
        var shape = ValueShape()
        for text in known { shape.learn(try JSON.parse(Array(text.utf8))) }
        return shape.deviations(of: try JSON.parse(Array(other.utf8))).map { "\($0.path): \($0.known) ≠ \($0.found)" }
    }

    static let id = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    static let rows: [(known: [String], other: String, deviations: [String])] = [
        // Different values with the same shape.
        (["{}"], "{}", []), ([#"{"a":1}"#], #"{"a":2.5}"#, []), ([#"{"a":"x"}"#], #"{"a":"y z"}"#, []),
        ([#"{"a":true}"#], #"{"a":false}"#, []), (["[1]"], "[]", []), (["[]"], #"[{"a":1}]"#, []),
        ([#"{"a":null}"#], #"{"a":{"b":1}}"#, []), ([#"{"a":null}"#, #"{"a":"x"}"#], #"{"a":null}"#, []),
        ([#"{"a":"x"}"#, "{}"], "{}", []), ([#"{"a":"x"}"#], #"{"a":"\#(id)"}"#, []),
        ([#"{"t":"2025-01-29T10:30:00Z"}"#], #"{"t":"2026-01-29T10:30:00+02:00"}"#, []),
        ([#"{"status":"active"}"#, #"{"status":"done"}"#], #"{"status":"active"}"#, []),
        ([#"{"title":"active"}"#], #"{"title":"other"}"#, []),
        // Kinds.
        ([#"{"a":1}"#], #"{"a":"1"}"#, ["a: a number ≠ a string"]),
        ([#"{"a":"x"}"#], #"{"a":null}"#, ["a: a string ≠ null"]),
        ([#"{"a":1}"#, #"{"a":"x"}"#], #"{"a":true}"#, ["a: a number or a string ≠ true or false"]),
        (["{}"], "[]", [": an object ≠ an array"]),
        ([#"{"a":[{"b":1}]}"#], #"{"a":[{"b":1},{"b":[]}]}"#, ["a[].b: a number ≠ an array"]),
        // Members.
        ([#"{"a":1}"#], "{}", ["a: a number ≠ no such member"]),
        (["{}"], #"{"a":1}"#, ["a: no such member ≠ a number"]),
        (
            [#"{"a":{"b":1,"c":1}}"#, #"{"a":{"b":1}}"#], #"{"a":{"d":"x"}}"#,
            ["a.d: no such member ≠ a string", "a.b: a number ≠ no such member"]
        ),
        // Formats.
        ([#"{"a":"\#(id)"}"#], #"{"a":"\#(id.uppercased())"}"#, ["a: an id in lower case ≠ an id in upper case"]),
        ([#"{"a":"\#(id)"}"#], #"{"a":"goal_1"}"#, ["a: an id in lower case ≠ a string"]),
        (
            [#"{"a":"\#(id)"}"#], #"{"a":"\#(id.replacing("-7425", with: "--7425"))"}"#,
            ["a: an id in lower case ≠ a string"]
        ),
        (
            [#"{"t":"2025-01-29T10:30:00Z"}"#], #"{"t":"2025-01-29T10:30:00.123Z"}"#,
            ["t: a time in whole seconds ≠ a time with 3 fractional digits"]
        ),
        ([#"{"t":"2025-01-29T10:30:00Z"}"#], #"{"t":"2025-01-29"}"#, ["t: a time in whole seconds ≠ a date"]),
        ([#"{"t":"2025-01-29"}"#], #"{"t":"yesterday"}"#, ["t: a date ≠ a string"]),
        // Vocabulary.
        (
            [#"{"meal_type":"lunch"}"#, #"{"meal_type":"snack"}"#], #"{"meal_type":"brunch"}"#,
            ["meal_type: `lunch` or `snack` ≠ `brunch`"]
        ),
        ([#"{"error":{"code":"NOT_FOUND"}}"#], #"{"error":{"code":"404"}}"#, ["error.code: `NOT_FOUND` ≠ `404`"]),
    ]

    @Test("A value deviates only if its kind, members, format or vocabulary differ", arguments: rows.indices)
    func row(_ index: Int) throws {
        let row = Self.rows[index]
        #expect(try Self.deviations(row.known, row.other) == row.deviations)
        // The known values match their own shape.
        for known in row.known { #expect(try Self.deviations(row.known, known).isEmpty) }
    }

    @Test("A case stops playing at the request limit")
    func requestLimit() async throws {
        let request = SessionRequest(method: "GET", url: "http://a/health")
        let entry = SessionExchange(started: Timestamp(secondsSinceEpoch: 0), request: request)
        let contractCase = ContractCase("a/b/c", "Nothing", .ours("Nothing."), steps: [])
        for (count, isPlayed) in [(ConformPlay.requestLimit - 1, true), (ConformPlay.requestLimit, false)] {
            let play = ConformPlay(
                recording: { Session(entries: Array(repeating: entry, count: count)) },
                make: { try FitIQClient(url: "http://127.0.0.1:1", credentials: Credentials(apiKey: "k")) })
            let outcome = try await play.play(contractCase)
            #expect((outcome != nil) == isPlayed)
        }
    }

    @Test("Cases for a real server are short and need no scenario, guide or known id")
    func cases() {
        let cases = ConformPlay.cases
        #expect(cases.count >= 8)
        #expect(cases.contains { $0.leastDuration == .seconds(10) }, "ten seconds are short")
        for each in cases {
            #expect(each.setting == .builtIn("default") && each.guide == nil && each.leastDuration <= .seconds(10))
            let opens = each.steps.contains { if case .perform(.openConsultation) = $0 { true } else { false } }
            #expect(!opens, "\(each)")
        }
        let topics = Set(cases.map(\.topic))
        #expect(topics.isSuperset(of: ["consultation", "chat", "goal", "meal"]))
    }
}
