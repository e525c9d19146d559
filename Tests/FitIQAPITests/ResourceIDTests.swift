import Foundation
import Testing

@testable import FitIQAPI

@Suite("Resource ids") struct ResourceIDTests {
    static let text = "6f1c2d3e-4a5b-4c6d-8e7f-0123456789ab"

    @Test(
        "Parsing and printing an id preserves its text",
        arguments: [text, "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"])
    func roundTrip(text: String) {
        #expect(ResourceID(text)?.description == text)
        // A substring is parsed like a string.
        #expect(ResourceID(String("/\(text)/ws".dropFirst().dropLast(3)))?.description == text)
    }

    static let malformed = [
        "", "6", "-", String(repeating: "-", count: 36), String(repeating: "a", count: 36),
        "6f1c2d3e4a5b4c6d8e7f0123456789ab",
        "{6f1c2d3e-4a5b-4c6d-8e7f-0123456789ab}", "urn:uuid:6f1c2d3e-4a5b-4c6d-8e7f-0123456789ab",
        " 6f1c2d3e-4a5b-4c6d-8e7f-0123456789ab", "6f1c2d3e-4a5b-4c6d-8e7f-0123456789ab ",
        "6f1c2d3e-4a5b-4c6d-8e7f-0123456789ab\n", "6f1c2d3e-4a5b-4c6d-8e7f-0123456789ab\0",
        "6f1c2d3e-4a5b-4c6d-8e7f-0123456789ab0", "6f1c2d3e-4a5b-4c6d-8e7f-0123456789a",
        "6f1c2d3-e4a5b-4c6d-8e7f-0123456789ab", "6f1c2d3e-4a5b-4c6d-8e7f0-123456789ab",
        "6f1c2d3e_4a5b_4c6d_8e7f_0123456789ab", "6f1c2d3e–4a5b–4c6d–8e7f–0123456789ab",
        "6f1c2d3g-4a5b-4c6d-8e7f-0123456789ab", "6f1c2d3é-4a5b-4c6d-8e7f-0123456789ab",
        "6f1c2d3\u{FF45}-4a5b-4c6d-8e7f-0123456789ab", "６f1c2d3e-4a5b-4c6d-8e7f-0123456789ab",
        "6f1c2d3e-4a5b-4c6d-8e7f-0123456789a\u{301}", "quick-actions", "null", "{id}",
    ]

    @Test("An id must have 36 characters in the form of a UUID", arguments: malformed)
    func malformedShape(text: String) { #expect(ResourceID.read(text) == .malformed && ResourceID(text) == nil) }

    @Test("An id with any invalid character is malformed", arguments: 0..<36)
    func replaced(position: Int) {
        var bytes = Self.text.bytes
        let isHyphen = bytes[position] == UInt8(ascii: "-")
        for byte in UInt8(0)..<0x80 {
            bytes[position] = byte
            let character = Character(Unicode.Scalar(byte))
            // There is no version 15, so its bits contain free text.
            let isFreeText = position == 14 && (byte | 0x20) == UInt8(ascii: "f")
            let expected = isHyphen ? character == "-" : character.isHexDigit && !isFreeText
            let reading = ResourceID.read(String(decoding: bytes, as: UTF8.self))
            #expect((reading != .malformed) == expected, "byte \(byte)")
            #expect((reading == .wrongCase) == (expected && character.isUppercase), "byte \(byte)")
        }
    }

    static let freeTexts = [
        "a", "_", "backend-123", "test-id", "meal-123", "backend-goal-id", "backend-goal-id-string",
        "zzzzzzzzzzzzzzzzzzzzzz", "aaaaaaaaaaaaaaaaaaaaaa", "______________________", "aaaaaaaaaaa", "aaaaaaaaaaaa",
    ]

    @Test("A scenario may allow ids that are free text", arguments: freeTexts)
    func free(text: String) {
        let id = ResourceID(freeText: text)
        #expect(id?.description == text && ResourceID(text, as: .free) == id)
        #expect(ResourceID(text, as: .lowerCase) == nil && ResourceID(text, as: .anyCase) == nil)
        #expect(Set(Self.freeTexts.map { ResourceID(freeText: $0) }).count == Self.freeTexts.count)
    }

    @Test("A free id has up to 22 allowed characters")
    func notFree() {
        for text in ["", "Test", "a b", "a.b", "é", "aaaaaaaaaaaaaaaaaaaaaaa"] {
            #expect(ResourceID(freeText: text) == nil && ResourceID(text, as: .free) == nil)
        }
        #expect(ResourceID(Self.text, as: .free) == ResourceID(Self.text))
        #expect(ResourceID(Self.text.uppercased(), as: .free) == nil)
    }

    @Test("A truncated id is malformed", arguments: 0..<36)
    func cut(length: Int) {
        #expect(ResourceID.read(String(Self.text.prefix(length))) == .malformed)
        #expect(ResourceID.read(String(Self.text.uppercased().prefix(length))) == .malformed)
    }

    @Test(
        "The error for an uppercase id says that the id is uppercase",
        arguments: ["6F1C2D3E-4A5B-4C6D-8E7F-0123456789AB", "6f1c2d3e-4a5b-4c6d-8e7f-0123456789aB"])
    func wrongCase(text: String) {
        #expect(ResourceID.read(text) == .wrongCase && ResourceID(text) == nil)
        #expect(ResourceID.read(text.lowercased()) == .id(ResourceID(text.lowercased())!))
    }

    @Test("An id without letters has no case")
    func digitsOnly() {
        let text = "01234567-8901-4234-8567-890123456789"
        #expect(text.uppercased() == text)
        #expect(ResourceID(text)?.description == text)
    }

    @Test("Ids agree with Foundation's UUID in lowercase")
    func foundation() throws {
        for _ in 0..<1000 {
            let uuid = UUID()
            #expect(
                ResourceID.read(uuid.uuidString.lowercased())
                    == .id(try #require(ResourceID(uuid.uuidString.lowercased()))))
            #expect(ResourceID(uuid.uuidString.lowercased())?.description == uuid.uuidString.lowercased())
        }
    }

    @Test(
        "An id made from random bits has version 4 and the RFC 9562 variant",
        arguments: [UInt64.min, 1, 0x8000_0000_0000_0000, .max])
    func versionBits(bits: UInt64) {
        for low in [UInt64.min, bits, ~bits, .max] {
            let characters = Array(ResourceID(randomBits: bits, low).description)
            #expect(characters[14] == "4")
            #expect("89ab".contains(characters[19]))
        }
    }

    @Test("An id made from random bits keeps the 122 bits outside the version and the variant")
    func randomBits() {
        #expect(ResourceID(randomBits: .max, .max).description == "ffffffff-ffff-4fff-bfff-ffffffffffff")
        #expect(ResourceID(randomBits: 0, 0).description == "00000000-0000-4000-8000-000000000000")
        #expect(
            ResourceID(randomBits: 0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210).description
                == "01234567-89ab-4def-bedc-ba9876543210")
    }
}

@Suite("Id sequence") struct ResourceIDSequenceTests {
    // These ids were computed from the published algorithms, independently of this code.
    static let known: KeyValuePairs<UInt64, String> = [
        0: "e220a839-7b1d-4daf-ae78-9e6aa1b965f4 06c45d18-8009-454f-b88b-b8a8724c81ec "
            + "1b39896a-51a8-449b-93cb-9f0c747ea2ea",
        42: "bdd73226-2feb-4e95-a8ef-e333b266f103 47526757-130f-4f52-981c-e1ff0e4ae394 "
            + "09bc585a-2448-43f2-9e44-31fa3c80db06",
        .max: "e4d97177-1b65-4c20-a99f-f867dbf682c9 382ff84c-b272-41e9-ad1d-b36ccba982d2 "
            + "b4a0472e-5780-49ae-931d-adbda438bb33",
    ]

    @Test("The seed determines the id sequence", arguments: known)
    func knownSequences(seed: UInt64, ids: String) {
        var sequence = ResourceIDSequence(seed: seed)
        #expect((0..<3).map { _ in sequence.next().description }.joined(separator: " ") == ids)
    }

    @Test("The same seed gives the same id sequence", arguments: [UInt64.min, 1, 42, .max])
    func deterministic(seed: UInt64) {
        var (first, second, other) = (
            ResourceIDSequence(seed: seed), ResourceIDSequence(seed: seed), ResourceIDSequence(seed: seed &+ 1)
        )
        for _ in 0..<100 {
            let id = first.next()
            #expect(id == second.next() && id != other.next())
        }
    }

    @Test("The id sequence never repeats an id")
    func distinct() {
        var sequence = ResourceIDSequence(seed: 7)
        #expect(Set((0..<100_000).map { _ in sequence.next() }).count == 100_000)
    }

    @Test("The id sequence continues after any number of issued ids", arguments: [0, 1, 2, 1000])
    func skipping(count: Int) {
        var (stepped, jumped) = (ResourceIDSequence(seed: 11), ResourceIDSequence(seed: 11, skipping: count))
        for _ in 0..<count { _ = stepped.next() }
        #expect(jumped.issuedCount == count && stepped.issuedCount == count)
        #expect(stepped.next() == jumped.next())
        #expect(jumped.issuedCount == count + 1)
    }

    @Test("The id sequence never skips backwards")
    func skippingTo() {
        var (sequence, fresh) = (ResourceIDSequence(seed: 11, skipping: 5), ResourceIDSequence(seed: 11, skipping: 9))
        sequence.skip(toCount: 3)
        #expect(sequence.issuedCount == 5)
        sequence.skip(toCount: 9)
        #expect(sequence.issuedCount == 9 && sequence.next() == fresh.next())
    }

    @Test(
        "The id sequence skips past a supplied id that it would otherwise issue",
        arguments: [0, 1, 7, 123_456, (1 << 40) - 1])
    func skippingPast(place: Int) {
        for seed in [UInt64.min, 7, .max] {
            var source = ResourceIDSequence(seed: seed, skipping: place)
            let (id, following) = (source.next(), source.next())
            var sequence = ResourceIDSequence(seed: seed)
            sequence.skip(past: id)
            #expect(sequence.issuedCount == place + 1)
            // Skipping past the same id again does not move the sequence.
            sequence.skip(past: id)
            #expect(sequence.issuedCount == place + 1 && sequence.next() == following)

            var other = ResourceIDSequence(seed: seed ^ 0xABCD)
            other.skip(past: id)
            #expect(other.issuedCount == 0)
        }
    }

    @Test("The id sequence ignores its own ids that are too far ahead", arguments: [1 << 40, 1 << 41])
    func skippingFar(place: Int) {
        var source = ResourceIDSequence(seed: 7, skipping: place)
        var sequence = ResourceIDSequence(seed: 7)
        sequence.skip(past: source.next())
        #expect(sequence.issuedCount == 0)
    }

    @Test("A copy of the id sequence continues like the original")
    func copies() {
        var original = ResourceIDSequence(seed: 3)
        _ = original.next()
        var copy = original
        #expect(original.next() == copy.next())
    }
}

@Suite("SplitMix64") struct SplitMix64Tests {
    @Test("SplitMix64 produces the same numbers as the reference implementation")
    func reference() {
        var numbers = SplitMix64(seed: 1_234_567)
        let expected: [UInt64] = [
            6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423, 4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ]
        #expect(expected.map { _ in numbers.next() } == expected)
    }

    @Test("Bounded numbers reach every value below the bound", arguments: [UInt64(1), 2, 7, 100])
    func bounds(bound: UInt64) {
        var numbers = SplitMix64(seed: bound)
        let drawn = Set((0..<10_000).map { _ in numbers.next(below: bound) })
        #expect(drawn == Set(0..<bound))
    }
}
