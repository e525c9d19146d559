import Foundation
import Judging
import Mutants
import Testing

@testable import ContractSuite

@Suite("The guides' own mistakes")
struct GuideMistakeTests {
    private static let goldens = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Goldens")
    private static let variable = "FITIQ_MOCK_WRITE_GOLDENS"

    @Test("A report tells a guide's authors how to correct an error in the guide", arguments: GuideMistake.all)
    func report(_ mistake: GuideMistake) async throws {
        var results: [CaseResult] = []
        for contractCase in mistake.cases {
            let mutation = mistake.tampering()
            results.append(try await Playing.result(of: contractCase, mutation: mutation, mistake.configure))
        }
        let broken = results.reduce(into: Set<String>()) { ids, result in
            ids.formUnion(result.broken.map(\.obligation.id))
            ids.formUnion(result.brokenChecks.map(\.rawValue))
        }
        #expect(broken == mistake.breaks)
        #expect(results.contains { !$0.isPassed || !$0.broken.isEmpty })

        let text = TerminalReport(Report(title: mistake.title, results: results)).text
        let file = Self.goldens.appendingPathComponent(mistake.name + ".txt")
        if ProcessInfo.processInfo.environment[Self.variable] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        guard let golden = try? String(contentsOf: file, encoding: .utf8) else {
            Issue.record(
                """
                Goldens/\(mistake.name).txt is missing: \(Self.variable)=1 swift test --filter GuideMistake writes it.
                """)
            return
        }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let expected = golden.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == expected.count, "The reports have different lengths.")
        for (number, (line, wanted)) in zip(lines, expected).enumerated() where line != wanted {
            Issue.record(
                """
                \(mistake.name).txt:\(number + 1):
                \(line)
                is not
                \(wanted)
                Where the new one is better: \(Self.variable)=1 swift test --filter GuideMistake.
                """)
            break
        }
    }

    @Test("Each golden report belongs to a known error")
    func noGoldenIsLeft() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.goldens.path)
        #expect(Set(names) == Set(GuideMistake.all.map { $0.name + ".txt" }))
    }
}
