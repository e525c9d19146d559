import FitIQAPI
import JSON
import Testing

@testable import FitIQClient

@Suite("Client core: comparing answers with the history")
struct ConversationTests {
    private static let history = "GET /api/v1/consultations/\(CoreBench.consultation)/messages"
    private static let first = CoreBench.message("1", "user", "One")

    @Test(
        "A receipt, an echo or the answer confirms that a question was delivered",
        arguments: [
            ["type": "message_received"], ["type": "user_message", "message_id": "q1", "content": "One"],
            CoreBench.chunk("Hel"),
        ] as [JSONValue])
    func delivers(frame: JSONValue) {
        var bench = CoreBench.connected(.send(text: "One"))
        bench.frame(["type": "user_message", "message_id": "q9", "content": "Other"])
        #expect(bench.state.transcript.map(\.isDelivered) == [false, true])
        bench.frame(frame)
        #expect(bench.state.transcript.prefix(2).map(\.text) == ["One", "Other"])
        #expect(bench.state.transcript.prefix(2).map(\.isDelivered) == [true, true])
    }

    @Test(
        "A user who leaves early sees a problem only if the coach may not have received the question",
        arguments: [
            ([], [], true), ([["type": "message_received"]], [], false),
            ([CoreBench.chunk("Hel")], [], false), ([], [first], false),
        ] as [([JSONValue], [JSONValue], Bool)])
    func leaves(frames: [JSONValue], stored: [JSONValue], isTold: Bool) {
        var bench = CoreBench.connected(.send(text: "One"))
        for frame in frames { bench.frame(frame) }
        if !stored.isEmpty {
            bench.reconnect()
            bench.answer(200, CoreBench.history(.array(stored)))
        }
        bench.perform(.disconnect)
        #expect(bench.state.problems.map(\.message) == (isTold ? [ClientMessages.lostMessage] : []))
    }

    @Test("A duplicate start of an answer shows only one empty answer")
    func starts() {
        func part(_ kind: String, _ id: String) -> JSONValue {
            ["type": .string("assistant_message_" + kind), "message_id": .string(id), "content": "Hello"]
        }
        var bench = CoreBench.connected { $0.chat = .userMessage }
        for (question, id) in [("One", "a1"), ("Two", "a2")] {
            bench.perform(.send(text: question))
            for _ in 0..<2 {
                bench.frame(part("start", id))
                #expect(bench.talk.suffix(2) == ["user: \(question)", "assistant: …"])
            }
            bench.frame(part("chunk", id), part("end", id))
        }
        #expect(bench.talk == ["user: One", "assistant: Hello", "user: Two", "assistant: Hello"])
    }

    @Test("The client repeats a question that the user asked twice if the history contains it only once")
    func repeated() {
        var bench = CoreBench.connected(.send(text: "One"))
        bench.reply("Hello")
        bench.perform(.send(text: "One"))
        bench.reconnect()
        _ = bench.take()
        bench.recall("user: One", "assistant: Hello", "user: Else")
        #expect(bench.take() == [#"1 > {"type":"message","content":"One"}"#])
        #expect(bench.talk == ["user: One", "assistant: Hello", "user: Else", "user: One"])
    }

    @Test(
        "If an answer ends or the socket drops before the history arrives, the client refetches it", arguments: [0, 1])
    func stale(cuts: Int) {
        var bench = CoreBench.connected { $0.checksAnswers = true }
        for text in cuts == 0 ? ["One", "Two"] : ["One"] {
            bench.perform(.send(text: text))
            bench.reply("Hello")
        }
        for _ in 0..<cuts { bench.reconnect() }
        #expect(bench.take().count { $0.hasSuffix(Self.history) } == 1)
        let stored: JSONValue = [Self.first, CoreBench.message("2", "assistant", "Hello")]
        bench.answer(200, CoreBench.history(stored))
        #expect(bench.take() == ["\(cuts) \(Self.history)"] && bench.state.isBusy)
        bench.answer(200, CoreBench.history(stored))
        #expect(bench.take().isEmpty && !bench.state.isBusy)
    }

    @Test("If the history is unreadable after a connection drops, the chat continues without it")
    func withoutHistory() {
        var bench = CoreBench.connected()
        bench.reconnect()
        bench.failThrice()
        #expect(bench.state.problems.map(\.kind) == [.unavailable] && bench.state.connection == .connected)
        _ = bench.take()
        bench.perform(.send(text: "One"))
        #expect(bench.take() == [#"4 > {"type":"message","content":"One"}"#])
    }

    @Test("The client fetches a truncated answer at increasing intervals until the time limit")
    func patience() {
        var bench = CoreBench.connected(.send(text: "One")) { $0.patience.answer = .seconds(14) }
        bench.frame(CoreBench.chunk("Half"))
        bench.reconnect()
        _ = bench.take()
        for pause in [2.0, 4, 6, 2] {
            bench.recall("user: One")
            bench.wait(pause)
        }
        #expect(bench.take() == [3, 7, 13, 15].map { "\($0) \(Self.history)" })
        #expect(bench.state.problems.isEmpty)
        bench.recall("user: One")
        #expect(bench.state.problems == [.init(kind: .unavailable, message: ClientMessages.coachSilent)])
        #expect(bench.talk == ["user: One", "assistant: Half…"] && !bench.state.isBusy)
        // A message that is missing from the history disappears once the history shows whether the next question was
        // stored.
        bench.perform(.send(text: "Two"))
        bench.reconnect()
        bench.recall("user: One")
        #expect(bench.take().last == #"16 > {"type":"message","content":"Two"}"#)
        #expect(bench.talk == ["user: One", "user: Two"])
    }

    @Test("An answer that was cut off before `connected` is completed from the history")
    func early() {
        var bench = CoreBench.opened()
        bench.shake()
        bench.frame(CoreBench.chunk("Hel"))
        #expect(bench.talk == ["assistant: Hel…"])
        bench.reconnect()
        bench.recall("assistant: Hello")
        #expect(bench.talk == ["assistant: Hello"] && !bench.state.isBusy)
    }
}
