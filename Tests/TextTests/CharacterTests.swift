import Testing

@testable import Text

@Suite("Characters and codings")
struct CharacterTests {
    @Test("The class of each byte matches its character")
    func classes() {
        for byte in UInt8.min...UInt8.max {
            let character = byte < 0x80 ? Character(Unicode.Scalar(byte)) : "é"
            let isASCII = byte < 0x80
            #expect(byte.isDigit == (isASCII && character.isNumber))
            #expect(byte.isLetter == (isASCII && character.isLetter))
            #expect(byte.isUppercaseLetter == (isASCII && character.isUppercase))
            #expect(byte.isLowercaseLetter == (isASCII && character.isLowercase))
            #expect(byte.isAlphanumeric == (byte.isDigit || byte.isLetter))
            #expect(byte.isHexDigit == (isASCII && character.isHexDigit))
            #expect(byte.hexValue.map(Int.init) == (isASCII ? character.hexDigitValue : nil))
            #expect(byte.isWordCharacter == (byte.isAlphanumeric || "-_".utf8.contains(byte)))
            #expect(byte.isUnreserved == (byte.isAlphanumeric || "-._~".utf8.contains(byte)))
            #expect(byte.isVisible == (33...126).contains(byte))
            #expect(byte.lowercased == (isASCII ? character.lowercased().utf8.first : byte))
        }
    }

    @Test("Each named byte equals its character")
    func names() {
        let named: [UInt8] = [
            .tab, .lineFeed, .carriageReturn, .space, .quote, .hash, .percent, .ampersand, .plus, .comma, .minus, .dot,
            .slash, .digitZero, .colon, .semicolon, .equals, .questionMark, .at, .leftBracket, .backslash,
            .rightBracket,
            .underscore, .leftBrace, .rightBrace,
        ]
        #expect(String(decoding: named, as: UTF8.self) == "\t\n\r \"#%&+,-./0:;=?@[\\]_{}")
    }

    @Test("A byte converts to two hexadecimal digits")
    func hexadecimal() {
        for byte in UInt8.min...UInt8.max {
            #expect(UInt8(byte.lowercaseHex, radix: 16) == byte && byte.lowercaseHex.utf8.count == 2)
            #expect(byte.uppercaseHex == byte.lowercaseHex.uppercased())
        }
    }

    @Test(
        "Four hexadecimal digits convert to a code unit",
        arguments: [("0041", 0x41), ("dEaD", 0xDEAD), ("FFFF0", 0xFFFF), ("123", nil), ("12G4", nil), ("", nil)]
            as [(String, UInt16?)])
    func codeUnits(_ text: String, _ unit: UInt16?) {
        #expect(Array(text.utf8).withUnsafeBufferPointer { $0.hexCodeUnit(at: 0) } == unit)
    }

    // MARK: Percent-coding

    @Test(
        "Decoding replaces valid percent escapes and keeps invalid escapes",
        arguments: [
            ("", "", ""), ("a", "a", "a"), ("%41", "A", "A"), ("a%2fb%2F", "a/b/", "a/b/"), ("a+b", "a+b", "a b"),
            ("%2B+", "++", "+ "), ("%", "%", "%"), ("%4", "%4", "%4"), ("%zz%4", "%zz%4", "%zz%4"),
            ("%%41", "%A", "%A"),
            ("%C3%A9", "é", "é"), ("é", "é", "é"), ("%C3", "\u{FFFD}", "\u{FFFD}"), ("%00", "\0", "\0"),
            ("%+5", "%+5", "% 5"),
        ])
    func decodes(_ text: String, _ inPath: String, _ inQuery: String) {
        #expect(PercentCoding.string(text[...].utf8, plusIsSpace: false) == inPath)
        #expect(PercentCoding.string(text[...].utf8, plusIsSpace: true) == inQuery)
    }

    @Test("Percent-encoding and decoding preserve any bytes")
    func roundTrip() {
        let bytes = Array(UInt8.min...UInt8.max)
        for spaceIsPlus in [false, true] {
            var encoded: [UInt8] = []
            PercentCoding.append(bytes, spaceIsPlus: spaceIsPlus, to: &encoded)
            #expect(encoded.allSatisfy { $0.isUnreserved || $0 == .percent || (spaceIsPlus && $0 == .plus) })
            let decoded = encoded.withUnsafeBufferPointer { PercentCoding.decoded($0, plusIsSpace: spaceIsPlus) }
            #expect(decoded == bytes)
        }
        #expect(PercentCoding.encoded("a b/é~-._") == "a%20b%2F%C3%A9~-._")
    }

    @Test(
        "A query is split at every ampersand, including empty parts",
        arguments: [
            ("", ["-"]), ("a", ["a-"]), ("a=1&", ["a=1", "-"]), ("&a=", ["-", "a="]), ("a&&=b", ["a-", "-", "=b"]),
        ])
    func pieces(_ query: String, _ expected: [String]) {
        var pieces: [String] = []
        Array(query.utf8).withUnsafeBufferPointer { bytes in
            PercentCoding.forEachItem(in: bytes) { name, value in
                pieces.append(
                    String(decoding: name, as: UTF8.self)
                        + (value.map { "=" + String(decoding: $0, as: UTF8.self) } ?? "-"))
            }
        }
        #expect(pieces == expected)
    }

    // MARK: UTF-8

    @Test("The standard library and the table in RFC 3629 agree on sequences of up to four bytes")
    func sequences() {
        let edges: [UInt8] = [
            0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE,
            0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
        ]
        func check(_ bytes: [UInt8]) {
            let length = bytes.withUnsafeBufferPointer { UTF8Sequence.length(at: 0, in: $0) }
            let expected =
                (1...bytes.count).first { count in
                    String(validating: bytes[..<count], as: UTF8.self)?.unicodeScalars.count == 1
                } ?? 0
            #expect(length == expected, "\(bytes)")
        }
        for first in UInt8.min...UInt8.max {
            check([first])
            for second in edges {
                check([first, second])
                for third in edges where first >= 0xE0 {
                    check([first, second, third])
                    if first >= 0xF0 { check([first, second, third, 0x80]) }
                }
            }
        }
    }

    @Test(
        "A cut at a limit does not split a character",
        arguments: [("abc", 2, 2), ("aé", 2, 1), ("a😀", 4, 1), ("a😀", 3, 1), ("a😀", 2, 1), ("a😀", 5, 5), ("é", 0, 0)])
    func boundaries(_ text: String, _ limit: Int, _ expected: Int) {
        #expect(UTF8Sequence.boundary(in: Array(text.utf8), at: limit) == expected)
    }

    @Test("Bytes that are not UTF-8 are cut exactly at the limit")
    func boundaryOfOtherBytes() {
        #expect(UTF8Sequence.boundary(in: [UInt8](repeating: 0x80, count: 9), at: 6) == 6)
        #expect(UTF8Sequence.boundary(in: [0x41, 0xF0] + [UInt8](repeating: 0x80, count: 5), at: 5) == 5)
        #expect(UTF8Sequence.boundary(in: [0x80, 0x80, 0x80], at: 2) == 2)
    }

    @Test("A sequence with fewer bytes than its first byte declares counts as torn")
    func torn() {
        for text in ["é", "€", "😀", "\u{80}", "\u{800}", "\u{10000}"] {
            let bytes = Array(text.utf8)
            for count in 1..<bytes.count { #expect(UTF8Sequence.isTorn(Array(bytes[..<count]))) }
            #expect(!UTF8Sequence.isTorn(bytes))
        }
        #expect(!UTF8Sequence.isTorn([]) && !UTF8Sequence.isTorn([0x41]) && !UTF8Sequence.isTorn([0xE2, 0x41]))
    }

    @Test("Searching bytes finds the same matches as searching text")
    func bytesInBytes() {
        let parts = ["", "a", "ab", "aab", "abab", "aabaa", "abaabab", "b"]
        for text in parts + ["aaab", "abaabaabab", "aabaabaaa", "ababaab", "bbb"] {
            for part in parts {
                #expect(Array(text.utf8).contains(Array(part.utf8)) == (part.isEmpty || text.contains(part)))
            }
        }
    }
}
