import JSON
import Testing

@testable import FitIQClient

@Suite("Client core: message ids")
struct IdentityTests {
    @Test(
        "Two answers with canonically equivalent ids are different answers",
        arguments: [("jos\u{E9}", "jose\u{301}"), ("K", "\u{212A}")])
    func answers(_ first: String, _ second: String) {
        var bench = CoreBench.connected { $0.chat = .userMessage }
        for (question, id) in [("One", first), ("Two", second)] {
            bench.perform(.send(text: question))
            bench.frame(["type": "user_message", "message_id": .string("q" + id), "content": .string(question)])
            bench.frame(["type": "assistant_message_start", "message_id": .string(id)])
            bench.frame(["type": "assistant_message_chunk", "message_id": .string(id), "content": .string(question)])
            bench.frame(["type": "assistant_message_end", "message_id": .string(id)])
        }
        #expect(bench.state.transcript.map(\.text) == ["One", "One", "Two", "Two"])
        #expect(bench.state.transcript.map(\.id) == ["q" + first, first, "q" + second, second].map { ExactString($0) })
        #expect(!bench.state.isBusy && bench.state.problems.isEmpty)
    }
}
