import FitIQAPI
import Foundation
import Judging
import Testing

@testable import ContractSuite

@Suite("docs/guides-line-by-line.md")
struct GuidesPageTests {
    /// A row: a requirement from a guide's section, and what checks it.
    private struct Row {
        let section: Substring
        let ask: Substring
        let looks: Substring

        /// The obligations and cases in the row.
        var names: [String] { looks.matches(of: #/`([a-z-]+/[a-z0-9/-]+)`/#).map { String($0.output.1) } }
    }

    /// The rows below each guide's heading, and the prose of the last part.
    private static func page() throws -> (rows: [String: [Row]], ours: String) {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(
            contentsOf: package.appendingPathComponent("docs/guides-line-by-line.md"), encoding: .utf8)
        var (rows, guide, ours): ([String: [Row]], String, String) = ([:], "", "")
        for line in text.split(separator: "\n") {
            if line.hasPrefix("## ") {
                guide = String(line.dropFirst(3))
            } else if line.hasPrefix("| "), !line.hasPrefix("| ---"), !line.hasPrefix("| section ") {
                let cells = line.dropFirst(2).dropLast(2).split(separator: " | ")
                try #require(cells.count == 3, "\(line)")
                rows[guide, default: []].append(Row(section: cells[0], ask: cells[1], looks: cells[2]))
            } else if guide == "Ours" {
                ours += line + "\n"
            }
        }
        return (rows, ours)
    }

    private static let obligations = Judge.obligations + Obligation.inside

    @Test("Each row of a guide names an existing obligation or case, or gives a reason")
    func exists() throws {
        let rows = try Self.page().rows
        #expect(Set(rows.keys) == Set(GuideMode.allCases.filter { $0 != .union }.map(\.rawValue)))
        let known = Set(Self.obligations.map(\.id) + ContractCase.all.map(\.address))
        for (guide, rows) in rows {
            for row in rows {
                for name in row.names { #expect(known.contains(name), "\(guide), \(row.section): \(name)") }
                let isAnswered = !row.names.isEmpty || row.looks.hasPrefix("not checked: ")
                #expect(isAnswered, "\(guide), \(row.section): \(row.looks)")
            }
        }
    }

    @Test("Each obligation appears in the rows of every guide that is its source")
    func isComplete() throws {
        let (rows, ours) = try Self.page()
        for obligation in Self.obligations {
            switch obligation.origin {
            case .all: continue
            case .ours: #expect(ours.contains("`\(obligation.id)`"), "\(obligation.id)")
            case .guides(let guides):
                for guide in guides {
                    let isThere = rows[guide.rawValue]?.contains { $0.names.contains(obligation.id) } ?? false
                    #expect(isThere, "\(guide.rawValue): \(obligation.id)")
                }
            }
        }
    }

    @Test("A case that quotes a guide appears only in that guide's rows")
    func cases() throws {
        let rows = try Self.page().rows
        for contractCase in ContractCase.all where contractCase.topic == "guide" {
            let guide = contractCase.guide?.rawValue ?? ""
            let others = rows.filter { $0.key != guide }.values.joined()
            #expect(!others.contains { $0.names.contains(contractCase.address) }, "\(contractCase.address)")
            let isThere = rows[guide]?.contains { $0.names.contains(contractCase.address) } ?? false
            #expect(isThere, "\(contractCase.address)")
        }
    }
}
