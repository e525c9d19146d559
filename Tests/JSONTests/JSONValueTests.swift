import Testing

@testable import JSON

@Suite("Values") struct JSONValueTests {
    static let document: JSONValue = [
        "id": "a1", "count": 3, "ratio": 0.5, "done": true, "none": nil, "tags": ["x", 2, []], "deep": ["a": ["b": 1]],
    ]

    @Test("Subscripts read the members and elements of values built from literals")
    func access() {
        let document = Self.document
        #expect(document["id"]?.string == "a1")
        #expect(document["count"]?.int == 3)
        #expect(document["count"]?.double == 3)
        #expect(document["ratio"]?.double == 0.5)
        #expect(document["ratio"]?.int == nil)
        #expect(document["done"]?.bool == true)
        #expect(document["none"]?.isNull == true)
        #expect(document["absent"] == nil)
        #expect(document["tags"]?[0]?.string == "x")
        #expect(document["tags"]?.array?.count == 3)
        #expect(document["tags"]?[3] == nil)
        #expect(document["tags"]?[-1] == nil)
        #expect(document["deep"]?["a"]?["b"] == 1)
        #expect(document["id"]?["x"] == nil)
        #expect(document["id"]?[0] == nil)
        #expect(document.object?.count == 7)
    }

    @Test("Each accessor returns nil for a value of a different type")
    func wrongType() {
        let values: [JSONValue] = [nil, true, 1, "x", [], [:]]
        #expect(values.map { $0.bool != nil } == [false, true, false, false, false, false])
        #expect(values.map { $0.int != nil } == [false, false, true, false, false, false])
        #expect(values.map { $0.double != nil } == [false, false, true, false, false, false])
        #expect(values.map { $0.string != nil } == [false, false, false, true, false, false])
        #expect(values.map { $0.array != nil } == [false, false, false, false, true, false])
        #expect(values.map { $0.object != nil } == [false, false, false, false, false, true])
        #expect(values.map(\.isNull) == [true, false, false, false, false, false])
        let names = ["null", "a boolean", "a number", "a string", "an array", "an object"]
        #expect(values.map(\.typeName) == names)
    }

    @Test("A value prints on one line by default")
    func compact() {
        let text = #"{"id":"a1","count":3,"ratio":0.5,"done":true,"none":null,"tags":["x",2,[]],"deep":{"a":{"b":1}}}"#
        #expect(Self.document.description == text)
    }

    @Test("A value prints on several lines with an indent")
    func pretty() {
        let value: JSONValue = ["a": [1, "x\n", []], "b": [:], "c": ["d": nil]]
        let expected = """
            {
              "a": [
                1,
                "x\\n",
                []
              ],
              "b": {},
              "c": {
                "d": null
              }
            }
            """
        #expect(String(decoding: value.encoded(indent: 2), as: UTF8.self) == expected)
    }

    static let excerpts: [(JSONValue, Int, String)] = [
        ("nutritionst", 60, "\"nutritionst\""), (nil, 60, "null"), (12, 60, "12"), (nil, 4, "null"), (nil, 3, "nu…"),
        ("abcdef", 8, "\"abcdef\""), ("abcdef", 7, "\"abcde…"), ("abcdef", 1, "…"), ([1, 2, 3], 60, "[1,2,3]"),
        ([1, 2, 3], 6, "[1,2,…"), (["a": "b", "c": []], 60, #"{"a":"b","c":[]}"#), ("é€😀é€😀", 8, "\"é€😀é€😀\""),
        ("é€😀é€😀", 7, "\"é€😀é€…"), ("a\nb", 60, #""a\nb""#), ("👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 3, "\"…"),
        (
            .string("ab\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}"), 4,
            "\"ab\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\""
        ),
    ]

    @Test("An excerpt shortens a long value", arguments: excerpts)
    func excerpt(value: JSONValue, limit: Int, expected: String) {
        #expect(value.excerpt(limit: limit) == expected)
    }

    @Test("An excerpt is shortened even if only the closing bracket exceeds the limit")
    func excerptAtTheBracket() {
        // The bytes before the bracket are exactly as many as the reader examines: four for each character.
        let nine = "e" + String(repeating: "\u{301}", count: 8)
        let thirteen = "e" + String(repeating: "\u{301}", count: 12)
        #expect(JSONValue.array([.string(nine)]).excerpt(limit: 5) == "[\"\(nine)…")
        #expect(JSONValue(dictionaryLiteral: ("k", .string(thirteen))).excerpt(limit: 8) == "{\"k\":\"\(thirteen)…")
    }

    @Test("Making an excerpt does not print the whole value", arguments: [1, 10, 60])
    func excerptOfMuch(_ limit: Int) {
        let long = JSONValue.string(String(repeating: "é", count: 1_000_000))
        let wide = JSONValue.array(Array(repeating: long, count: 1_000))
        var deep = JSONValue.null
        for _ in 0..<1_000 { deep = ["key": [deep]] }
        for value in [long, wide, deep, ["\(long)": 1]] {
            for _ in 0..<1_000 { #expect(value.excerpt(limit: limit).count <= limit) }
            #expect(value.excerpt(limit: limit).hasSuffix("…"))
        }
    }
}
