import ArgumentParser
import ContractSuite
import FitIQClient
import Sockets

/// Explores the client that keeps the contract.
struct Reference: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Looks for what is wrong with the reference client: nothing.")

    @Option(help: "How many schedules to try.")
    var runs = 10_000

    @Option(help: "The first seed.")
    var seed: UInt64 = 1

    @Option(help: "How many schedules to try with a seed before the next.")
    var perSeed = 100_000

    @Flag(help: "Chat as enhanced-consultations says.")
    var userMessage = false

    func validate() throws {
        guard runs > 0, perSeed > 0 else { throw ValidationError("A budget is more than 0.") }
    }

    func run() async throws {
        let begin = MonotonicInstant.now()
        var (tried, seed, finds) = (0, seed, 0)
        while tried < runs {
            let style: ClientConfiguration.ChatStyle = userMessage ? .userMessage : .message
            var found: [Hunt.Find] = []
            let tell = { (symptom: Symptom, schedule: Schedule) -> Bool in
                if !found.contains(where: { $0.symptom.id == symptom.id }) {
                    found.append(Hunt.Find(schedule: schedule, symptom: symptom, runs: 0))
                }
                return false
            }
            var hunt = try await Hunt("The reference client, seed \(seed),", isSought: tell) { surroundings, network in
                try ReferenceClient(surroundings, network: network) { $0.chat = style }
            }
            try await hunt.search(seed: seed, limit: min(perSeed, runs - tried), until: tell)
            tried += hunt.runs
            finds += found.count
            for find in found { print("seed \(seed), \(find.symptom.id):", try await hunt.account(of: find)) }
            seed += 1
            guard hunt.runs > 0 else { break }
        }
        let seconds = Double(MonotonicInstant.now().nanoseconds - begin.nanoseconds) / 1e9
        print(
            "\(tried) schedules up to seed \(seed - 1) in \(Int(seconds)) s, \(Int(Double(tried) / seconds * 60)) a "
                + "minute: \(finds) symptoms")
        guard finds == 0 else { throw ExitCode.failure }
    }
}
