import FitIQAPI
import TestSupport
import Testing

@testable import Scenarios

/// Randomly mutated files, each of which parses as a scenario or reports mistakes with their positions.
@Suite("Random changes to scenarios")
struct MutationTests {
    @Test("The reader accepts a randomly changed file or reports an error's location", arguments: Scenario.builtInNames)
    func changes(_ name: String) throws {
        let original = Array(try #require(Scenario.builtInText(named: name)).utf8)
        // Each file gets different changes, but the same ones in every run.
        var numbers = Draw(seed: UInt64(Scenario.builtInNames.firstIndex(of: name) ?? 0))
        var refused = 0
        for _ in 0..<100 {
            let bytes = Self.changed(original, &numbers)
            do {
                _ = try Scenario.read(bytes, file: "f.yaml")
            } catch {
                refused += 1
                #expect(!error.mistakes.isEmpty && error.mistakes.count <= 50)
                for mistake in error.mistakes {
                    #expect((mistake.line ?? 0) >= 1 && (mistake.column ?? 0) >= 1, "\(mistake)")
                    #expect(mistake.message.hasSuffix(".") || mistake.message.hasSuffix("?"), "\(mistake)")
                }
            }
        }
        #expect(refused > 10)
    }

    /// One to four changes: a byte replaced, removed or inserted, or a piece copied elsewhere.
    private static func changed(_ original: [UInt8], _ numbers: inout Draw) -> [UInt8] {
        let special = Array("\n\t :-[]{},\"'&*!|>%@`#?~0a\0\u{7F}é".utf8) + [0xFF]
        var bytes = original
        for _ in 0...numbers.below(4) {
            let place = numbers.below(bytes.count)
            let byte =
                numbers.once(in: 2)
                ? numbers.element(of: special) : UInt8(numbers.below(256))
            switch numbers.below(4) {
            case 0: bytes[place] = byte
            case 1 where bytes.count > 1: bytes.remove(at: place)
            case 2: bytes.insert(byte, at: place)
            default:
                let end = min(bytes.count, place + numbers.below(40))
                bytes.insert(contentsOf: Array(bytes[place..<end]), at: numbers.below(bytes.count))
            }
        }
        return bytes
    }
}
