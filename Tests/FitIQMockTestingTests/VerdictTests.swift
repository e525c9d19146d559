import FitIQMockTesting
import Foundation
import Testing

/// Verdicts as the server sends them.
@Suite("Verdicts")
struct VerdictTests {
    private func verdict(
        _ level: String, _ findings: [String] = [], of count: Int = 1, is outcome: String = "broken"
    ) throws -> MockWorld.Verdict {
        let findings = findings.map { #"{"level": "\#($0)", "message": "A \#($0).", "evidence": ["7 GET /"]}"# }
        let json = """
            {"id": "a/b", "level": "\(level)", "clause": "Clients do.", "verdict": "\(outcome)", "exercised": 1,
            "findings": [\(findings.joined(separator: ", "))], "findingCount": \(count), "advice": "Do."}
            """
        return try JSONDecoder().decode(MockWorld.Verdict.self, from: Data(json.utf8))
    }

    @Test("A verdict fails a test if a must is broken, or a should with a finding that is a must")
    func failing() throws {
        #expect(try verdict("must").failsTest)
        #expect(try verdict("should", ["should", "must"]).failsTest)
        #expect(try !verdict("should", ["should"]).failsTest)
        #expect(try !verdict("must", is: "kept").failsTest)
        #expect(try !verdict("must", is: "not_exercised").failsTest)
    }

    @Test("A report says how many findings it leaves out")
    func omission() throws {
        let all = "a/b is broken: Clients do.\n- A must.\n    7 GET /\nHow to fix it: Do."
        #expect(try verdict("must", ["must"]).report == all)
        #expect(try verdict("must", ["must"], of: 3).report == all.replacing("\nHow", with: "\n- And 2 more.\nHow"))
    }
}
