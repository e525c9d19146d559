import Testing

@testable import JSON

@Suite("Numbers") struct JSONNumberTests {
    static let integers: [(String, Int?)] = [
        ("0", 0), ("-0", 0), ("-0.0e5", 0), ("0e999999999999999999999", 0), ("0e-999999999999999999999", 0), ("7", 7),
        ("1.0", 1), ("1e2", 100), ("1.5e1", 15), ("-1.50e2", -150), ("100e-2", 1), ("105e-1", nil), ("1.5", nil),
        ("0.1", nil), ("1e-1", nil), ("12.30e1", 123), ("9223372036854775807", .max), ("9223372036854775808", nil),
        ("-9223372036854775808", .min), ("-9223372036854775808.000", .min), ("-9.223372036854775808e18", .min),
        ("9223372036854775807.0", .max), ("9007199254740993.0", 9_007_199_254_740_993),
        ("1e18", 1_000_000_000_000_000_000),
        ("1e19", nil), ("1e400", nil), ("1e999999999999999999999", nil), ("1e-999999999999999999999", nil),
        ("0.00001e5", 1), ("123456789012345678901234567890", nil),
    ]

    @Test("A number without a fraction converts to an integer if it fits", arguments: integers)
    func isInteger(text: String, expected: Int?) throws {
        #expect(try JSON.parse(text).int == expected)
        #expect(JSONNumber(text)?.int == expected)
    }

    static let doubles: [(String, Double?)] = [
        ("0", 0), ("0.1", 0.1), ("-1.5e3", -1500), ("1e308", 1e308), ("1e309", nil), ("-1e400", nil), ("1e-400", 0),
        ("5e-324", .leastNonzeroMagnitude), ("1.7976931348623157e308", .greatestFiniteMagnitude),
        ("9007199254740993", 9_007_199_254_740_992),
    ]

    @Test("A finite number converts to a double", arguments: doubles)
    func isDouble(text: String, expected: Double?) throws {
        #expect(try JSON.parse(text).double == expected)
    }

    @Test(
        "A parsed number keeps its original spelling",
        arguments: ["1.0", "1", "1e0", "10e-1", "-0", "123456789012345678901234567890"])
    func keepsText(_ text: String) throws {
        #expect(try JSON.parse(text).number?.text == text)
        #expect(JSONNumber(text)?.text == text)
    }

    @Test(
        "JSONNumber rejects any text that is not a JSON number",
        arguments: ["", "+1", "01", "1.", " 1", "1 ", "0x1", "NaN", "1e", "١", "1-"])
    func refused(_ text: String) {
        #expect(JSONNumber(text) == nil)
    }

    static let shortest: [(Double, String)] = [
        (0, "0"), (-0.0, "-0"), (1, "1"), (-2, "-2"), (198, "198"), (37.2, "37.2"), (0.1 + 0.2, "0.30000000000000004"),
        (1e15, "1000000000000000"), (1e16, "1e+16"), (1e21, "1e+21"), (1e-5, "1e-05"),
        (.leastNonzeroMagnitude, "5e-324"),
        (.greatestFiniteMagnitude, "1.7976931348623157e+308"), (9_007_199_254_740_991, "9007199254740991"),
        (9_007_199_254_740_992, "9007199254740992"), (1.5e300, "1.5e+300"),
    ]

    @Test("The writer prints the shortest form of a double that parses back to the same value", arguments: shortest)
    func isWrittenShortest(value: Double, text: String) {
        #expect(JSONNumber(value).text == text)
        #expect(JSONNumber(text)?.double == value)
        var writer = JSONWriter()
        writer.value(value)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
    }

    static let fixed: [(Double, Int, String)] = [
        (198, 1, "198.0"), (198, 0, "198"), (37.2, 1, "37.2"), (37.25, 1, "37.3"), (37.24, 1, "37.2"), (0.15, 1, "0.2"),
        (1.005, 2, "1.01"), (-1.005, 2, "-1.01"), (0.5, 0, "1"), (-0.5, 0, "-1"), (0.4, 0, "0"), (-0.04, 1, "0.0"),
        (-0.0, 2, "0.00"), (9.99, 1, "10.0"), (99.96, 1, "100.0"), (0, 3, "0.000"), (6e-5, 4, "0.0001"),
        (4e-5, 4, "0.0000"),
        (.leastNonzeroMagnitude, 2, "0.00"), (1e16, 1, "10000000000000000.0"), (1.5e20, 0, "150000000000000000000"),
        (0.05, 1, "0.1"),
        (1234.5678, 17, "1234.56780000000000000"), (0.95, 1, "1.0"),
    ]

    @Test("The writer prints the requested number of digits after the decimal point", arguments: fixed)
    func isWrittenFixed(value: Double, digits: Int, text: String) {
        var writer = JSONWriter()
        writer.value(fixed: value, fractionDigits: digits)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
    }

    static let scaled: [(Int, Int, String)] = [
        (372, 1, "37.2"), (0, 1, "0.0"), (5, 1, "0.5"), (-5, 1, "-0.5"), (10, 1, "1.0"), (1_234, 3, "1.234"),
        (7, 3, "0.007"), (-1_070, 3, "-1.070"), (.max, 1, "922337203685477580.7"), (.min, 17, "-92.23372036854775808"),
    ]

    @Test("The writer prints a scaled integer with its decimal point", arguments: scaled)
    func isWrittenScaled(value: Int, digits: Int, text: String) {
        var writer = JSONWriter()
        writer.value(value, fractionDigits: digits)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
    }

    @Test("The writer prints integers exactly", arguments: [0, 1, -1, 9, 10, -10, 99, 100, 123_456_789, .max, .min])
    func isWrittenAsInteger(_ value: Int) {
        var writer = JSONWriter()
        writer.value(value)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == String(value))
        #expect(JSONNumber(value).int == value)
    }
}
