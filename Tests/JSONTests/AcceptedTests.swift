import Testing

@testable import JSON

/// A JSON text, and its compact form if that differs.
struct Accepted: Sendable, CustomTestStringConvertible {
    var text: String
    var compact: String

    init(_ text: String, as compact: String? = nil) {
        self.text = text
        self.compact = compact ?? text
    }

    var testDescription: String { text.debugDescription }
}

@Suite("Valid JSON texts") struct AcceptedTests {
    static let structures: [Accepted] = [
        .init("[]"), .init("{}"), .init("[[]]"), .init("[[],[[]]]"), .init(#"{"a":{}}"#), .init(#"{"a":[]}"#),
        .init(#"[{"a":[{"b":null}]}]"#), .init("[1,2,3]"), .init("[null,true,false]"), .init("[1,null,null,2]"),
        .init(#"{"":0}"#), .init(#"{"a":"b"}"#), .init(#"{"a":1,"b":2}"#), .init(#"{"b":2,"a":1}"#),
        .init(#"{"a":1,"a":2}"#, as: #"{"a":2}"#), .init(#"{"a":1,"b":0,"a":1}"#, as: #"{"a":1,"b":0}"#),
        .init(#"{"a\u0000b":1}"#), .init(#"{"asd":"sdf","dfg":"fgh"}"#),
        .init("null"), .init("true"), .init("false"), .init(#""""#), .init(#""text""#),
        .init(" [] ", as: "[]"), .init("\t\r\n[ \t\r\n1 \t\r\n, \t\r\n2 \t\r\n] \t\r\n", as: "[1,2]"),
        .init(" { \"a\" : 1 , \"b\" : [ ] } ", as: #"{"a":1,"b":[]}"#), .init("{ }", as: "{}"), .init("[\n]", as: "[]"),
        .init("\n1\n", as: "1"), .init("[1]\n\n", as: "[1]"),
    ]

    static let numbers: [Accepted] = [
        "42", "0", "-0", "1", "-1", "10", "123456789", "0.1", "-0.1", "0.0", "10.01", "0e1", "0e+1", "0E0", "1e2",
        "1E2",
        "1e+2",
        "1e-2", "1E+2", "1E-2", "123e45", "123.456e78", "123.456E-78", "-123", "-0e0", "1e00", "1e-000001", "20e1",
        "-0.000000000000000000000000000000000000000000000000000000000000000000000000000001",
        "9223372036854775807", "-9223372036854775808", "123456789012345678901234567890", "1e400",
        "1.000000000000000005",
    ].map { Accepted($0) }

    static let strings: [Accepted] = [
        .init(#""\"\\\b\f\n\r\t""#), .init(#""\/""#, as: #""/""#), .init(#""/""#), .init(#""\u0000\u001f""#),
        .init(#""\u0041""#, as: #""A""#), .init(#""\u00E9""#, as: #""é""#), .init(#""\u00e9""#, as: #""é""#),
        .init(#""\u0022\u005c""#, as: #""\"\\""#), .init(#""\u000a""#, as: #""\n""#),
        .init(#""\uD83D\uDE00""#, as: "\"😀\""), .init(#""\ud83d\ude00""#, as: "\"😀\""),
        .init(#""\uDBFF\uDFFF""#, as: "\"\u{10FFFF}\""), .init(#""\uD800\uDC00""#, as: "\"\u{10000}\""),
        .init(#""\uFFFF""#, as: "\"\u{FFFF}\""), .init(#""\uFEFF""#, as: "\"\u{FEFF}\""),
        .init(#""\uD7FF\uE000""#, as: "\"\u{D7FF}\u{E000}\""),
        .init("\"é\""), .init("\"€\""), .init("\"😀\""), .init("\"\u{10FFFF}\""), .init("\"\u{FFFF}\""),
        .init("\"\u{7F}\""), .init("\"\u{80}\""), .init("\"\u{2028}\u{2029}\""), .init("\"\u{FEFF}\""),
        .init("\"a/*b*/c\""), .init(#""[,]{:}""#), .init(#""\\u0041""#), .init(#""\\\\""#), .init(#""a\"b""#),
        .init("\"e\u{301}\""), .init("\" \""), .init(#""null""#),
    ]

    @Test("Parsing and encoding a valid document yields its compact form", arguments: structures + numbers + strings)
    func isReadAndWrittenBack(_ accepted: Accepted) throws {
        let value = try JSON.parse(Array(accepted.text.utf8))
        #expect(value.encoded() == Array(accepted.compact.utf8))
        #expect(value.description.utf8.elementsEqual(accepted.compact.utf8))
    }

    @Test(
        "Parsing a slice of an array yields the same value as parsing the whole document",
        arguments: structures + numbers + strings)
    func isReadFromSlice(_ accepted: Accepted) throws {
        let padded = Array("\"{".utf8) + Array(accepted.text.utf8) + Array("]\"".utf8)
        #expect(try JSON.parse(padded[2..<(padded.count - 2)]) == JSON.parse(Array(accepted.text.utf8)))
    }

    @Test("Pretty-printing preserves the value of a document", arguments: structures + numbers + strings, [0, 1, 2, 4])
    func survivesPrettyPrinting(_ accepted: Accepted, indent: Int) throws {
        let value = try JSON.parse(accepted.text)
        #expect(try JSON.parse(value.encoded(indent: indent)).encoded() == Array(accepted.compact.utf8))
    }

    @Test("The parser rejects any byte except white space after a valid document", arguments: structures + strings)
    func refusesWhatFollows(_ accepted: Accepted) {
        for byte in UInt8.min...UInt8.max where !byte.isJSONWhitespace {
            #expect(throws: JSONError.self) { try JSON.parse(Array(accepted.text.utf8) + [byte]) }
        }
    }
}
