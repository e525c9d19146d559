import ArgumentParser
import Foundation
import Judging
import Simulation
import TestSupport

/// Computes the situations that clients reach.
struct CoverageTable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "coverage",
        abstract: "Computes the situations that clients reach, and the way to each: Fixtures/data/coverage.tsv.",
        discussion: "Equal options give equal tables.")

    @Option(help: "How many runs of random clients add what they reach.")
    var simulations: UInt64 = 100

    @Option(help: "How many schedules of faults the reference client goes through.")
    var schedules = 2000

    @Flag(help: "Write the file, in place of printing it.")
    var write = false

    func run() async throws {
        var survey = CoverageSurvey()
        try await survey.addScenarios()
        if schedules > 0 { try await survey.addExploring(runs: schedules) }
        for seed in 1...max(simulations, 1) {
            CrashNotice.prepare("simulation \(seed)\n")
            try survey.addSimulation(seed: seed)
        }
        let rows = survey.rows
        // In the format of `ReachableSituation.read`.
        let lines = rows.map { ($0.situation.names + [$0.way ?? "-"]).joined(separator: "\t") + "\n" }
        let table = "socket\ttoken\tmeal\ttrouble\tway\n" + lines.joined()
        guard write else { return print(table, terminator: "") }
        try table.write(to: .fixtures.appending(path: "data/coverage.tsv"), atomically: true, encoding: .utf8)
        let scenarios = rows.count { $0.way.map { !$0.contains(" ") } ?? false }
        print("\(rows.count) situations, \(scenarios) of them by scenarios, \(rows.count { $0.way == nil }) by chance")
    }
}
