import JSON
import Testing

@testable import Faults

@Suite("Times with nanoseconds")
struct NanosecondTimestampsTests {
    private static func rewrite(_ json: String, seed: UInt64 = 7) -> String {
        text(NanosecondTimestamps.rewrite(bytes(json), seed: seed))
    }

    /// The digits for the two times below with a seed of 7.
    static let one = "2025-01-29T10:30:00"
    static let two = "2025-01-29T10:30:01"

    static let unchanged: [String] = [
        "", "{}", "[]", #""""#, #""2025-01-29T10:30:00""#, #""2025-01-29T10:30:00z""#, #""2025-01-29 10:30:00Z""#,
        #""2025-01-29T10:30:00.5Z""#, #""x2025-01-29T10:30:00Z""#, #""2025-01-29T10:30:00Zx""#,
        #""\"2025-01-29T10:30:00Z""#, #""2025-01-29T10:30:00Z\"""#, #""at 2025-01-29T10:30:00Z,""#,
        #"{"2025-01-29T10:30:00Z":1}"#, "{\"2025-01-29T10:30:00Z\" \n:1}", "2025-01-29T10:30:00Z",
        #""2025-01-29T10:30:00Z"#, #""\u0032025-01-29T10:30:00Z""#, #""\"#, #"["\\"#, #"["a\"]"#,
        #""20a5-01-29T10:30:00Z""#, #""２025-01-29T10:30Z""#,
    ]

    @Test("Values other than timestamps are unchanged", arguments: unchanged)
    func stays(json: String) { #expect(Self.rewrite(json) == json) }

    static let changed: [(String, Int)] = [
        (#""x""@""#, 1), (#""@""#, 1), (#"{"a":"@"}"#, 1), (#"{"a":"@","b":"@","c":"@"}"#, 3), (#"["@" , "@"]"#, 2),
        (#"{"a\\":"@"}"#, 1), (#"{"a":"\\","b":"@"}"#, 1), (#"{"@":"@"}"#, 1), (#"{"a":"@""#, 1),
    ]

    @Test("Every timestamp gets nine fractional digits", arguments: changed)
    func changes(json: String, count: Int) throws {
        let before = json.split(separator: "@", omittingEmptySubsequences: false)
            .joined(separator: "2025-01-29T10:30:00Z")
        let after = Self.rewrite(before)
        #expect(after.utf8.count == before.utf8.count + count * 10)
        let digits = try #require(after.firstMatch(of: /T10:30:00\.(\d{9})Z/)).output.1
        #expect(after.split(separator: ".\(digits)", omittingEmptySubsequences: false).joined() == before)
        #expect(Self.rewrite(after) == after)
    }

    @Test("The digits depend on the seed and the time but not on the position")
    func digits() throws {
        func fraction(_ time: String, seed: UInt64, in json: String = "@") throws -> Substring {
            let text = json.replacing("@", with: "\"\(time)Z\"")
            return try #require(Self.rewrite(text, seed: seed).firstMatch(of: /\.(\d{9})Z/)).output.1
        }
        #expect(try fraction(Self.one, seed: 7) == fraction(Self.one, seed: 7, in: #"{"later":[1,2,@]}"#))
        #expect(try fraction(Self.one, seed: 7) != fraction(Self.one, seed: 8))
        #expect(try fraction(Self.one, seed: 7) != fraction(Self.two, seed: 7))
        // These values must not change, because transcripts would change with them.
        #expect(try [fraction(Self.one, seed: 7), fraction(Self.two, seed: 7)] == ["858602930", "177882499"])
        let all = try (UInt64(0)..<200).map { try fraction(Self.one, seed: $0) }
        #expect(Set(all).count == 200)
        #expect(Set(all.compactMap(\.first)).count == 10)
    }

    @Test("Rewriting timestamps adjusts the response's Content-Length")
    func response() throws {
        let response = try encode(body: #"{"t":"2025-01-29T10:30:00Z"}"#)
        let out = text(response.apply([.nanosecondTimestamps], seed: 7).bytes)
        #expect(out.contains("\r\nContent-Length: 38\r\n"))
        #expect(readResponse(bytes(out)) == #"200 {"t":"2025-01-29T10:30:00.858602930Z"}"#)
    }

    @Test("Rewriting takes one pass for any number of timestamps")
    func linear() throws {
        let count = 20_000
        let many = "[" + Array(repeating: "\"2025-01-29T10:30:00Z\"", count: count).joined(separator: ",") + "]"
        #expect(Self.rewrite(many).utf8.count == many.utf8.count + 10 * count)
        let quotes = String(repeating: "\"", count: 400_000)
        #expect(Self.rewrite(quotes) == quotes)
        let spaces = "\"2025-01-29T10:30:00Z\"" + String(repeating: " ", count: 400_000)
        #expect(Self.rewrite(spaces).utf8.count == spaces.utf8.count + 10)
    }
}
