import ArgumentParser
import ContractSuite
import FitIQAPI
import FitIQClient
import TestSupport

extension GuideMode: ExpressibleByArgument {}

/// Explores the client that keeps the contract.
struct Reference: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Looks for what is wrong with the reference client: nothing.",
        discussion: "Equal options give equal output; how long it took is said on standard error.")

    @Option(help: "How many schedules to try.")
    var runs = 10_000

    @Option(help: "The first seed.")
    var seed: UInt64 = 1

    @Option(help: "How many schedules to try with a seed before the next.")
    var perSeed = 100_000

    @Flag(help: "Chat as enhanced-consultations says.")
    var userMessage = false

    @Option(help: "The guide that the backend follows; all guides together if absent.")
    var guide: GuideMode?

    func validate() throws {
        guard runs > 0, perSeed > 0 else { throw ValidationError("A budget is more than 0.") }
    }

    func run() async throws {
        let style: ClientConfiguration.ChatStyle = userMessage ? .userMessage : .message
        let begin = CountedTrial.now
        var (tried, seed, finds) = (0, seed, 0)
        while tried < runs {
            var settings = Explorer.Settings()
            (settings.seed, settings.runs) = (seed, min(perSeed, runs - tried))
            settings.stories = Story.all.map { $0.with(guide: guide) }
            let trial = CountedTrial("The reference client, seed \(seed)") { surroundings, network in
                try ReferenceClient(surroundings, network: network) { $0.chat = style }
            }
            let exploration = try await Explorer(settings).explore(with: trial)
            for discovery in exploration.found {
                print("seed \(seed), \(discovery.symptom.id):", discovery.account)
            }
            tried += exploration.counts.schedules
            finds += exploration.found.count
            seed += 1
            guard exploration.counts.schedules > 0 else { break }
        }
        print("\(tried) schedules up to seed \(seed - 1): \(finds) findings")
        let seconds = Double(CountedTrial.now - begin) / 1e9
        note("\(seconds) s of processor time, \(Int(Double(tried) / seconds * 60)) schedules a minute")
        guard finds == 0 else { throw ExitCode.failure }
    }
}
