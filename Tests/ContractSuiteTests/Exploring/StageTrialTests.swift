import FitIQAPI
import MockServer
import Scenarios
import Testing

@testable import ContractSuite

@Suite("Stories over sockets", .timeLimit(.minutes(15)))
struct StageTrialTests {
    /// A client that does nothing; a restless client claims that it always has more to do.
    private struct Still: ClientUnderTest {
        let clock: ClientClock
        var isRestless = false

        func perform(_ instruction: ClientInstruction) {}
        func report() -> ClientReport { ClientReport() }
        func settle(at time: Timestamp) -> Timestamp? { isRestless ? time : nil }
    }

    @Test("A client can use the suite's clock or the system's clock", arguments: ClientClock.allCases)
    func clocks(_ clock: ClientClock) async throws {
        let server = try LocalServer()
        defer { server.stop() }
        let (scenario, document) = try Scenario.readWithJSON("name: still")
        let story = Story("still", scenario: scenario, document: document)
        let trial = StageTrial(on: server, of: [story]) { _ in Still(clock: clock) }
        // Bytes arrive on sockets with a delay.
        #expect(!trial.isRepeatable)
        let outcome = try await trial.run(scenario, story: 0)
        #expect(outcome.end == .finished && outcome.failures.isEmpty && !outcome.hasConnected)
    }

    @Test("A trial over sockets stops a restless client after 15,000 checks")
    func looks() async throws {
        let server = try LocalServer()
        defer { server.stop() }
        let story = Story("restless", world: "", isChat: false)
        let trial = StageTrial(on: server, of: [story]) { _ in Still(clock: .suite, isRestless: true) }
        let limit = MemoryTrial.lookLimit * (CasePlay.quietRounds + 1)
        #expect(limit == 15_000)
        #expect(try await trial.run(story.scenario, story: 0).end == .restless(looks: limit))
    }

    @Test("A trial in memory stops a restless client after fewer checks than a trial over sockets")
    func looksInMemory() async throws {
        let story = Story("restless", world: "", isChat: false)
        let trial = MemoryTrial(of: [story]) { _, _ in Still(clock: .suite, isRestless: true) }
        let outcome = try await trial.run(story.scenario, story: 0)
        #expect(outcome.end == .restless(looks: MemoryTrial.lookLimit))
    }
}
