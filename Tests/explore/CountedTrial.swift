import ContractSuite
import Foundation
import Scenarios
import Synchronization
import TestSupport

/// Plays stories in memory; it counts and measures its runs, and names the current one if a trap ends the program.
final class CountedTrial: Trial {
    struct Sums {
        var runs = 0
        /// Nanoseconds of processor time, which is not affected by other programs.
        var played: Int64 = 0
    }

    private let trial: MemoryTrial
    private let notice: String
    private let state = Mutex((sums: Sums(), ending: Exploration.Ending?.none))

    var isRepeatable: Bool { trial.isRepeatable }
    var sums: Sums { state.withLock(\.sums) }
    /// The reason to end an exploration that uses this trial; nil to continue.
    var ending: Exploration.Ending? {
        get { state.withLock(\.ending) }
        set { state.withLock { $0.ending = newValue } }
    }

    /// - Parameter notice: The text about the client if a trap ends the program.
    init(
        _ notice: String,
        _ make: @escaping @Sendable (Surroundings, ContractSuite.VirtualNetwork) throws -> any ClientUnderTest
    ) { (trial, self.notice) = (MemoryTrial { try make($0, $1) }, notice) }

    /// The processor time that this process has used, in nanoseconds.
    static var now: Int64 { Int64(clock()) * 1_000_000_000 / Int64(CLOCKS_PER_SEC) }

    func run(_ scenario: Scenario, story: Int, within limit: RunLimit) async throws -> TrialOutcome {
        let names = scenario.faults.map(\.name.text)
        CrashNotice.prepare(
            "\(notice), run \(sums.runs + 1), crashed in the story \(Story.all[story].name): \(names)\n")
        let begin = Self.now
        let outcome = try await trial.run(scenario, story: story, within: limit)
        let end = Self.now
        state.withLock { state in
            state.sums.runs += 1
            state.sums.played += end - begin
        }
        return outcome
    }
}

/// Prints a note for people, separate from the reproducible output.
func note(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }

extension Discovery {
    /// The discovery's sentence, schedule and events.
    var account: String {
        ([sentence, "\(story.name): \(schedule)"] + timeline + [symptom.message]).joined(separator: "\n    ")
    }
}
