import FitIQAPI
import JSON
import Testing

@testable import FitIQClient

@Suite("Client core: chatting")
struct TalkTests {
    private static let history = "GET /api/v1/consultations/\(CoreBench.consultation)/messages"

    @Test("After repeated failures, the client fetches the history only after a minute or on request")
    func restsAfterFailures() {
        func talk(_ text: String, _ bench: inout CoreBench) -> Int {
            _ = bench.take()
            bench.perform(.send(text: text))
            bench.frame(["type": "message_received"])
            bench.reply("Hello")
            bench.wait(0)
            return bench.take().count { $0.hasSuffix(Self.history) }
        }
        var bench = CoreBench.connected { $0.checksAnswers = true }
        #expect(talk("One", &bench) == 1)
        bench.failThrice()
        #expect(talk("Two", &bench) == 0)
        #expect(!bench.state.isBusy && bench.state.problems.count == 2)
        bench.wait(20)
        #expect(talk("Three", &bench) == 0)
        bench.ask(.loadGoals, 200, ["success": true, "data": ["goals": []]])
        #expect(talk("Four", &bench) == 1)
    }

    @Test(
        "The client sends one message at a time in either protocol",
        arguments: [ClientConfiguration.ChatStyle.message, .userMessage])
    func oneAtATime(style: ClientConfiguration.ChatStyle) {
        var bench = CoreBench.connected(.send(text: "One"), .send(text: "Two")) { $0.chat = style }
        #expect(bench.take() == [#"0 > {"type":"\#(style.rawValue)","content":"One"}"#])
        #expect(bench.state.transcript.map(\.isDelivered) == [false, false])
        func say(_ bench: inout CoreBench, _ id: String, _ question: String, _ pieces: [String]) {
            if style == .message {
                bench.frame(["type": "message_received"])
                for piece in pieces { bench.frame(CoreBench.chunk(piece)) }
            } else {
                bench.frame(["type": "user_message", "message_id": .string("q" + id), "content": .string(question)])
                bench.frame(Self.part("start", id))
                for piece in pieces { bench.frame(Self.part("chunk", id, piece)) }
            }
        }
        func end(_ id: String) -> JSONValue { style == .message ? ["type": "stream_complete"] : Self.part("end", id) }
        say(&bench, "a1", "One", ["He", "llo"])
        #expect(bench.talk == ["user: One", "assistant: Hello…", "user: Two"])
        #expect(bench.state.transcript.map(\.isDelivered) == [true, true, false])
        #expect(bench.take().isEmpty && bench.state.isBusy)
        bench.frame(end("a1"))
        #expect(bench.take() == [#"0 > {"type":"\#(style.rawValue)","content":"Two"}"#])
        // A duplicate end of an answer does not end the next answer.
        bench.frame(end("a1"))
        #expect(bench.state.isBusy)
        say(&bench, "a2", "Two", ["Bye"])
        #expect(bench.talk == ["user: One", "assistant: Hello", "user: Two", "assistant: Bye…"])
        bench.frame(end("a2"))
        #expect(bench.talk.last == "assistant: Bye" && !bench.state.isBusy && bench.state.problems.isEmpty)
    }

    @Test(
        "The client rejects messages that it cannot send",
        arguments: ["", " \n\t", String(repeating: "x", count: 2001), String(repeating: "e\u{301}", count: 2001)])
    func refuses(text: String) {
        var bench = CoreBench.connected(.send(text: text))
        #expect(bench.take().isEmpty && bench.state.problems.map(\.kind) == [.refused])
        #expect(bench.state.transcript.isEmpty && !bench.state.isBusy)
    }

    @Test(
        "A message may have up to 128 KiB and any number of characters", arguments: [(65_535, true), (65_536, false)])
    func bytes(marks: Int, isSent: Bool) {
        var bench = CoreBench.connected(.send(text: "\u{E9}" + String(repeating: "\u{301}", count: marks)))
        #expect(bench.take().count == (isSent ? 1 : 0) && bench.state.problems.isEmpty == isSent)
    }

    @Test("The client trims a message before it checks the length")
    func limits() {
        var bench = CoreBench.connected(.send(text: "  " + String(repeating: "x", count: 2000) + "\n"))
        #expect(bench.take().count == 1)
        for number in 1...32 { bench.perform(.send(text: "\(number)")) }
        #expect(bench.state.problems.isEmpty)
        bench.perform(.send(text: "one over"))
        #expect(bench.state.problems.map(\.kind) == [.refused] && bench.take().isEmpty)
        #expect(bench.state.transcript.count == 33)
    }

    @Test("The client shows all frames of a coalesced message")
    func coalesced() {
        var bench = CoreBench.connected(.send(text: "One"))
        _ = bench.take()
        bench.text(#"{"type":"stream_chunk","content":"a"}"# + "\n" + #"{"type":"stream_chunk","content":"b"}"#)
        bench.text(#"{"type":"typing"}"#)
        #expect(bench.talk.last == "assistant: ab…")
        bench.text(#"{"type":"stream_complete"}"#)
        #expect(bench.take().isEmpty)
        bench.perform(.send(text: "Two"))
        bench.text(#"{"type":"stream_chunk","con"#)
        bench.text(#"{"type":"stream_chunk","content":"c"}"#)
        bench.text(#"{"type":"stream_complete"}"#)
        #expect(bench.take().last == "0 \(Self.history)")
        bench.recall("user: One", "assistant: ab", "user: Two", "assistant: xc")
        #expect(bench.talk == ["user: One", "assistant: ab", "user: Two", "assistant: xc"])
    }

    /// A frame in the protocol whose answers have ids.
    private static func part(_ kind: String, _ id: String, _ content: String? = nil) -> JSONValue {
        var frame: JSONObject = ["type": .string("assistant_message_" + kind), "message_id": .string(id)]
        frame["content"] = content.map { .string($0) }
        return .object(frame)
    }

    @Test(
        "After an error within an answer, the client reads the history when the answer ends",
        arguments: [
            ([part("chunk", "a2", "Bye"), part("end", "a2")], "Bye", false),
            // A chunk of the previous answer.
            ([part("chunk", "a1", "late"), part("chunk", "a2", "Bye"), part("end", "a2")], "Bye", true),
            // An answer that replaces the streaming answer.
            ([part("chunk", "a2", "Well"), part("chunk", "a3", "Bye"), part("end", "a3")], "Bye", true),
            // A chunk beyond the limit.
            ([part("chunk", "a2", "Bye"), part("chunk", "a2", ", you"), part("end", "a2")], "Bye", true),
            // Exactly as many bytes as the limit.
            ([part("chunk", "a2", "Bye"), part("chunk", "a2", ", "), part("end", "a2")], "Bye, ", false),
            // The end of an unknown answer.
            ([part("chunk", "a2", "Bye"), part("end", "a3")], "Bye", true),
            // An end without an answer.
            ([["type": "user_message", "message_id": "q2", "content": "Two"], part("end", "a2")], nil, true),
        ] as [([JSONValue], String?, Bool)])
    func trouble(frames: [JSONValue], answer: String?, isTroubled: Bool) {
        var bench = CoreBench {
            $0.chat = .userMessage
            $0.limits.answerBytes = 5
        }
        bench.connect()
        bench.perform(.send(text: "One"))
        bench.frame(Self.part("chunk", "a1", "Hello"), Self.part("end", "a1"))
        bench.perform(.send(text: "Two"))
        _ = bench.take()
        for frame in frames { bench.frame(frame) }
        let answers = answer.map { ["assistant: \($0)"] } ?? []
        #expect(bench.talk == ["user: One", "assistant: Hello", "user: Two"] + answers)
        #expect(bench.take() == (isTroubled ? ["0 \(Self.history)"] : []))
    }

    @Test("After a binary frame, the client reads the history when the answer ends")
    func binary() throws {
        var bench = CoreBench.connected(.send(text: "One"))
        bench.frame(CoreBench.chunk("Hello"))
        _ = bench.take()
        let socket = try #require(bench.socket)
        bench.receive(.binary(socket: socket))
        bench.frame(["type": "stream_complete"])
        #expect(bench.take() == ["0 \(Self.history)"])
    }

    @Test("The client compares each answer with the stored answer without delaying the next question")
    func checks() {
        var bench = CoreBench.connected(.send(text: "One"), .send(text: "One")) { $0.checksAnswers = true }
        bench.frame(["type": "message_received"], CoreBench.chunk("wrnog"))
        _ = bench.take()
        bench.frame(["type": "stream_complete"])
        #expect(bench.take() == [#"0 > {"type":"message","content":"One"}"#, "0 \(Self.history)"])
        bench.frame(["type": "message_received"], CoreBench.chunk("Sec"))
        bench.recall("user: One", "assistant: wrong", "user: One")
        #expect(bench.talk == ["user: One", "assistant: wrong", "user: One", "assistant: Sec…"])
        bench.frame(CoreBench.chunk("ond"))
        #expect(bench.talk.last == "assistant: Second…")
        bench.frame(["type": "stream_complete"])
        #expect(bench.talk.last == "assistant: Second" && bench.state.isBusy)
        bench.recall("user: One", "assistant: wrong", "user: One", "assistant: Second!")
        #expect(bench.talk.last == "assistant: Second!" && !bench.state.isBusy)
    }

    @Test("The client removes a partial answer after an error and sends the next message")
    func error() {
        var bench = CoreBench.connected(.send(text: "One"), .send(text: "Two"))
        bench.frame(["type": "message_received"], CoreBench.chunk("Let me"))
        _ = bench.take()
        bench.frame(["type": "error", "error": "Overloaded.", "code": "COACH_OVERLOADED"])
        #expect(bench.state.problems == [.init(kind: .chat, message: "Overloaded.")])
        #expect(bench.talk == ["user: One", "user: Two"])
        #expect(bench.take() == [#"0 > {"type":"message","content":"Two"}"#, "0 \(Self.history)"])
        // The coach's earlier complete answer is kept.
        bench.recall("user: One")
        for piece in ["stream_chunk", "stream_complete"] { bench.frame(["type": .string(piece), "content": "Yes"]) }
        bench.perform(.send(text: "Three"))
        bench.frame(CoreBench.chunk("Let me"), ["type": "error", "error": "Overloaded.", "code": "COACH_OVERLOADED"])
        #expect(bench.talk == ["user: One", "user: Two", "assistant: Yes", "user: Three"])
    }

    @Test("A late echo does not count as another device's message")
    func lateEcho() {
        func echo(_ id: String, _ content: String) -> JSONValue {
            ["type": "user_message", "message_id": .string(id), "content": .string(content)]
        }
        var bench = CoreBench.connected(.send(text: "One")) { $0.chat = .userMessage }
        bench.frame(Self.part("start", "a1"), Self.part("chunk", "a1", "Hello"), Self.part("end", "a1"))
        bench.frame(echo("q1", "One"))
        #expect(bench.talk == ["user: One", "assistant: Hello"])
        #expect(bench.state.transcript.map(\.id) == ["q1", "a1"] && bench.state.transcript[0].isDelivered)
        bench.frame(echo("q1", "One"))
        #expect(bench.talk == ["user: One", "assistant: Hello"])
        bench.frame(echo("q2", "One"))
        #expect(bench.talk == ["user: One", "assistant: Hello", "user: One"])
    }

    @Test("A chunk after the end of an answer is not added to the next answer")
    func strayPiece() {
        var bench = CoreBench.connected()
        func ask(_ text: String) {
            bench.perform(.send(text: text))
            bench.frame(["type": "message_received"], CoreBench.chunk("Hel"))
        }
        ask("One")
        bench.frame(["type": "stream_complete"], CoreBench.chunk("lo"))
        bench.waitAlive()
        bench.failThrice()
        #expect(!bench.state.isBusy)
        ask("Two")
        let begin = ["user: One", "assistant: Hel", "assistant: lo…", "user: Two"]
        #expect(bench.talk == begin + ["assistant: Hel…"])
        bench.frame(["type": "stream_complete"])
        #expect(bench.talk == begin + ["assistant: Hel"])
    }

    @Test("The client waits 60 s for a silent coach")
    func silence() {
        var bench = CoreBench.connected(.send(text: "One"))
        bench.frame(["type": "message_received"])
        bench.wait(10)
        bench.frame(CoreBench.chunk("Well, "))
        bench.waitAlive()
        #expect(bench.state.isBusy && bench.take().last == "70 \(Self.history)")
        bench.recall("user: One")
        #expect(bench.state.problems.map(\.kind) == [.unavailable] && !bench.state.isBusy)
        #expect(!bench.talk.contains("assistant: Well, "))
        bench.perform(.send(text: "Two"))
        #expect(bench.take().last?.hasSuffix(#"> {"type":"message","content":"Two"}"#) == true)
    }

    @Test("The transcript and the list of problems are limited")
    func bounded() {
        var bench = CoreBench {
            $0.limits.transcriptLines = 4
            $0.limits.problems = 2
        }
        bench.connect(history: .array((1...9).map { CoreBench.message("\($0)", "user", "\($0)") }))
        #expect(bench.state.transcript.map(\.text) == ["6", "7", "8", "9"])
        bench.perform(.send(text: "Ten"))
        bench.frame(CoreBench.chunk("A"), CoreBench.chunk("B"))
        #expect(bench.state.transcript.map(\.text) == ["8", "9", "Ten", "AB"])
        for _ in 0..<5 { bench.frame(["type": "error", "error": "No."]) }
        #expect(bench.state.problems.count == 2)
    }
}
