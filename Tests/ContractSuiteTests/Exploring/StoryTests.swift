import ContractSuite
import FitIQAPI
import FitIQClient
import Judging
import Scenarios
import Testing
import Traffic

@Suite("Stories")
struct StoryTests {
    /// A story and the protocol of chats.
    struct Performance: Sendable, CustomTestStringConvertible {
        let story: Int
        let style: ClientConfiguration.ChatStyle
        var testDescription: String { "\(Story.all[story].name), \(style.rawValue)" }

        func outcome(_ scenario: Scenario? = nil) async throws -> TrialOutcome {
            let trial = MemoryTrial { [style] surroundings, network in
                try ReferenceClient(surroundings, network: network) { $0.chat = style }
            }
            return try await trial.run(scenario ?? Story.all[story].scenario, story: story)
        }
    }

    static let performances = ClientConfiguration.ChatStyle.allCases.flatMap { style in
        Story.all.indices.map { Performance(story: $0, style: style) }
    }

    @Test("The reference client plays each without a symptom, and faces what it is about", arguments: performances)
    func reference(_ performance: Performance) async throws {
        let outcome = try await performance.outcome()
        let reading = TrialReading(outcome)
        let symptoms = Oracle(Story.all).symptoms(of: outcome, reading, story: performance.story)
        #expect(symptoms.isEmpty, "\(symptoms.map { "\($0.id): \($0.message)" })")
        #expect(outcome.end == .finished && outcome.failures.isEmpty && outcome.unsupported.isEmpty)
        #expect(outcome.quiet != nil && outcome.entries.count < 200)
        let time = outcome.startedAt.duration(until: try #require(outcome.endedAt))
        #expect(time < .seconds(9 * 60), "Four minutes, and the end.")
    }

    @Test("Equal runs are equal to the byte", arguments: performances)
    func repeats(_ performance: Performance) async throws {
        let lines = try await [performance.outcome(), performance.outcome()].map { outcome in
            outcome.entries.map { EntryLine($0).text }
        }
        #expect(lines[0] == lines[1])
    }

    @Test("Names differ, and are those of files")
    func names() {
        #expect(Set(Story.all.map(\.name)).count == Story.all.count)
        for story in Story.all { #expect(story.scenario.name == story.name) }
    }
}

extension Timestamp {
    fileprivate func duration(until end: Timestamp) -> Duration {
        .nanoseconds(end.nanosecondsSinceEpoch - nanosecondsSinceEpoch)
    }
}
