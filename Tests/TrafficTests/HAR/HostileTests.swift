import FitIQAPI
import JSON
import Testing

@testable import Traffic

@Suite("Hostile HAR")
struct HostileTests {
    /// Every value of a file in turn becomes each of these.
    private static let odd: [JSONValue] = [
        nil, true, -1, .number(JSONNumber("1e308")!), .number(JSONNumber("9223372036854775807")!),
        .number(JSONNumber("-0.5")!), "", "\u{0}", [], [[]], ["a": nil], .string(String(repeating: "9", count: 400)),
    ]

    @Test("Whatever a member is, reading ends with a session or an error, and what was read can be written")
    func values() throws {
        let sources =
            Dialects.all + [
                String(decoding: HAREncoder.file(Samples.all, creatorVersion: "1"), as: UTF8.self)
            ]
        var (read, refused) = (0, 0)
        for text in sources {
            let root = try JSON.parse(text.replacing(#"\ud83d"#, with: "x"))
            // Each place gets one of them, and each of them many places: all in all of them takes half a minute.
            for (index, path) in Self.paths(of: root).enumerated() {
                for value in [Self.odd[index % Self.odd.count]] {
                    let bytes = Self.replacing(root, path[...], with: value).encoded()
                    guard let file = try? HARFile(reading: bytes, attachment: { Dialects.attachments[$0] }) else {
                        refused += 1
                        continue
                    }
                    read += 1
                    // What a session holds can be written, and read again.
                    let written = HAREncoder.file(file.session, creatorVersion: "1")
                    let again = try HARFile(reading: written)
                    #expect(again.session.entries.count == file.session.entries.count)
                }
            }
        }
        #expect(read > 300 && refused > 50, "\(read), \(refused)")
    }

    private static func paths(of value: JSONValue) -> [[Int]] {
        let children: [JSONValue]
        switch value {
        case .array(let elements): children = elements
        case .object(let object): children = object.map(\.value)
        default: return [[]]
        }
        return [[]] + children.enumerated().flatMap { index, child in paths(of: child).map { [index] + $0 } }
    }

    private static func replacing(_ value: JSONValue, _ path: ArraySlice<Int>, with other: JSONValue) -> JSONValue {
        guard let index = path.first else { return other }
        switch value {
        case .array(var elements):
            elements[index] = replacing(elements[index], path.dropFirst(), with: other)
            return .array(elements)
        case .object(let object):
            return .object(
                JSONObject(
                    object.enumerated().map { position, member in
                        (
                            member.key,
                            position == index ? replacing(member.value, path.dropFirst(), with: other) : member.value
                        )
                    }))
        default: return other
        }
    }

    @Test("Bytes that were changed at random end with a session or an error", arguments: [1, 2, 3, 4] as [UInt64])
    func bytes(_ seed: UInt64) {
        var random = SplitMix(seed: seed)
        let source = HAREncoder.file(Samples.all, creatorVersion: "1")
        for _ in 0..<100 {
            var bytes = source
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
            _ = try? HARFile(reading: bytes)
        }
    }

    private func number(_ text: String) throws -> JSONNumber {
        let number: JSONNumber? = JSONNumber(text)
        return try #require(number)
    }

    private struct SplitMix: RandomNumberGenerator {
        var state: UInt64
        init(seed: UInt64) { state = seed }
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }

    @Test(
        "Lone halves of surrogate pairs are found, pairs and escaped backslashes left alone",
        arguments: [
            (#"\ud83d"#, #"\ufffd"#, 1), (#"\uD83D\uDCAA"#, #"\uD83D\uDCAA"#, 0), (#"\udcff"#, #"\ufffd"#, 1),
            (#"\\ud83d"#, #"\\ud83d"#, 0), (#"\\\ud83d"#, #"\\\ufffd"#, 1),
            (#"\ud83d\ud83d\udcaa"#, #"\ufffd\ud83d\udcaa"#, 1),
            (#"\ud83dx"#, #"\ufffdx"#, 1), (#"\ud83d\n"#, #"\ufffd\n"#, 1), (#"\u00e9\ud83d"#, #"\u00e9\ufffd"#, 1),
            (#"x\ud83d"#, #"x\ufffd"#, 1), (#"\udc00\udc00"#, #"\ufffd\ufffd"#, 2),
            (#"\uD83D\uDCAA\ud83d"#, #"\uD83D\uDCAA\ufffd"#, 1),
            (#"\ud8"#, #"\ud8"#, 0), (#"\"#, #"\"#, 0), (#"\ud83d\u"#, #"\ufffd\u"#, 1),
        ])
    func surrogates(_ text: String, _ expected: String, _ count: Int) {
        var bytes = Array(text.utf8)
        #expect(LoneSurrogates.replace(in: &bytes) == count)
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
    }

    @Test(
        "Numbers are scaled by their digits",
        arguments: [
            ("1738146600.123456", 9, 1_738_146_600_123_456_000), ("0.1234567899", 9, 123_456_789), ("-1.5", 3, -1500),
            ("1738146600123.4569", 6, 1_738_146_600_123_456_900), ("12", 6, 12_000_000), ("1.5e3", 6, 1_500_000_000),
            ("9223372036.854775807", 9, Int64.max), ("9223372036.854775808", 9, nil), ("99999999999999999999", 0, nil),
            ("1e400", 0, nil), ("0.00000000000000000000000001", 3, 0),
        ] as [(String, Int, Int64?)])
    func scaled(_ text: String, _ power: Int, _ expected: Int64?) throws {
        #expect(try number(text).scaled(tenTo: power) == expected)
    }

    @Test(
        "Times of messages are seconds or milliseconds, told apart by value",
        arguments: [
            ("1738146600.5", 1_738_146_600_500_000_000), ("1738146600500", 1_738_146_600_500_000_000),
            ("1738146600500.25", 1_738_146_600_500_250_000), ("0", 0), ("7258118399", 7_258_118_399_000_000_000),
            ("7258118400", nil), ("7258118399999", 7_258_118_399_999_000_000), ("7258118400000", nil), ("-1", nil),
            ("1e300", nil),
            // As seconds they are too late, as milliseconds in 1973.
            ("100000000000", nil), ("100000000001", 100_000_000_001_000_000),
        ] as [(String, Int64?)])
    func messageTimes(_ text: String, _ expected: Int64?) throws {
        #expect(HARTime.message(try number(text))?.nanosecondsSinceEpoch == expected)
    }

    @Test(
        "Dates have fractions of any length, offsets, or neither",
        arguments: [
            ("2025-01-29T10:30:00Z", 0), ("2025-01-29T10:30:00.5Z", 500_000_000),
            ("2025-01-29T10:30:00.123456789123Z", 123_456_789), ("2025-01-29T11:30:00.25+01:00", 250_000_000),
            ("2025-01-29T10:30:00.000001", 1000), ("2025-01-29 10:30:00Z", nil), ("2025-01-29", nil), ("", nil),
            ("2200-01-01T00:00:00Z", nil),
        ] as [(String, Int64?)])
    func dates(_ text: String, _ expected: Int64?) {
        let nanoseconds = HARTime.date(text).map { $0.nanosecondsSinceEpoch - Samples.time().nanosecondsSinceEpoch }
        #expect(nanoseconds == expected)
    }

    @Test(
        "A name is plain if it leads nowhere else and can be seen",
        arguments: [
            ("a", true), (".a", false), ("a.b", true), (String(repeating: "a", count: 255), true),
            (String(repeating: "a", count: 256), false), ("a b", false), ("!", true), ("a\u{7F}", false), ("é", true),
        ])
    func names(_ name: String, _ isPlain: Bool) { #expect(HARAttachments.isPlain(name) == isPlain) }

    @Test(
        "Spans are milliseconds; what is negative or absurd is cut",
        arguments: [
            ("1.5", 1_500_000), ("-1", 0), ("0", 0), ("1e300", HARTime.longest), ("999999999999", HARTime.longest),
            ("315359999999", 315_359_999_999_000_000),
        ] as [(String, Int64)])
    func spans(_ text: String, _ expected: Int64) throws {
        #expect(HARTime.span(try number(text)) == expected)
    }
}
