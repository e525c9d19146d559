import JSON
import Testing

@Suite("Exact strings")
struct ExactStringTests {
    /// Texts that are canonically equivalent in Unicode and therefore equal as Swift strings.
    static let twins: [(String, String)] = [
        ("caf\u{E9}", "cafe\u{301}"), ("K", "\u{212A}"), (";", "\u{37E}"), ("`", "\u{1FEF}"), ("\u{C5}", "\u{212B}"),
        ("a string of more than fifteen bytes: \u{E9}", "a string of more than fifteen bytes: e\u{301}"),
    ]

    @Test("Exact strings with different bytes are unequal, ordered and distinct in sets", arguments: twins)
    func bytes(_ first: String, _ second: String) {
        #expect(first == second)
        let (one, other) = (ExactString(first), ExactString(second))
        #expect(one != other && Set([one, other]).count == 2)
        #expect((one < other) != (other < one))
        #expect(!first.isExactly(second) && !Optional(first).isExactly(second))
        #expect(first.isExactlyBefore(second) != second.isExactlyBefore(first))
        #expect([one: 1, other: 2][ExactString(first)] == 1)
    }

    @Test("Exact strings of any length and origin are equal if their bytes are equal", arguments: 0...40)
    func equal(_ length: Int) {
        let text = String(repeating: "a", count: length)
        let (built, part) = (ExactString(text + ""), ExactString("x\(text)".dropFirst()))
        #expect(built == part && built.hashValue == part.hashValue && !(built < part) && !(part < built))
        #expect(text.isExactly(String(part.text)) && built.description == text && Array(built.utf8) == Array(text.utf8))
        #expect(built.isEmpty == (length == 0))
        for place in 0..<length {
            var bytes = Array(text.utf8)
            bytes[place] = UInt8(ascii: "b")
            let changed = ExactString(String(decoding: bytes, as: UTF8.self))
            #expect(built != changed && built < changed && built != ExactString(text + "a"))
        }
    }

    @Test("A nil string is exactly equal only to nil")
    func optional() {
        let none: String? = nil
        #expect(
            none.isExactly(nil) && !none.isExactly("a") && !Optional("a").isExactly(nil) && Optional("a").isExactly("a")
        )
    }

    @Test("Exact comparison of arrays compares the bytes of their strings", arguments: twins)
    func inside(_ first: String, _ second: String) {
        #expect([first] == [second] && ![first].isExactly([second]) && [first].isExactly([first + ""]))
        #expect(![first].isExactly([first + "x"]) && ![first].isExactly([first, first]) && ![1].isExactly([2]))
    }

    @Test("Lower-casing affects only ASCII")
    func lowerCase() {
        #expect(ExactString("AbZ-\u{212A}\u{C9}").asciiLowercased() == "abz-\u{212A}\u{C9}")
    }

    @Test("JSON values compare their strings and member names by bytes", arguments: twins)
    func values(_ first: String, _ second: String) throws {
        let (one, other): (JSONValue, JSONValue) = (.string(first), .string(second))
        #expect(one != other && Set([one, other]).count == 2)
        #expect(one == .string(first) && one.exactString == ExactString(first))
        #expect(JSONValue.array([one]) != .array([other]) && JSONValue(dictionaryLiteral: ("a", one)) != ["a": other])
        let object = try #require(
            try JSON.parse(JSONValue(dictionaryLiteral: (first, 1), (second, 2)).encoded()).object)
        #expect(object.count == 2 && object[first] == 1 && object[second] == 2)
    }
}
