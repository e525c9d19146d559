import Foundation
import TestSupport
import Testing

@testable import Judging

@Suite("docs/obligations.md")
struct ObligationTableTests {
    @Test("has a row for each obligation, with its level, source, clause, tolerance and scenarios")
    func page() throws {
        let page = try textOfPackage("docs/obligations.md")
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }.map(String.init)
        let expected = Judge.obligations.map(Self.row) + Obligation.inside.map(Self.insideRow)
        for (row, wanted) in zip(rows, expected) where row != wanted {
            Issue.record("docs/obligations.md has the row\n\(row)\nwhere the code says\n\(wanted)")
        }
        #expect(rows.count == expected.count, "The rows are to be:\n\(expected.joined(separator: "\n"))")
    }

    /// A row of what the server sees.
    private static func row(_ obligation: Obligation) -> String {
        let clause = [obligation.clause, obligation.tolerance].compactMap { $0 }.joined(separator: " ")
        let scenarios = obligation.scenarios.joined(separator: ", ")
        return
            "| `\(obligation.id)` | \(obligation.level.rawValue) | \(source(of: obligation)) | \(clause) | \(scenarios) |"
            .replacing("|  |", with: "| |")
    }

    /// A row of what only an adapter can tell.
    private static func insideRow(_ obligation: Obligation) -> String {
        "| `\(obligation.id)` | \(obligation.level.rawValue) | \(source(of: obligation)) | \(obligation.clause) |"
    }

    private static func source(of obligation: Obligation) -> String {
        obligation.origin == .ours ? "fitiq-mock" : Messages.source(of: obligation)
    }

}
