import ContractSuite
import FitIQAPI
import FitIQClient
import JSON
import Judging
import Scenarios
import Testing
import Traffic

@Suite("Stories")
struct StoryTests {
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

    @Test("The reference client plays each story to its end without a symptom", arguments: performances)
    func reference(_ performance: Performance) async throws {
        let outcome = try await performance.outcome()
        let symptoms = outcome.symptoms(story: performance.story)
        #expect(symptoms.isEmpty, "\(symptoms.map { "\($0.id): \($0.message)" })")
        #expect(outcome.end == .finished && outcome.failures.isEmpty && outcome.unsupported.isEmpty)
        #expect(outcome.quiet != nil && outcome.entries.count < 200)
        let time = outcome.startedAt.duration(until: try #require(outcome.endedAt))
        #expect(time < .seconds(9 * 60), "Four minutes, and the end.")
    }

    @Test("The reference client has no symptom in any guide's mode", arguments: GuideMode.allCases, Story.all.indices)
    func guides(mode: GuideMode, story: Int) async throws {
        let stories = Story.all.map { $0.with(guide: mode) }
        let outcome = try await Performance(story: story, style: .message).outcome(stories[story].scenario)
        #expect(outcome.mode == mode)
        var oracle = Oracle(stories)
        oracle.learn(outcome, story: story)
        let symptoms = outcome.symptoms(oracle, story: story, isHarmed: false)
        #expect(symptoms.isEmpty, "\(symptoms.map { "\($0.id): \($0.message)" })")
    }

    @Test("Identical runs write byte-identical journals", arguments: performances)
    func repeats(_ performance: Performance) async throws {
        let lines = try await [performance.outcome(), performance.outcome()].map { outcome in
            outcome.entries.map { EntryLine($0).text }
        }
        #expect(lines[0] == lines[1])
    }

    @Test("A client's report changes only when its revision changes", arguments: performances)
    func revisions(_ performance: Performance) async throws {
        let trial = MemoryTrial { surroundings, network in
            Watched(client: try ReferenceClient(surroundings, network: network) { $0.chat = performance.style })
        }
        let outcome = try await trial.run(Story.all[performance.story].scenario, story: performance.story)
        #expect(outcome.end == .finished)
    }

    /// A client that checks whether its report changed without its revision.
    private final class Watched: ClientUnderTest {
        private let client: ReferenceClient
        private var last: (revision: UInt64?, report: ClientReport)?

        init(client: ReferenceClient) { self.client = client }

        var clock: ClientClock { .suite }
        // Always return nil, so that every report is examined.
        var revision: UInt64? { nil }
        func perform(_ instruction: ClientInstruction) { client.perform(instruction) }
        func end() { client.end() }
        func report() -> ClientReport { client.report() }

        func settle(at time: Timestamp) -> Timestamp? {
            let due = client.settle(at: time)
            if let last, last.revision == client.revision { #expect(last.report == client.report()) }
            last = (client.revision, client.report())
            return due
        }
    }

    @Test("Two access tokens issued in the same second differ")
    func tokens() async throws {
        let story = try #require(Story.all.firstIndex { $0.name == "sign-in" })
        let schedule = try Schedule("status-401", at: .request(.listGoals, 1), story: story)
        let outcome = try await Performance(story: story, style: .message)
            .outcome(schedule.scenario(on: Story.all[story].scenario))
        let issued = outcome.entries.compactMap { entry -> (Timestamp, String)? in
            guard case .exchange(let exchange) = entry.event,
                [.logIn, .refreshTokens].contains(exchange.endpoint),
                let body = try? JSON.parse(exchange.responseBody.bytes),
                let token = body["data"]?["access_token"]?.string
            else { return nil }
            return (entry.time, token)
        }
        #expect(issued.count >= 2 && issued[0].0 == issued[1].0)
        #expect(Set(issued.map(\.1)).count == issued.count)
    }

    @Test("Story names are unique and match their scenarios' names")
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
