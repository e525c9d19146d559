import ArgumentParser
import ContractSuite
import FitIQAPI
import Foundation
import Mutants
import TestSupport

/// Searches for each mutant's mistake, without knowing the case that shows it.
struct MutantTable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mutants",
        abstract: "Finds what each mutant does wrong.")

    @Option(help: "How many schedules a search may try.")
    var runs = 4000

    @Option(help: "Only mutants whose name or obligation contains this.")
    var only = ""

    @Flag(help: "Write the table to docs/explore-mutants.md.")
    var write = false

    func validate() throws {
        guard runs > 0 else { throw ValidationError("A budget is more than 0.") }
    }

    /// The first finding for a mutant.
    private struct Find {
        /// The guide whose rule the mutant breaks; nil for the union.
        var guide: GuideMode?
        var id: String
        var smallest: Schedule
        /// The number of schedules until then, 0 without faults, and the processor time in nanoseconds.
        var schedules: Int
        var time: Int64
        var milliseconds: Int { Int(time / 1_000_000) }
    }

    /// A row of the table.
    private struct Row {
        var mutant: Mutant
        var find: Find?
    }

    func run() async throws {
        var rows: [Row] = []
        for mutant in Mutant.all where only.isEmpty || "\(mutant)".contains(only) {
            // A rule may belong to a single guide; the union knows all others.
            let guide = mutant.contractCase.guide
            var row = Row(mutant: mutant, find: try await find(mutant, under: guide))
            if row.find == nil, guide != nil { row.find = try await find(mutant, under: nil) }
            rows.append(row)
            print(line(row))
        }
        print(summary(rows))
        guard write else { return }
        let url = URL.packageRoot.appending(path: "docs/explore-mutants.md")
        let text = try String(contentsOf: url, encoding: .utf8)
        let prose = text.components(separatedBy: Self.marker)
        try (prose[0] + Self.marker + table(rows)).write(to: url, atomically: true, encoding: .utf8)
    }

    /// The handwritten part of the page is above this line.
    private static let marker = "<!-- `scripts/explore mutants --write` writes everything below this line. -->\n"

    /// Explores a mutant until its mistake has been found and reduced, or the budget is used up.
    private func find(_ mutant: Mutant, under guide: GuideMode?) async throws -> Find? {
        var settings = Explorer.Settings()
        (settings.runs, settings.stories) = (runs, Story.all.map { $0.with(guide: guide) })
        let trial = CountedTrial("The mutant that \(mutant.name)") { surroundings, network in
            try ReferenceClient(
                surroundings, network: network, mutation: mutant.tampering(), configure: mutant.configure)
        }
        let begin = CountedTrial.now
        var find: Find?
        func look(at exploration: Exploration) {
            guard find == nil else { return }
            guard let sought = exploration.found.first(where: { mutant.isFound(by: $0.symptom.id) }) else { return }
            find = Find(
                guide: guide, id: sought.symptom.id, smallest: sought.schedule, schedules: exploration.counts.schedules,
                time: CountedTrial.now - begin)
            trial.ending = .interrupted
        }
        // Starts without faults.
        look(at: try await Explorer(settings).explore(with: trial, stopping: { .interrupted }))
        if find == nil {
            _ = try await Explorer(settings).explore(with: trial, stopping: { trial.ending }, observing: look)
        }
        return find
    }

    private func line(_ row: Row) -> String {
        let find = row.find
        let schedule = find.map { "`\($0.smallest)`" } ?? ""
        let cells: [String] = [
            "`\(row.mutant.breaks)`", row.mutant.name, find?.guide.map { "`\($0.rawValue)`" } ?? "",
            find.map { "`\($0.id)`" } ?? "not found", find.map { "\($0.schedules)" } ?? "",
            find.map { "\($0.milliseconds)" } ?? "", schedule,
        ]
        return "| \(cells.joined(separator: " | ")) |"
    }

    private func summary(_ rows: [Row]) -> String {
        let finds = rows.compactMap(\.find)
        let sizes = finds.map(\.smallest.faults.count).sorted()
        let needed = sizes.filter { $0 > 0 }
        return """
            `explore` finds \(finds.count) of \(rows.count) mutants, \(sizes.count - needed.count) of them without any \
            fault.
            In the other mutants' smallest schedules, the median number of faults is \
            \(needed.isEmpty ? 0 : needed[needed.count / 2]) and the maximum is \(sizes.last ?? 0).
            """
    }

    private func table(_ rows: [Row]) -> String {
        """

        Each search tries at most \(runs) schedules, with seed 1. With 0 schedules, no fault is needed.

        \(summary(rows))

        | it breaks | the mutant | guide | found by | schedules | ms | the smallest schedule |
        | --- | --- | --- | --- | ---: | ---: | --- |
        \(rows.map(line).joined(separator: "\n"))

        """
    }
}
