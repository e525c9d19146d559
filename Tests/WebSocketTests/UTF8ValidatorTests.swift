import TestSupport
import Testing

@testable import WebSocket

@Suite("RFC 3629: incremental UTF-8 validation")
struct UTF8ValidatorTests {
    /// The verdict on some text: the index of the first invalid byte, or whether it ends between characters.
    enum Verdict: Equatable {
        case invalid(at: Int)
        case valid
        case unfinished
    }

    static func verdict(on pieces: [ArraySlice<UInt8>]) -> Verdict {
        var validator = UTF8Validator()
        var before = 0
        for piece in pieces {
            if let index = piece.withUnsafeBytes({ validator.consume($0) }) { return .invalid(at: before + index) }
            before += piece.count
        }
        return validator.isAtBoundary ? .valid : .unfinished
    }

    struct Text: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        let verdict: Verdict
        var testDescription: String { name }

        init(_ name: String, _ bytes: [UInt8], _ verdict: Verdict) {
            (self.name, self.bytes, self.verdict) = (name, bytes, verdict)
        }
    }

    static let texts = [
        Text("empty", [], .valid),
        Text("first of each length", [0x00, 0xC2, 0x80, 0xE0, 0xA0, 0x80, 0xF0, 0x90, 0x80, 0x80], .valid),
        Text("last of each length", [0x7F, 0xDF, 0xBF, 0xEF, 0xBF, 0xBF, 0xF4, 0x8F, 0xBF, 0xBF], .valid),
        Text("around the surrogates", [0xED, 0x9F, 0xBF, 0xEE, 0x80, 0x80], .valid),
        Text("noncharacter", [0xEF, 0xBF, 0xBE], .valid),
        Text("stray 80", [0x80], .invalid(at: 0)),
        Text("stray BF after ASCII", [0x61, 0xBF], .invalid(at: 1)),
        Text("C0", [0xC0, 0x80], .invalid(at: 0)),
        Text("C1", [0xC1, 0xBF], .invalid(at: 0)),
        Text("overlong of three, at its second byte", [0xE0, 0x9F, 0xBF], .invalid(at: 1)),
        Text("overlong of four, at its second byte", [0xF0, 0x8F, 0xBF, 0xBF], .invalid(at: 1)),
        Text("first surrogate", [0xED, 0xA0, 0x80, 0x61], .invalid(at: 1)),
        Text("last surrogate", [0xED, 0xBF, 0xBF, 0x61], .invalid(at: 1)),
        Text("above U+10FFFF", [0xF4, 0x90, 0x80, 0x80], .invalid(at: 1)),
        Text("F5", [0xF5, 0x80, 0x80, 0x80], .invalid(at: 0)),
        Text("F8, five bytes", [0xF8, 0x88, 0x80, 0x80, 0x80], .invalid(at: 0)),
        Text("FE", [0xFE], .invalid(at: 0)),
        Text("FF", [0xFF], .invalid(at: 0)),
        Text("two of two missing", [0x61, 0xC3], .unfinished),
        Text("three of three missing", [0xE2, 0x82], .unfinished),
        Text("four of four missing", [0xF0, 0x9F, 0xA5], .unfinished),
        Text("ASCII where a tail is due", [0xE2, 0x82, 0x61, 0x61], .invalid(at: 2)),
        Text("first byte where a tail is due", [0xF0, 0x9F, 0xC3, 0xA9], .invalid(at: 2)),
        Text("bad third byte of four", [0xF0, 0x9F, 0x7F, 0x80], .invalid(at: 2)),
        Text("bad fourth byte of four", [0xF0, 0x9F, 0x80, 0xC0], .invalid(at: 3)),
        Text("after seven ASCII", Array(repeating: 0x61, count: 7) + [0xC3, 0xA9, 0xFF], .invalid(at: 9)),
        Text("after eight ASCII", Array(repeating: 0x61, count: 8) + [0xFF], .invalid(at: 8)),
        Text("after 33 ASCII", Array(repeating: 0x61, count: 33) + [0xFF, 0x61], .invalid(at: 33)),
        Text("ASCII after a bad byte does not hide it", [0xFF] + Array(repeating: 0x61, count: 40), .invalid(at: 0)),
    ]

    @Test("Validation fails at the first invalid byte, however the text is split", arguments: texts)
    func stress(text: Text) {
        #expect(Self.verdict(on: [text.bytes[...]]) == text.verdict)
        for pieces in splits(of: text.bytes) {
            #expect(Self.verdict(on: pieces) == text.verdict, "cut after \(pieces.first?.count ?? 0)")
        }
        // With padding, the fast paths see the same bytes at different distances from the end.
        for padding in 1...9 {
            let padded = text.bytes + Array(repeating: 0x78, count: padding)
            guard case .unfinished = text.verdict else {
                #expect(Self.verdict(on: [padded[...]]) == text.verdict)
                continue
            }
            #expect(Self.verdict(on: [padded[...]]) == .invalid(at: text.bytes.count))
        }
    }

    @Test("Validation finds a bad byte at any offset in ASCII")
    func everyPlace() {
        for place in 0..<110 {
            var text = [UInt8](repeating: 0x61, count: 110)
            text[place] = 0xFF
            #expect(Self.verdict(on: [text[...]]) == .invalid(at: place))
        }
    }

    @Test("Validation of every pair of first bytes follows RFC 3629's grammar")
    func exhaustive() {
        var disagreements: [String] = []
        for a in UInt8.min...UInt8.max {
            for b in UInt8.min...UInt8.max {
                let two: [UInt8] = [a, b]
                let three: [UInt8] = [a, b, 0x80, 0x80]
                for text in [two, three] where Self.verdict(on: [text[...]]) != Self.naive(text) {
                    disagreements.append("\(text)")
                }
            }
        }
        #expect(disagreements == [])
    }

    @Test(
        "Validation agrees with Swift's own decoder on random bytes",
        arguments: 1...40 as ClosedRange<UInt64>)
    func random(seed: UInt64) {
        var generator = Draw(seed: seed)
        for round in 0..<100 {
            let text = Self.mostlyText(using: &generator)
            let expected = Self.naive(text)
            let context = "seed \(seed), round \(round): \(text)"
            #expect((expected == .valid) == (String(validating: text, as: UTF8.self) != nil), "\(context)")
            #expect(Self.verdict(on: [text[...]]) == expected, "\(context)")
            let cut = Int.random(in: 0...text.count, using: &generator)
            #expect(Self.verdict(on: [text[..<cut], text[cut...]]) == expected, "\(context), cut after \(cut)")
            #expect(Self.verdict(on: text.indices.map { text[$0...$0] }) == expected, "\(context), in single bytes")
        }
    }

    /// Text with characters of all lengths; in half of the cases, one byte is changed or cut off.
    static func mostlyText(using generator: inout Draw) -> [UInt8] {
        var text: [UInt8] = []
        for _ in 0..<Int.random(in: 0...12, using: &generator) {
            let highest: UInt32 = [0x7F, 0x7FF, 0xFFFF, 0x10FFFF].randomElement(using: &generator) ?? 0x7F
            guard let scalar = Unicode.Scalar(UInt32.random(in: 0...highest, using: &generator)) else { continue }
            text += Array(String(Character(scalar)).utf8)
            if Bool.random(using: &generator) {
                text += Array(repeating: 0x61, count: Int.random(in: 0...40, using: &generator))
            }
        }
        guard !text.isEmpty, Bool.random(using: &generator) else { return text }
        let place = Int.random(in: 0..<text.count, using: &generator)
        if Bool.random(using: &generator) {
            text[place] = UInt8.random(in: 0...255, using: &generator)
        } else {
            text.removeSubrange(place...)
        }
        return text
    }

    /// The grammar of RFC 3629 §4, written out: for each first byte, the tails that it allows.
    static func naive(_ text: [UInt8]) -> Verdict {
        let tail: ClosedRange<UInt8> = 0x80...0xBF
        var index = 0
        while index < text.count {
            let tails: [ClosedRange<UInt8>]
            switch text[index] {
            case 0x00...0x7F: tails = []
            case 0xC2...0xDF: tails = [tail]
            case 0xE0: tails = [0xA0...0xBF, tail]
            case 0xE1...0xEC, 0xEE...0xEF: tails = [tail, tail]
            case 0xED: tails = [0x80...0x9F, tail]
            case 0xF0: tails = [0x90...0xBF, tail, tail]
            case 0xF1...0xF3: tails = [tail, tail, tail]
            case 0xF4: tails = [0x80...0x8F, tail, tail]
            default: return .invalid(at: index)
            }
            index += 1
            for allowed in tails {
                guard index < text.count else { return .unfinished }
                guard allowed.contains(text[index]) else { return .invalid(at: index) }
                index += 1
            }
        }
        return .valid
    }
}
