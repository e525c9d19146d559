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
            ["type": "stream_chunk", "content": "Hel"],
        ] as [JSONValue])
    func delivers(frame: JSONValue) {
        var bench = CoreBench()
        bench.connect()
        bench.perform(.send(text: "One"))
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
            ([["type": "stream_chunk", "content": "Hel"]], [], false), ([], [first], false),
        ] as [([JSONValue], [JSONValue], Bool)])
    func leaves(frames: [JSONValue], stored: [JSONValue], isTold: Bool) {
        var bench = CoreBench()
        bench.connect()
        bench.perform(.send(text: "One"))
        for frame in frames { bench.frame(frame) }
        if !stored.isEmpty {
            bench.cut()
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
        var bench = CoreBench { $0.chat = .userMessage }
        bench.connect()
        for (question, id) in [("One", "a1"), ("Two", "a2")] {
            bench.perform(.send(text: question))
            for _ in 0..<2 {
                bench.frame(part("start", id))
                #expect(bench.talk.suffix(2) == ["user: \(question)", "assistant: …"])
            }
            bench.frame(part("chunk", id))
            bench.frame(part("end", id))
        }
        #expect(bench.talk == ["user: One", "assistant: Hello", "user: Two", "assistant: Hello"])
    }

    @Test("The client repeats a question that the user asked twice if the history contains it only once")
    func repeated() {
        var bench = CoreBench()
        bench.connect()
        bench.perform(.send(text: "One"))
        bench.frame(["type": "stream_chunk", "content": "Hello"])
        bench.frame(["type": "stream_complete"])
        bench.perform(.send(text: "One"))
        bench.cut()
        _ = bench.take()
        bench.answer(
            200,
            CoreBench.history([
                Self.first, CoreBench.message("2", "assistant", "Hello"), CoreBench.message("3", "user", "Else"),
            ]))
        #expect(bench.take() == [#"1 > {"type":"message","content":"One"}"#])
        #expect(bench.talk == ["user: One", "assistant: Hello", "user: Else", "user: One"])
    }

    @Test(
        "If an answer ends or the socket drops before the history arrives, the client refetches it", arguments: [0, 1])
    func stale(cuts: Int) {
        var bench = CoreBench { $0.checksAnswers = true }
        bench.connect()
        for text in cuts == 0 ? ["One", "Two"] : ["One"] {
            bench.perform(.send(text: text))
            bench.frame(["type": "stream_chunk", "content": "Hello"])
            bench.frame(["type": "stream_complete"])
        }
        for _ in 0..<cuts { bench.cut() }
        #expect(bench.take().count { $0.hasSuffix(Self.history) } == 1)
        let stored: JSONValue = [Self.first, CoreBench.message("2", "assistant", "Hello")]
        bench.answer(200, CoreBench.history(stored))
        #expect(bench.take() == ["\(cuts) \(Self.history)"] && bench.state.isBusy)
        bench.answer(200, CoreBench.history(stored))
        #expect(bench.take().isEmpty && !bench.state.isBusy)
    }

    @Test("If the history is unreadable after a connection drops, the chat continues without it")
    func withoutHistory() {
        var bench = CoreBench()
        bench.connect()
        bench.cut()
        for pause in [1.0, 2, 0] {
            bench.answer(503)
            bench.wait(pause)
        }
        #expect(bench.state.problems.map(\.kind) == [.unavailable] && bench.state.connection == .connected)
        _ = bench.take()
        bench.perform(.send(text: "One"))
        #expect(bench.take() == [#"4 > {"type":"message","content":"One"}"#])
    }

    @Test("The client fetches a truncated answer at increasing intervals until the time limit")
    func patience() {
        var bench = CoreBench { $0.patience.answer = .seconds(14) }
        bench.connect()
        bench.perform(.send(text: "One"))
        bench.frame(["type": "stream_chunk", "content": "Half"])
        bench.cut()
        _ = bench.take()
        for pause in [2.0, 4, 6, 2] {
            bench.answer(200, CoreBench.history([Self.first]))
            bench.wait(pause)
        }
        #expect(bench.take() == [3, 7, 13, 15].map { "\($0) \(Self.history)" })
        #expect(bench.state.problems.isEmpty)
        bench.answer(200, CoreBench.history([Self.first]))
        #expect(bench.state.problems == [.init(kind: .unavailable, message: ClientMessages.coachSilent)])
        #expect(bench.talk == ["user: One", "assistant: Half…"] && !bench.state.isBusy)
        // A message that is missing from the history disappears once the history shows whether the next question was
        // stored.
        bench.perform(.send(text: "Two"))
        bench.cut()
        bench.answer(200, CoreBench.history([Self.first]))
        #expect(bench.take().last == #"16 > {"type":"message","content":"Two"}"#)
        #expect(bench.talk == ["user: One", "user: Two"])
    }

    @Test("An answer that was cut off before `connected` is completed from the history")
    func early() {
        var bench = CoreBench()
        bench.perform(.openConsultation(id: CoreBench.consultation))
        bench.answer(200, CoreBench.history([]))
        bench.shake()
        bench.frame(["type": "stream_chunk", "content": "Hel"])
        #expect(bench.talk == ["assistant: Hel…"])
        bench.cut()
        bench.answer(200, CoreBench.history([CoreBench.message("1", "assistant", "Hello")]))
        #expect(bench.talk == ["assistant: Hello"] && !bench.state.isBusy)
    }
}

extension CoreBench {
    /// The transcript, one line per text; an incomplete answer ends with `…`.
    fileprivate var talk: [String] {
        state.transcript.map { "\($0.role.rawValue): \($0.text)\($0.isComplete ? "" : "…")" }
    }

    /// Disconnects the socket, and connects another one a second later.
    fileprivate mutating func cut() {
        end()
        wait(1)
        shake()
        frame(["type": "connected"])
    }
}
