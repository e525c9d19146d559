import Testing

@testable import JSON

@Suite("JSON limits") struct LimitTests {
    @Test(
        "The parser accepts nesting up to the depth limit and rejects deeper nesting",
        arguments: [1, 2, 128, JSON.Limits.deepest])
    func depth(_ depth: Int) throws {
        let limits = JSON.Limits(depth: depth)
        for (open, inner, close) in [("[", "", "]"), (#"{"a":"#, "1", "}")] {
            func text(_ levels: Int) -> String {
                String(repeating: open, count: levels) + inner + String(repeating: close, count: levels)
            }
            #expect(try JSON.parse(text(depth), limits: limits).encoded() == Array(text(depth).utf8))
            #expect(throws: JSONError.self) { try JSON.parse(text(depth + 1), limits: limits) }
        }
    }

    @Test("The parser rejects a million open brackets without overflowing the stack")
    func bombs() {
        for text in ["[", "{\"a\":", "[{\"a\":"] {
            #expect(throws: JSONError.self) { try JSON.parse(String(repeating: text, count: 1_000_000)) }
        }
    }

    @Test("The value limit also counts containers", arguments: [("[]", 1), ("[1,2]", 3), (#"{"a":[{}],"b":0}"#, 4)])
    func values(text: String, count: Int) throws {
        #expect(throws: Never.self) { try JSON.parse(text, limits: .init(values: count)) }
        if count > 1 {
            #expect(throws: JSONError.self) { try JSON.parse(text, limits: .init(values: count - 1)) }
        }
    }

    @Test("The byte limit also counts white space")
    func bytes() throws {
        #expect(try JSON.parse(" 1 ", limits: .init(bytes: 3)) == 1)
        #expect(try JSON.parse("1", limits: .init(bytes: 1)) == 1)
        #expect(throws: JSONError.self) { try JSON.parse(" 1  ", limits: .init(bytes: 3)) }
    }

    // Each of these texts would take minutes if parsing took quadratic time.
    @Test("Large objects, repeated names, long strings and long numbers parse in linear time")
    func large() throws {
        let count = 100_000
        let distinct = "{" + (0..<count).map { "\"k\($0)\":\($0)" }.joined(separator: ",") + "}"
        let object = try #require(try JSON.parse(distinct).object)
        #expect(object.count == count)
        #expect(object["k99999"] == 99_999)

        let repeated = "{" + (0..<count).map { "\"k\($0 % 20)\":\($0)" }.joined(separator: ",") + "}"
        #expect(try JSON.parse(repeated)["k19"] == 99_999)

        let string = String(repeating: #"\u00e9x"#, count: count)
        #expect(try JSON.parse("\"\(string)\"").string?.count == 2 * count)

        let number = try JSON.parse("1." + String(repeating: "0", count: 1_000_000) + "e-0")
        #expect(number.int == 1)
    }
}
