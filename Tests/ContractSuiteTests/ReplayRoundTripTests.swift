import FitIQAPI
import FitIQClient
import JSON
import Judging
import MockServer
import Scenarios
import Testing
import Traffic

@testable import ContractSuite

@Suite("Replayed sessions with the reference client")
struct ReplayRoundTripTests {
    /// A user's actions, each with the number of seconds that pass after it.
    typealias Story = [(ClientInstruction, Int64)]

    static let chat: Story = [
        (.startConsultation(persona: .nutritionist), 2), (.send(text: "What should I eat for breakfast?"), 60),
        (.send(text: "And for dinner?"), 60), (.disconnect, 5),
    ]

    static let stories: [(GuideMode, String, Story)] = [
        (.union, "default", chat), (.consultationWebSocket, "default", chat), (.enhancedConsultations, "default", chat),
        (.union, "conflict", chat), (.union, "drop-mid-stream", chat), (.union, "coach-error", chat),
        (.mealLogWebSocket, "meal-completes", [(.logMeal(text: "2 eggs and toast", type: .breakfast), 120)]),
        (.union, "meal-fails", [(.logMeal(text: "2 eggs and toast", type: .breakfast), 120)]),
        (.goalLinking, "default", [(.createGoal(title: "Run", description: "Often"), 2), (.loadGoals, 2)]),
    ]

    struct Outcome {
        let journal: [JournalEntry]
        let report: ClientReport
        let verdicts: [Verdict]
        let replay: Engine.ReplayOutcome?
    }

    private func play(_ scenario: Scenario, _ guide: GuideMode, _ story: Story) throws -> Outcome {
        let world = try VirtualWorld(scenario, guide: guide)
        let client = try ReferenceClient(world.surroundings, network: world.network)
        for (instruction, seconds) in story {
            client.perform(instruction)
            world.carry([client], by: seconds)
        }
        let report = client.report()
        client.end()
        let (engine, id) = (world.network.engine, world.access.id)
        return Outcome(
            journal: engine.journalEntries(ofWorld: id), report: report,
            verdicts: try #require(engine.judgement(ofWorld: id)).verdicts, replay: engine.replayOutcome(ofWorld: id))
    }

    /// The server's output: response bodies and messages, in order.
    private static func sent(_ entries: [JournalEntry]) -> [String] {
        entries.compactMap { entry in
            switch entry.event {
            case .exchange(let exchange) where exchange.delivery == .complete:
                String(decoding: exchange.responseBody.bytes, as: UTF8.self)
            case .frame(let frame) where (frame.delivery, frame.sender, frame.opcode) == (.complete, .server, .text):
                String(decoding: frame.payload.bytes, as: UTF8.self)
            default: nil
            }
        }
    }

    @Test("A replay sends recorded bodies and frames byte for byte and yields the same verdicts", arguments: stories)
    func roundTrip(_ guide: GuideMode, _ name: String, _ story: Story) throws {
        let first = try play(try #require(Scenario.builtIn(named: name)), guide, story)
        let recorded = Self.sent(first.journal)
        #expect(recorded.count >= 2, "Something was recorded.")
        let session = Session(first.journal, origin: "http://127.0.0.1:8080")
        let har = HAREncoder.file(session, creatorVersion: "1")
        for match in ["strict", "ordered", "route"] {
            let text =
                #"{"name":"take","replay":{"match":"\#(match)","session":\#(String(decoding: har, as: UTF8.self))}}"#
            let again = try play(Scenario.read(text), guide, story)
            #expect((Self.sent(again.journal), again.report) == (recorded, first.report), "\(match)")
            #expect(again.verdicts.map(\.outcome) == first.verdicts.map(\.outcome), "\(match)")
            #expect(again.replay?.failures == [], "\(match)")
        }
    }
}
