import Foundation
import TestSupport
import Testing

/// A seed that failed once, from `Fixtures/simulator/failed-seeds.txt`.
struct FailedSeed: Sendable, CustomTestStringConvertible {
    let seed: UInt64
    let withFaults: Bool
    /// Whether an operator used breakpoints.
    let withBreakpoints: Bool
    /// The symptom.
    let comment: String

    var testDescription: String { "\(seed)\(withFaults ? " with faults" : ""): \(comment)" }

    private struct BadLine: Error, CustomStringConvertible {
        let line: String
        var description: String {
            "failed-seeds.txt: \"\(line)\" is no seed with a comment, such as: 7 [faults] # what it showed"
        }
    }

    /// A line is `SEED # COMMENT`, `SEED faults # COMMENT`, or `SEED breakpoints # COMMENT`, which has faults as well.
    init(line: String) throws {
        let halves = line.split(separator: "#", maxSplits: 1)
        let words = halves.first?.split(separator: " ") ?? []
        guard halves.count == 2, let seed = words.first.flatMap({ UInt64($0) }), words.count <= 2,
            words.count == 1 || ["faults", "breakpoints"].contains(words[1])
        else { throw BadLine(line: line) }
        self.seed = seed
        withFaults = words.count == 2
        withBreakpoints = words.last == "breakpoints"
        comment = halves[1].trimmingCharacters(in: .whitespaces)
        guard !comment.isEmpty else { throw BadLine(line: line) }
    }

    static func all() throws -> [FailedSeed] {
        let text = try textOfPackage("Fixtures/simulator/failed-seeds.txt")
        return try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { try FailedSeed(line: String($0)) }
    }
}

@Suite("Seeds that failed")
struct FailedSeedTests {
    @Test("A failed seed's line contains a seed, the choice of faults and the symptom")
    func reads() throws {
        let plain = try FailedSeed(line: "10 # a crash")
        #expect(plain.seed == 10 && !plain.withFaults && plain.comment == "a crash")
        let faulty = try FailedSeed(line: "11 faults # another")
        #expect(faulty.withFaults && !faulty.withBreakpoints)
        let operated = try FailedSeed(line: "11 breakpoints # another")
        #expect(operated.withFaults && operated.withBreakpoints)
    }

    @Test(
        "The reader rejects a line without a comment or with any other content",
        arguments: ["10", "ten # x", "1 2 # x", "1 #"])
    func refuses(_ line: String) {
        #expect(throws: (any Error).self) { try FailedSeed(line: line) }
    }
}
