import Foundation
import TestSupport
import Testing

@testable import JSON

extension JSONValue {
    static func random(depth: Int, using generator: inout Draw) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &generator) {
        case 0: return .null
        case 1: return .bool(.random(using: &generator))
        case 2: return .number(JSONNumber(Int(truncatingIfNeeded: generator.next())))
        case 3:
            let value = Double(bitPattern: generator.next())
            return .number(JSONNumber(value.isFinite ? value : 0.5))
        case 4, 5: return .string(randomString(using: &generator))
        case 6, 7:
            let count = Int.random(in: 0..<6, using: &generator)
            return .array((0..<count).map { _ in random(depth: depth - 1, using: &generator) })
        default:
            let count = Int.random(in: 0..<25, using: &generator)
            return .object(
                JSONObject(
                    (0..<count).map { _ in
                        (randomString(using: &generator), random(depth: depth - 1, using: &generator))
                    }))
        }
    }

    static func randomString(using generator: inout Draw) -> String {
        let ranges: [ClosedRange<UInt32>] = [0x20...0x7E, 0...0x1F, 0x80...0x7FF, 0x800...0xD7FF, 0x1_0000...0x10_FFFF]
        var string = ""
        for _ in 0..<Int.random(in: 0..<20, using: &generator) {
            let range = ranges.randomElement(using: &generator) ?? 0x20...0x7E
            string.unicodeScalars.append(Unicode.Scalar(.random(in: range, using: &generator)) ?? " ")
        }
        return string
    }
}

@Suite("Round trips") struct RoundTripTests {
    @Test("A random value survives encoding and parsing", arguments: 0..<200 as Range<UInt64>)
    func randomValues(seed: UInt64) throws {
        var generator = Draw(seed: seed)
        let value = JSONValue.random(depth: 4, using: &generator)
        let encoded = value.encoded()
        #expect(try JSON.parse(encoded) == value)
        #expect(try JSON.parse(encoded).encoded() == encoded)
        #expect(try JSON.parse(value.encoded(indent: 2)).encoded() == encoded)
        var writer = JSONWriter()
        writer.value(value)
        #expect(writer.bytes == encoded)
    }

    @Test(
        "A random value survives a round trip through Foundation's JSONSerialization",
        arguments: 0..<100 as Range<UInt64>)
    func foundation(seed: UInt64) throws {
        var generator = Draw(seed: seed)
        let value = JSONValue.random(depth: 3, using: &generator)
        let decoded = try JSONSerialization.jsonObject(with: Data(value.encoded()), options: .fragmentsAllowed)
        let rewritten = try JSONSerialization.data(withJSONObject: [decoded])
        let read = try #require(try JSON.parse(Array(rewritten))[0])
        #expect(shape(of: read) == shape(of: value))
    }

    @Test("A round trip preserves the bits of a double", arguments: 0..<100 as Range<UInt64>)
    func doubles(seed: UInt64) throws {
        var generator = Draw(seed: seed)
        for _ in 0..<50 {
            let value = Double(bitPattern: generator.next())
            guard value.isFinite else { continue }
            var writer = JSONWriter()
            writer.value(value)
            #expect(try JSON.parse(writer.bytes).double?.bitPattern == value.bitPattern)
        }
    }

    @Test("Writing a double with fixed digits rounds it to that many digits", arguments: 0..<100 as Range<UInt64>)
    func fixed(seed: UInt64) throws {
        var generator = Draw(seed: seed)
        for digits in 0...6 {
            let value = Double.random(in: -1_000_000...1_000_000, using: &generator)
            var writer = JSONWriter()
            writer.value(fixed: value, fractionDigits: digits)
            let written = try #require(try JSON.parse(writer.bytes).double)
            #expect(abs(written - value) <= 0.500001 * pow(10, -Double(digits)))
            let fraction = String(decoding: writer.bytes, as: UTF8.self).split(separator: ".").dropFirst().first ?? ""
            #expect(fraction.count == digits)
        }
    }

    /// The value without the text of numbers, which Foundation formats differently.
    private func shape(of value: JSONValue) -> JSONValue {
        switch value {
        case .number: 0
        case .array(let elements): .array(elements.map { shape(of: $0) })
        case .object(let object):
            // Foundation's dictionary cannot contain two names that are equal as Swift strings.
            .object(JSONObject(object.map { ($0.key, shape(of: $0.value)) }))
        default: value
        }
    }
}
