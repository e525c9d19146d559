import ArgumentParser
import ContractSuite
import Foundation

/// Measures how fast schedules are played and judged.
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures how many schedules a minute one core tries with the reference client, and what they cost.",
        discussion: "Schedules are those that are dealt, with one and two faults; time is processor time.")

    @Option(help: "How many schedules to try.")
    var runs = 30_000

    @Option(help: "The seed.")
    var seed: UInt64 = 1

    func validate() throws {
        guard runs > 0 else { throw ValidationError("A budget is more than 0.") }
    }

    /// The cost of schedules of one size: the number of plays, and the playing and total times in nanoseconds.
    private struct Cost {
        var runs = 0
        var played: Int64 = 0
        var whole: Int64 = 0

        func line(_ name: String) -> String {
            let (each, play) = (Double(whole) / Double(max(runs, 1)), Double(played) / Double(max(runs, 1)))
            return "\(name): \(runs) runs, \(Int(each / 1000)) µs each: \(Int(play / 1000)) to play, "
                + "\(Int((each - play) / 1000)) to judge and to learn; \(Int(60e9 / max(each, 1))) a minute"
        }
    }

    func run() async throws {
        var settings = Explorer.Settings()
        (settings.seed, settings.runs) = (seed, runs)
        let trial = CountedTrial("The reference client") { try ReferenceClient($0, network: $1) }
        var (sums, time, pairs) = (CountedTrial.Sums(), CountedTrial.now, 0)
        var costs = [Cost(), Cost()]
        _ = try await Explorer(settings).explore(
            with: trial,
            observing: { exploration in
                let counts = exploration.counts
                let size = counts.pairs > pairs ? 1 : 0
                costs[size].runs += trial.sums.runs - sums.runs
                costs[size].played += trial.sums.played - sums.played
                costs[size].whole += CountedTrial.now - time
                (sums, time, pairs) = (trial.sums, CountedTrial.now, counts.pairs)
            })
        for (cost, name) in zip(costs, ["single faults", "pairs"]) { print(cost.line(name)) }
        let all = costs.reduce(into: Cost()) { sum, cost in
            sum.runs += cost.runs
            sum.played += cost.played
            sum.whole += cost.whole
        }
        print(all.line("all"))
    }
}
