import ArgumentParser
import ContractSuite
import Foundation

/// Measures how fast stories are played.
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures how many schedules a minute one core plays with the reference client, and what they cost.")

    @Option(help: "For how many seconds each story is played.")
    var seconds = 2.0

    func validate() throws {
        guard seconds > 0 else { throw ValidationError("A budget is more than 0.") }
    }

    /// The time that this process has used of all processors, in nanoseconds: another program does not count.
    private static var now: Int64 { Int64(clock()) * 1_000_000_000 / Int64(CLOCKS_PER_SEC) }

    func run() async throws {
        let trial = MemoryTrial { try ReferenceClient($0, network: $1) }
        let oracle = Oracle(Story.all)
        var sum = 0.0
        for (index, story) in Story.all.enumerated() {
            var count = 0
            var entries = 0
            var play: Int64 = 0
            var read: Int64 = 0
            while Double(play + read) < seconds * 1e9 {
                let begin = Self.now
                let outcome = try await trial.run(story.scenario, story: index)
                let middle = Self.now
                let reading = TrialReading(outcome)
                guard oracle.symptoms(of: outcome, reading, story: index).isEmpty else { throw ExitCode.failure }
                play += middle - begin
                read += Self.now - middle
                count += 1
                entries = outcome.entries.count
            }
            let each = Double(play + read) / Double(count) / 1000
            sum += each
            print(
                "\(story.name): \(entries) entries, \(Int(each)) µs: \(Int(play) / count / 1000) to play, "
                    + "\(Int(read) / count / 1000) to judge")
        }
        let mean = sum / Double(Story.all.count)
        print("\(Int(mean)) µs a schedule, \(Int(60e6 / mean)) a minute")
    }
}
