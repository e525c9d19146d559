import FitIQAPI
import Foundation
import JSON
import Judging
import TestSupport
import Testing

@testable import ContractSuite
@testable import fitiq_mock

@Suite("Options of explore, and the file of --resume")
struct ExploreTests {
    private static let identity = ExploreMemory.Identity(seed: 1, options: ["a"], base: ["sh", "-c", "x"])

    private static func lesson(_ number: Int) -> Lesson {
        var lesson = Lesson()
        lesson.acted = [number % 3]
        lesson.points = [FaultPoint(.request(.createGoal, number), in: Situation(index: number))]
        lesson.sightings = [Lesson.Sighting(id: "explore/crash", situation: Situation(index: number))]
        return lesson
    }

    private func withFile<Result>(_ body: (String) throws -> Result) throws -> Result {
        let folder = try ScratchFolder()
        defer { folder.remove() }
        return try body(folder["memory"].path)
    }

    @Test("--confirm is K/N, 1 ≤ K ≤ N ≤ 20")
    func confirmation() {
        for text in ["1/1", "2/3", "20/20", "1/20"] {
            #expect(Explorer.Confirmation(argument: text)?.description == text)
        }
        for text in [
            "", "1", "/", "0/1", "2/1", "1/21", "21/21", "-1/2", "1/2/3", "1//2", "/1/2", "1/2/", "a/b", "1 /2",
        ] {
            #expect(Explorer.Confirmation(argument: text) == nil, "\(text)")
        }
    }

    @Test("Families are those of --only, or all, without those of --without")
    func families() throws {
        #expect(try FaultFamilies.chosen(only: [], without: []) == Set(FaultKind.Family.allCases))
        #expect(try FaultFamilies.chosen(only: ["cut", "late"], without: ["late"]) == [.cut])
        #expect(try FaultFamilies.chosen(only: [], without: ["cut"]).count == FaultKind.Family.allCases.count - 1)
        #expect(throws: Failure.self) { try FaultFamilies.chosen(only: ["cut"], without: ["cut"]) }
        #expect(throws: Failure.self) { try FaultFamilies.chosen(only: ["Cut"], without: []) }
        let table = FaultFamilies.table(Set(FaultKind.Family.allCases)).split(separator: "\n")
        #expect(table.count == FaultKind.all.count)
        let width = FaultKind.Family.allCases.map(\.rawValue.count).max() ?? 0
        for (line, kind) in zip(table, FaultKind.all) {
            let family = kind.family.rawValue
            let space = String(repeating: " ", count: width - family.count + 2)
            #expect(line.hasPrefix(family + space + kind.id + " "), "\(line)")
            if kind.sort.list != "faults" { #expect(line.hasSuffix(fitiq_mock.Messages.noRule), "\(line)") }
        }
    }

    @Test(
        "What is out of its range is told; what is left out is in range",
        arguments: [
            (["--runs", "0"], fitiq_mock.Messages.badRuns), (["--jobs", "17"], fitiq_mock.Messages.badJobs),
            (["--budget", "0s"], fitiq_mock.Messages.badBudget),
        ])
    func ranges(options: [String], message: String) throws {
        let explore = try Explore.parse(options + ["--quiet", "--", "true"])
        let failure = #expect(throws: Failure.self) { try explore.run() }
        #expect(failure?.message == message)
    }

    @Test("A memory gives back what was kept, also with a line that was cut off, and goes on behind it")
    func memory() throws {
        try withFile { path in
            let memory = try ExploreMemory(path, of: Self.identity)
            for number in 1...5 { try memory.keep(Self.lesson(number), of: "0 a\(number)") }
            #expect(memory.lesson(of: "0 a1") == nil, "It is read once; a run asks for nothing that it has kept.")
            let whole = try Data(contentsOf: URL(fileURLWithPath: path))
            for cut in 0..<40 {
                try whole.dropLast(cut).write(to: URL(fileURLWithPath: path))
                let again = try ExploreMemory(path, of: Self.identity)
                for number in 1...4 { #expect(again.lesson(of: "0 a\(number)") == Self.lesson(number)) }
                #expect((again.lesson(of: "0 a5") == nil) == (cut > 0))
                try again.keep(Self.lesson(5), of: "0 a5")
                let restored = try ExploreMemory(path, of: Self.identity)
                #expect(restored.lesson(of: "0 a5") == Self.lesson(5))
            }
        }
    }

    @Test("The memory of another exploration, and any other file, is refused and left as it is")
    func otherMemory() throws {
        try withFile { path in
            _ = try ExploreMemory(path, of: Self.identity)
            let others = [
                ExploreMemory.Identity(seed: 2, options: ["a"], base: ["sh", "-c", "x"]),
                ExploreMemory.Identity(seed: 1, options: ["b"], base: ["sh", "-c", "x"]),
                ExploreMemory.Identity(seed: 1, options: ["a"], base: ["sh", "-c x"]),
            ]
            for other in others {
                let failure = #expect(throws: Failure.self) { _ = try ExploreMemory(path, of: other) }
                #expect(failure?.exitCode == 2)
            }
            for text in ["x", "x\n", "{}\n", "\n", "[1]\n", "{\"format\":2}\n"] {
                try Data(text.utf8).write(to: URL(fileURLWithPath: path))
                #expect(throws: Failure.self) { _ = try ExploreMemory(path, of: Self.identity) }
                #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
            }
            try Data().write(to: URL(fileURLWithPath: path))
            #expect(throws: Never.self) { _ = try ExploreMemory(path, of: Self.identity) }
        }
    }

    @Test("A memory with a byte that is not as it was is refused")
    func damaged() throws {
        try withFile { path in
            let memory = try ExploreMemory(path, of: Self.identity)
            for number in 1...3 { try memory.keep(Self.lesson(number), of: "0 a\(number)") }
            let whole = try Data(contentsOf: URL(fileURLWithPath: path))
            for place in whole.indices.dropLast() {
                for byte in Set([UInt8(ascii: "9"), UInt8(ascii: " "), .lineFeed, 0, whole[place] ^ 1]) {
                    guard byte != whole[place] else { continue }
                    var bytes = whole
                    bytes[place] = byte
                    try bytes.write(to: URL(fileURLWithPath: path))
                    let failure = #expect(throws: Failure.self, "\(place) \(byte)") {
                        _ = try ExploreMemory(path, of: Self.identity)
                    }
                    #expect(failure?.exitCode == 2)
                    let line = whole[..<place].count { $0 == .lineFeed } + 1
                    // A header whose words differ is that of another exploration.
                    let isOther = line == 1 && failure?.message.contains("another exploration") == true
                    #expect(
                        isOther || failure?.message == Messages.damagedMemory(path, line: line),
                        "\(place) \(byte): \(failure?.message ?? "")")
                }
            }
        }
    }

    @Test("Progress says what was tried")
    func progress() {
        var counts = Agenda.Counts()
        counts.singles = 380
        counts.pairs = 32
        counts.points = 57
        #expect(
            Messages.explored(counts, findings: 3, seconds: 72)
                == "412 schedules (380 single, 32 pairs), 57 points, 3 findings, 1m12s")
        #expect(
            Messages.explored(Agenda.Counts(), findings: 1, seconds: 9)
                == "0 schedules, 0 points, 1 finding, 9s")
        #expect(Messages.explored(Agenda.Counts(), findings: 2, seconds: 60).hasSuffix(", 2 findings, 1m00s"))
    }
}
