import Testing

@testable import JSON

@Suite("Invalid JSON texts") struct RefusedTests {
    /// Texts, each with the offset of its first invalid byte.
    static let structures: [(String, Int)] = [
        ("", 0), (" ", 1), ("\n", 1), ("[", 1), ("{", 1), ("]", 0), ("}", 0), ("[1,]", 3), ("[1,,2]", 3), ("[,1]", 1),
        ("[,]", 1), ("[1", 2), ("[1,", 3), ("[1 2]", 3), ("[1\n,2", 5), ("[[1]", 4), ("[1]]", 3), ("[1}", 2), ("[}", 1),
        ("[\"a\"", 4), ("[\"a\",\n4,\n1,", 11), ("[1:2]", 2), ("[3[4]]", 2), ("[a]", 1), ("[1]x", 3), ("[][]", 2),
        ("1 2", 2), ("{]", 1), ("{,}", 1), ("{\"a\"}", 4), ("{\"a\":}", 5), ("{\"a\":1", 6), ("{\"a\":1,}", 7),
        ("{\"a\":1,,}", 7), ("{\"a\":1 \"b\":2}", 7), ("{\"a\" \"b\"}", 5), ("{\"a\"::1}", 5), ("{:1}", 1),
        ("{1:1}", 1),
        ("{a:1}", 1), ("{'a':1}", 1), ("{null:1}", 1), ("{[]:1}", 1), ("{\"a\":1}}", 7), ("{\"a\":1]", 6),
        ("{\"a\":1}#", 7), ("{\"a\":1}/**/", 7), ("{\"a\":1}//", 7), ("[1/**/]", 2), ("/**/1", 0), ("#\n1", 0),
        ("{\"a\",\"b\"}", 4), ("{\"a\":1;\"b\":2}", 6), ("{\"a\"=1}", 4), ("{\"x\"", 4), ("{\"x\":", 5),
        ("{\"x\":1,", 7),
        ("{\"x\":1,\"y\"", 10), ("*", 0), ("<null>", 0), ("[\u{0C}]", 1), ("[\u{0B}1]", 1), ("\u{A0}1", 0),
        ("\u{2060}1", 0), ("å", 0), ("[\u{0}]", 1), ("\u{FEFF}1", 0), ("\u{FEFF}", 0), ("123\u{0}", 3),
    ]

    static let scalars: [(String, Int)] = [
        ("nul", 0), ("nulll", 0), ("nullx", 0), ("null1", 0), ("tru", 0), ("truth", 0), ("fals", 0), ("True", 0),
        ("FALSE", 0), ("NULL", 0), ("None", 0), ("nil", 0), ("undefined", 0), ("NaN", 0), ("Infinity", 0), ("-NaN", 1),
        ("-Infinity", 1), ("+1", 0), ("++1", 0), ("+Inf", 0), ("-", 1), ("--1", 1), ("-x", 1), ("- 1", 1), ("-.5", 1),
        (".5", 0), (".", 0), ("1.", 2), ("1.e1", 2), ("1.x", 2), ("0.", 2), ("-1.", 3), ("1e", 2), ("1E", 2),
        ("1e+", 3), ("1e-", 3), ("0e", 2), ("1ee2", 2), ("1e2.3", 3), ("1e+-2", 3), ("1.5.5", 3), ("00", 0), ("01", 0),
        ("-01", 1), ("-00", 1), ("012.5", 0), ("0x1F", 1), ("0b1", 1), ("1_000", 1), ("1 000", 2), ("1,5", 1),
        ("1f", 1),
        ("1a", 1), ("0.3e", 4), ("0.3e+", 5), ("9.e+", 2), ("2.e-3", 2), ("-2.", 3), ("-foo", 1), ("\u{FF11}", 0),
        ("1+1", 1), ("1-1", 1), ("1e1e1", 3), ("'a'", 0), ("`a`", 0), ("a", 0), ("\\u0022a\"", 0),
        ("[1e400000,+2]", 10),
    ]

    static let strings: [(String, Int)] = [
        (#"""#, 1), (#""a"#, 2), (#""a\"#, 3), (#""\""#, 3), (#""\x""#, 1), (#""\a""#, 1), (#""\0""#, 1), (#""\'""#, 1),
        (#""\N""#, 1), (#""\U0041""#, 1), (#""\ ""#, 1), (#""\é""#, 1), (#""\😀""#, 1), (#""\u""#, 3), (#""\u0""#, 4),
        (#""\u00""#, 5), (#""\u004""#, 6), (#""\u004g""#, 6), (#""\u 041""#, 3), (#""\u+041""#, 3), (#""\u{41}""#, 3),
        (#""\u004"#, 6), (#""\uD800""#, 1), (#""\uD800x""#, 1), (#""\uD800\n""#, 1), (#""\uD800\u0041""#, 1),
        (#""\uD800\uD800""#, 1), (#""\uD800\u""#, 9), (#""\uD800\uDC0""#, 12), (#""\uD800\uDC0g""#, 12),
        (#""\uDC00""#, 1),
        (#""\uDFFF""#, 1), (#""a\uDC00\uD800""#, 2), (#""\uDC00\uZZ""#, 1),
        (#""\uDBFF\uE000""#, 1), (#""\uD800\"#, 1), (#""ab"c"#, 4),
        (#""a"b""#, 3), ("\"a\nb\"", 2), ("\"\t\"", 1), ("\"\r\n\"", 1), ("\"\u{0}\"", 1), ("\"\u{1F}\"", 1),
        ("\"a\u{08}", 2),
        ("[\"a\u{0}a\"]", 3), ("{\"\n\":1}", 2), (#"{"a\x":1}"#, 3), (#"{"a"#, 3), (#"{"a\"#, 4),
    ]

    /// Bytes that are not UTF-8 (RFC 3629, section 4), and the offset of the first invalid byte.
    static let bytes: [([UInt8], Int)] = [
        ([0x22, 0x80, 0x22], 1), ([0x22, 0xBF, 0x22], 1), ([0x22, 0xC0, 0x80, 0x22], 1), ([0x22, 0xC1, 0xBF, 0x22], 1),
        ([0x22, 0xC3, 0x22], 1), ([0x22, 0xC3], 1), ([0x22, 0xC3, 0xC3, 0x22], 1), ([0x22, 0xE0, 0x9F, 0xBF, 0x22], 1),
        ([0x22, 0xE0, 0x80, 0x80, 0x22], 1), ([0x22, 0xE2, 0x82, 0x22], 1), ([0x22, 0xE2, 0x82], 1),
        ([0x22, 0xED, 0xA0, 0x80, 0x22], 1), ([0x22, 0xED, 0xBF, 0xBF, 0x22], 1),
        ([0x22, 0xF0, 0x8F, 0xBF, 0xBF, 0x22], 1),
        ([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], 1), ([0x22, 0xF5, 0x80, 0x80, 0x80, 0x22], 1),
        ([0x22, 0xF0, 0x9F, 0x98, 0x22], 1), ([0x22, 0xF0, 0x9F, 0x98], 1), ([0x22, 0xFE, 0x22], 1),
        ([0x22, 0xFF, 0x22], 1),
        ([0x22, 0x61, 0xC3, 0xA9, 0xE9, 0x22], 4), ([0x22, 0x5C, 0xFF, 0x22], 1), ([0xFF], 0), ([0x5B, 0xFF, 0x5D], 1),
        ([0xEF, 0xBB, 0xBF, 0x31], 0), ([0xFE, 0xFF, 0x00, 0x31], 0), ([0xFF, 0xFE, 0x31, 0x00], 0), ([0xEF, 0xBB], 0),
        ([0x31, 0xE5], 1), ([0x7B, 0x22, 0xB9, 0x22, 0x3A, 0x31, 0x7D], 2),
    ]

    @Test("The parser reports the first invalid byte of a document", arguments: structures + scalars + strings)
    func isRefused(text: String, offset: Int) {
        let error = #expect(throws: JSONError.self) { try JSON.parse(Array(text.utf8)) }
        #expect(error?.offset == offset)
    }

    @Test("The parser reports the first byte that is not UTF-8", arguments: bytes)
    func isRefused(bytes: [UInt8], offset: Int) {
        let error = #expect(throws: JSONError.self) { try JSON.parse(bytes) }
        #expect(error?.offset == offset)
    }

    @Test("The parser rejects an invalid value inside an array or an object", arguments: scalars + strings)
    func isRefusedInside(text: String, offset: Int) {
        for (before, after) in [("[", "]"), ("[1,", ",2]"), (#"{"k":"#, "}"), (#"{"k":"#, #","l":1}"#)] {
            // "1,5" and "1 2" are valid in some contexts.
            guard text != "1,5" || before == #"{"k":"# else { continue }
            #expect(throws: JSONError.self) { try JSON.parse(before + text + after) }
        }
    }

    @Test("The parser rejects every proper prefix of a document, at or before its end")
    func prefixes() throws {
        let document = #"""
             {"id": "6f0e", "n": [0, -1.50e+3, 1E-2, {}], "t": true, "f": false, "z": null, "o": {"a": [[]], "": "é€😀"},
            "s": "\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00"}
            """#.utf8
        let bytes = Array(document)
        #expect(throws: Never.self) { try JSON.parse(bytes) }
        for end in bytes.indices {
            let error = #expect(throws: JSONError.self) { try JSON.parse(bytes[..<end]) }
            #expect(try #require(error).offset <= end)
        }
    }

    @Test("Replacing any byte of a document does not crash the parser")
    func replacedBytes() {
        let bytes = Array(#"[{"a":-1.5e3,"é":"\u00e9\uD83D\uDE00"},true,null]"#.utf8)
        for index in bytes.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = bytes
                changed[index] = byte
                guard let value = try? JSON.parse(changed) else { continue }
                // A parsed value can be written and parsed again.
                #expect((try? JSON.parse(value.encoded())) == value)
            }
        }
    }
}
