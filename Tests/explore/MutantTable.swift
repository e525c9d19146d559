import ArgumentParser
import ContractSuite
import Foundation
import Mutants
import Sockets
import TestSupport

/// Looks for what each mutant does wrong, without knowing the case that shows it.
struct MutantTable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mutants",
        abstract: "Finds what each mutant does wrong, and compares with schedules drawn at random.")

    @Option(help: "How many seeds the random search has for each mutant.")
    var seeds = 20

    @Option(help: "How many schedules a search may try.")
    var runs = 2000

    @Option(help: "Only mutants whose name or obligation contains this.")
    var only = ""

    @Flag(help: "Write the table to docs/explore-mutants.md.")
    var write = false

    func validate() throws {
        guard seeds > 0, runs > 0 else { throw ValidationError("A budget is more than 0.") }
    }

    /// A row of the table.
    private struct Row {
        var mutant: Mutant
        var find: Hunt.Find?
        var microseconds: Int64
        var smallest: Schedule?
        /// The schedules that each random search tried; nil for those that found nothing.
        var random: [Int?]
    }

    func run() async throws {
        var rows: [Row] = []
        for mutant in Mutant.all where only.isEmpty || "\(mutant)".contains(only) {
            let row = try await row(mutant)
            rows.append(row)
            print(line(row), row.microseconds / 1000, "ms")
        }
        let sizes = rows.compactMap { $0.smallest?.faults.count }.sorted()
        let found = rows.count { $0.find != nil }
        let median = sizes.isEmpty ? 0 : sizes[sizes.count / 2]
        let summary = "\(found) of \(rows.count) mutants are found; the median of the faults needed is \(median)."
        print(summary)
        guard write else { return }
        let text = page(rows, summary)
        try text.write(
            to: URL.packageRoot.appending(path: "docs/explore-mutants.md"), atomically: true, encoding: .utf8)
    }

    private func row(_ mutant: Mutant) async throws -> Row {
        let isSought = { @Sendable (symptom: Symptom, _: Schedule) in
            symptom.id == mutant.breaks || symptom.id.hasPrefix("explore/")
        }
        let begin = MonotonicInstant.now()
        let prepared = try await Hunt("The mutant that \(mutant.name)", isSought: isSought) { surroundings, network in
            try ReferenceClient(
                surroundings, network: network, mutation: mutant.tampering(), configure: mutant.configure)
        }
        var hunt = prepared
        try await hunt.search(seed: 1, limit: runs, until: isSought)
        let time = MonotonicInstant.now().nanoseconds - begin.nanoseconds
        var random: [Int?] = []
        for seed in 1...UInt64(seeds) where hunt.found?.runs != 0 {
            var other = prepared
            try await other.search(seed: seed, limit: runs, strategy: .random, until: isSought)
            random.append(other.found?.runs)
        }
        return Row(
            mutant: mutant, find: hunt.found, microseconds: time / 1000, smallest: try await hunt.smallest(),
            random: random)
    }

    private func line(_ row: Row) -> String {
        let cells = [
            "`\(row.mutant.breaks)`", row.mutant.name, row.find.map { "`\($0.symptom.id)`" } ?? "not found",
            row.find.map { "\($0.runs)" } ?? "", row.smallest.map { "`\($0)`" } ?? "", median(row.random),
        ]
        return "| \(cells.joined(separator: " | ")) |"
    }

    /// The median of the random searches; those that found nothing count as more than the budget.
    private func median(_ counts: [Int?]) -> String {
        guard !counts.isEmpty else { return "" }
        let middle = counts.map { $0 ?? .max }.sorted()[counts.count / 2]
        return middle == .max ? "more than \(runs)" : "\(middle)"
    }

    private func page(_ rows: [Row], _ summary: String) -> String {
        """
        # What exploring finds of the mutants

        `scripts/explore mutants --write` writes this page. Each mutant is the reference client with one error. The
        explorer knows nothing of it, and has six stories, seed 1 and at most \(runs) schedules; random search draws
        schedules at points of the same stories, with \(seeds) seeds, of which the median counts. 0 schedules: no fault is
        needed.

        \(summary)

        | it breaks | the mutant | found by | schedules | the smallest schedule | at random |
        | --- | --- | --- | --- | --- | --- |
        \(rows.map(line).joined(separator: "\n"))

        """
    }
}
