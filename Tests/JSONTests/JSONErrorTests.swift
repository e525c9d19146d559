import Testing

@testable import JSON

@Suite("JSON error messages") struct JSONErrorTests {
    static let table: [(String, String)] = [
        ("", "line 1, column 1: expected a value but found the end of the text"),
        ("\n  \n", "line 3, column 1: expected a value but found the end of the text"),
        ("[", "line 1, column 2: expected a value or ']' after '[' but found the end of the text"),
        ("[}", "line 1, column 2: expected a value or ']' after '[' but found '}'"),
        ("[1,]", "line 1, column 4: expected a value after ',' but found ']'; remove the trailing comma"),
        ("{\"id\": }", "line 1, column 8: expected a value after ':' but found '}'"),
        (
            "{\"id\": 'x'}",
            "line 1, column 8: expected a value after ':' but found '''; strings need double quotes"
        ),
        (
            "[abc]",
            "line 1, column 2: expected a value or ']' after '[' but found 'abc'; strings need double quotes"
        ),
        ("NaN", "line 1, column 1: expected a value but found 'NaN'; JSON cannot represent it; write null"),
        (
            "True",
            "line 1, column 1: expected a value but found 'True'; the literals are true, false and null, in lower case"
        ),
        ("+1", "line 1, column 1: expected a value but found '+'; a number must not begin with '+'"),
        (".5", "line 1, column 1: expected a value but found '.'; write a digit before the decimal point"),
        ("// x", "line 1, column 1: expected a value but found '/'; JSON has no comments"),
        (
            "abcdefghijklmnopqrstuvwxyz",
            "line 1, column 1: expected a value but found 'abcdefghijklmnopqrst…'; strings need double quotes"
        ),
        ("[\u{1}]", "line 1, column 2: expected a value or ']' after '[' but found U+0001"),
        ("\u{A0}1", "line 1, column 1: expected a value but found U+00A0; only space, tab, CR and LF are white space"),
        ("😀", "line 1, column 1: expected a value but found U+1F600"),
        ("{", "line 1, column 2: expected a member name or '}' after '{' but found the end of the text"),
        (
            "{a:1}",
            "line 1, column 2: expected a member name or '}' after '{' but found 'a'; names need double quotes"
        ),
        (
            "{1:1}",
            "line 1, column 2: expected a member name or '}' after '{' but found '1'; names need double quotes"
        ),
        ("{\"a\":1,}", "line 1, column 8: expected a member name after ',' but found '}'; remove the trailing comma"),
        (
            "{\"a\":1,\n b:2}",
            "line 2, column 2: expected a member name after ',' but found 'b'; names need double quotes"
        ),
        ("{\"a\" 1}", "line 1, column 6: expected ':' after the member name \"a\" but found '1'"),
        ("{\"a\":1 \"b\":2}", "line 1, column 8: expected ',' or '}' after a member but found '\"'"),
        ("[1 2]", "line 1, column 4: expected ',' or ']' after an element but found '2'"),
        ("[1 /* one */]", "line 1, column 4: expected ',' or ']' after an element but found '/'; JSON has no comments"),
        ("{}\r\n\r\n}", "line 3, column 1: expected the end of the text after the value but found '}'"),
        ("-", "line 1, column 2: expected a digit after '-' but found the end of the text"),
        ("-Infinity", "line 1, column 2: expected a digit after '-' but found 'Infinity'"),
        ("1.", "line 1, column 3: expected a digit after the decimal point but found the end of the text"),
        ("[1e,2]", "line 1, column 4: expected a digit in the exponent but found ','"),
        (
            "[007]",
            "line 1, column 2: a number must not begin with 0 unless a decimal point or an exponent follows; drop the zero"
        ),
        (
            "[\n  \"abc]",
            "line 2, column 8: expected '\"' to end the string that begins at line 2, column 3 but found the end of the text"
        ),
        (
            "\"é\n\"",
            #"line 1, column 3: a control character in a string must be escaped: \n instead of U+000A"#
        ),
        (
            "\"\u{1F}\"",
            #"line 1, column 2: a control character in a string must be escaped: \u001f instead of U+001F"#
        ),
        (#""\x41""#, #"line 1, column 2: expected one of "\/bfnrtu after '\' but found 'x41'"#),
        (#""\"#, #"line 1, column 3: expected one of "\/bfnrtu after '\' but found the end of the text"#),
        (#""\u00g0""#, #"line 1, column 6: expected four hexadecimal digits after '\u' but found 'g0'"#),
        (
            #""\uD83D!""#,
            #"line 1, column 2: \uD83D is the first half of a surrogate pair; it must be followed by \uDC00 to \uDFFF"#
        ),
        (
            #""\uD83D\u"#,
            #"line 1, column 10: expected four hexadecimal digits after '\u' but found the end of the text"#
        ),
        (
            #""\uDC00""#,
            #"line 1, column 2: \uDC00 is the second half of a surrogate pair; it must be preceded by \uD800 to \uDBFF"#
        ),
        (
            #""\uDE00""#,
            #"line 1, column 2: \uDE00 is the second half of a surrogate pair; it must be preceded by \uD800 to \uDBFF"#
        ),
        (
            "\u{FEFF}{}",
            "line 1, column 1: JSON text must not begin with a byte order mark (RFC 8259, section 8.1); remove EF BB BF"
        ),
        ("[\r\n", "line 2, column 1: expected a value or ']' after '[' but found the end of the text"),
        ("\r[\r\n\n1\r]]", "line 5, column 2: expected the end of the text after the value but found ']'"),
        ("[\r", "line 2, column 1: expected a value or ']' after '[' but found the end of the text"),
        ("[:]", "line 1, column 2: expected a value or ']' after '[' but found ':'"),
        // A word that begins like a literal appears as a whole in the message.
        ("nul", "line 1, column 1: expected a value but found 'nul'; strings need double quotes"),
        ("nulll", "line 1, column 1: expected a value but found 'nulll'; strings need double quotes"),
        ("truth", "line 1, column 1: expected a value but found 'truth'; strings need double quotes"),
        ("a_b$1!", "line 1, column 1: expected a value but found 'a_b$1'; strings need double quotes"),
        (
            "abcdefghijklmnopqrst",
            "line 1, column 1: expected a value but found 'abcdefghijklmnopqrst'; strings need double quotes"
        ),
        (
            #""\n"#,
            "line 1, column 4: expected '\"' to end the string that begins at line 1, column 1 but found the end of the text"
        ),
        (
            "\u{FEFF}",
            "line 1, column 1: JSON text must not begin with a byte order mark (RFC 8259, section 8.1); remove EF BB BF"
        ),
    ]

    @Test("A JSON error message states the position, the expected token and the actual token", arguments: table)
    func message(text: String, expected: String) {
        let error = #expect(throws: JSONError.self) { try JSON.parse(Array(text.utf8)) }
        #expect(error?.description == expected)
    }

    static let invalidBytes: [([UInt8], String)] = [
        (
            [0x22, 0x61, 0xFF, 0x22],
            "line 1, column 3: the byte 0xFF is not valid UTF-8 here; JSON text must be UTF-8 (RFC 8259, section 8.1)"
        ),
        ([0x0A, 0x80], "line 2, column 1: expected a value but found the byte 0x80, which is not valid UTF-8"),
    ]

    @Test("A JSON error message names the byte that is not UTF-8", arguments: invalidBytes)
    func message(bytes: [UInt8], expected: String) {
        let error = #expect(throws: JSONError.self) { try JSON.parse(bytes) }
        #expect(error?.description == expected)
    }

    static let limits: [(String, JSON.Limits, String)] = [
        ("[[[]]]", .init(depth: 2), "line 1, column 3: more than 2 arrays and objects are nested; nest fewer"),
        ("{\"a\":{}}", .init(depth: 1), "line 1, column 6: more than 1 arrays and objects are nested; nest fewer"),
        ("[1,2]", .init(values: 2), "line 1, column 6: the text has more than 2 values; send fewer at a time"),
        ("[1,2,3]", .init(values: 2), "line 1, column 7: the text has more than 2 values; send fewer at a time"),
        ("[10]", .init(bytes: 3), "line 1, column 4: the text has 4 bytes, and the limit is 3; send less at a time"),
    ]

    @Test("A JSON error message names the limit", arguments: limits)
    func message(text: String, limits: JSON.Limits, expected: String) {
        let error = #expect(throws: JSONError.self) { try JSON.parse(text, limits: limits) }
        #expect(error?.description == expected)
    }
}
