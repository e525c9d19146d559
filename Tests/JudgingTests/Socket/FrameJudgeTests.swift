import Testing
import WebSocket

@testable import Judging

@Suite("Judges for frames")
struct FrameJudgeTests {
    private static func unusable(_ reason: String) -> String { "The backend cannot process this frame. \(reason)" }

    static let shapeCases: [SocketCase] = [
        SocketCase("both protocols and a ping", .kept(3)) {
            $0.connect(1, at: 0).ask(1, at: 1)
            $0.say(1, #"{"type":"user_message","content":"Hi","metadata":{"a":1}}"#, at: 2)
            $0.say(1, #"{"type":"ping"}"#, at: 3)
        },
        SocketCase("control frames are none", .notExercised) {
            $0.connect(1, at: 0).ping(1, at: 1).say(1, "", at: 1, opcode: .pong)
        },
        SocketCase("what the server sends is its own", .notExercised) { $0.hear(1, text: "nonsense", at: 0) },
        SocketCase("2000 characters", .kept()) { $0.say(1, chat(2000), at: 1) },
        SocketCase(
            "2001 characters",
            .broken(
                unusable("The frame's 'content' has 2001 characters after trimming; at most 2000 are allowed."), [1])
        ) { $0.say(1, chat(2001), at: 1) },
        SocketCase(
            "blank",
            .broken(unusable("The frame's 'content' is blank; send a text of 1 to 2000 characters."), [1])
        ) { $0.say(1, #"{"type":"message","content":" \n "}"#, at: 1) },
        SocketCase("binary", .broken(unusable("A binary frame arrived; send JSON in text frames."), [1])) {
            $0.say(1, #"{"type":"ping"}"#, at: 1, opcode: .binary)
        },
        SocketCase(
            "of no known type",
            .broken(unusable("The frame's 'type' is \"chat\"; send \"message\", \"user_message\" or \"ping\"."), [1])
        ) { $0.say(1, #"{"type":"chat","content":"Hello"}"#, at: 1) },
        SocketCase(
            "no JSON",
            .broken(
                unusable(
                    "The frame is not valid JSON: line 1, column 1: expected a value but found 'Hello'; strings need double quotes."
                ), [1])
        ) { $0.say(1, "Hello", at: 1) },
        SocketCase("too long for the journal", .notExercised) {
            $0.say(
                1, #"{"type":"message","content":"Hi","metadata":"\#(String(repeating: "x", count: 70_000))"}"#, at: 1)
        },
    ]

    private static func chat(_ count: Int) -> String {
        #"{"type":"message","content":" \#(String(repeating: "é", count: count)) "}"#
    }

    @Test("The ws/message-shape judge reaches the expected verdict", arguments: shapeCases)
    func shape(_ row: SocketCase) { row.check(MessageShape.self) }

    private static let talkedOver =
        "The client sent a chat message while the answer that began at 10:30:02 was still streaming."

    private static let unanswered = "The client sent a chat message while the question from 10:30:01 had no answer yet."

    static let streamingCases: [SocketCase] = [
        SocketCase("asked after the end", .kept()) { $0.answered().ask(1, at: 5) },
        SocketCase("asked once", .notExercised) { $0.answered() },
        SocketCase("asked twice before anything came", .broken(unanswered, [3, 5])) {
            $0.connect(1, at: 0).ask(1, at: 1).hear(1, "message_received", at: 1).ask(1, at: 1.5)
        },
        SocketCase("asked five times in one go", .broken(unanswered, [3, 4], count: 4)) {
            $0.connect(1, at: 0)
            for _ in 0..<5 { $0.ask(1, at: 1) }
        },
        SocketCase(
            "asked twice, in the other protocol and in its guide", .broken(unanswered, [3, 4]),
            in: .enhancedConsultations
        ) {
            $0.connect(1, at: 0)
            for _ in 0..<2 { $0.say(1, #"{"type":"user_message","content":"Hi"}"#, at: 1) }
        },
        SocketCase("the first was refused", .notExercised) {
            $0.connect(1, at: 0).ask(1, at: 1).hear(1, "error", at: 1).ask(1, at: 1.5)
        },
        SocketCase("the first was of no use, which is another's", .notExercised) {
            $0.connect(1, at: 0).say(1, #"{"type":"message","content":" "}"#, at: 1).ask(1, at: 1)
        },
        SocketCase("no answer came for longer than 10 s", .notExercised) {
            $0.connect(1, at: 0).ask(1, at: 1).hear(1, "message_received", at: 1).ask(1, at: 11.01)
        },
        SocketCase("no answer came for 10 s", .broken(unanswered, [3, 4])) {
            $0.connect(1, at: 0).ask(1, at: 1).ask(1, at: 11)
        },
        SocketCase("the answer was lost", .notExercised) {
            $0.connect(1, at: 0).ask(1, at: 1).hear(1, "message_received", at: 1)
            $0.hear(1, "stream_complete", at: 2, .none, faults: ["lose"]).ask(1, at: 3)
        },
        SocketCase("what came of it was broken", .notExercised) {
            $0.connect(1, at: 0).ask(1, at: 1).hear(1, text: "{", at: 2, faults: ["break"]).ask(1, at: 3)
        },
        SocketCase("asked again on the next socket", .notExercised) {
            $0.connect(1, at: 0).ask(1, at: 1).drop(1, at: 2).connect(2, at: 3).ask(2, at: 3)
        },
        SocketCase("the server reads no more", .notExercised) {
            $0.connect(1, at: 0).ask(1, at: 1).fault(1, .stallReading, at: 1).ask(1, at: 2)
        },
        SocketCase("a ping is no question", .notExercised) {
            $0.connect(1, at: 0).ask(1, at: 1).say(1, #"{"type":"ping"}"#, at: 2)
        },
        SocketCase("asked while it streams", .broken(talkedOver, [4, 6])) { $0.streaming().ask(1, at: 3) },
        SocketCase("asked while it streams, in the other protocol", .broken(talkedOver, [4, 5])) {
            $0.connect(1, at: 0).say(1, #"{"type":"user_message","content":"Hi"}"#, at: 1)
            $0.hear(1, "assistant_message_start", at: 2).say(1, #"{"type":"user_message","content":"Hi"}"#, at: 3)
        },
        SocketCase("asked twice while it streams", .broken(talkedOver, [4, 6], count: 2)) {
            $0.streaming().ask(1, at: 3).ask(1, at: 3)
        },
        SocketCase("crossed by 50 ms with the first piece of an answer to another device", .notExercised) {
            $0.connect(1, at: 0).hear(1, "stream_chunk", at: 2).ask(1, at: 2.05)
        },
        SocketCase("crossed with the first piece, a question too many", .broken(unanswered, [3, 6])) {
            $0.streaming().ask(1, at: 2.05)
        },
        SocketCase("came 51 ms after the first piece", .broken(talkedOver, [4, 6])) {
            $0.streaming().ask(1, at: 2.051)
        },
        SocketCase("nothing came for 10 s", .broken(talkedOver, [4, 6])) { $0.streaming().ask(1, at: 12.01) },
        SocketCase("nothing came for longer", .notExercised) { $0.streaming().ask(1, at: 12.02) },
        SocketCase("asked twice, and again when the first answer has ended", .broken(unanswered, [3, 4], count: 2)) {
            $0.connect(1, at: 0).ask(1, at: 1).ask(1, at: 1.5).hear(1, "stream_chunk", at: 2)
            $0.hear(1, "stream_complete", at: 15).ask(1, at: 16)
        },
        SocketCase("asked twice, and again when both answers have ended", .broken(unanswered, [3, 4])) {
            $0.connect(1, at: 0).ask(1, at: 1).ask(1, at: 1.5)
            for time in [2.0, 3] { $0.hear(1, "stream_complete", at: time) }
            $0.ask(1, at: 4)
        },
        SocketCase("asked again after a long silence, and once more after the late answer", .notExercised) {
            $0.connect(1, at: 0)
            for time in [1.0, 12] { $0.ask(1, at: time) }
            $0.hear(1, "stream_complete", at: 13).ask(1, at: 14)
        },
        SocketCase("an error broke it off", .kept()) { $0.streaming().hear(1, "error", at: 2.5).ask(1, at: 3) },
        SocketCase("its end was lost", .notExercised) {
            $0.streaming().hear(1, "stream_complete", at: 2.5, .none, faults: ["lose"]).ask(1, at: 3)
        },
        SocketCase("its end may have been broken", .notExercised) {
            $0.streaming().hear(1, text: "{", at: 2.5, faults: ["break"]).ask(1, at: 3)
        },
        SocketCase("a piece went astray behind the end", .kept()) {
            $0.answered().hear(1, "stream_chunk", at: 4, faults: ["swap"]).ask(1, at: 5)
        },
        SocketCase("a first piece was late", .broken(talkedOver, [4, 5])) {
            $0.connect(1, at: 0).ask(1, at: 1).hear(1, "stream_chunk", at: 2, faults: ["late"]).ask(1, at: 3)
        },
        SocketCase("a first piece was lost", .notExercised) {
            $0.connect(1, at: 0).ask(1, at: 1).hear(1, "stream_chunk", at: 2, .none, faults: ["lose"]).ask(1, at: 3)
        },
        SocketCase("another socket streams", .notExercised) { $0.streaming().connect(2, at: 2.5).ask(2, at: 3) },
        SocketCase("silenced", .notExercised) { $0.streaming().fault(1, .silence, at: 2.5).ask(1, at: 3) },
    ]

    @Test("The ws/no-send-while-streaming judge reaches the expected verdict", arguments: streamingCases)
    func streaming(_ row: SocketCase) { row.check(NoSendWhileStreaming.self) }

    static func idle(_ seconds: String, since clock: String = "10:30:00") -> String {
        "The socket was idle for \(seconds) s from \(clock); a ping is expected every 30 s."
    }

    static let keepAliveCases: [SocketCase] = [
        SocketCase("pings in time", .kept()) { $0.connect(1, at: 0).ping(1, at: 25).ping(1, at: 50).leave(1, at: 60) },
        SocketCase("JSON pings 2 s late", .kept(), until: 64) {
            $0.connect(1, at: 0).say(1, #"{"type":"ping"}"#, at: 32).hear(1, "pong", at: 32)
        },
        SocketCase("a ping comes later", .broken(idle("32.001"), [2, 3])) { $0.connect(1, at: 0).ping(1, at: 32.001) },
        SocketCase("never idle", .notExercised) {
            $0.connect(1, at: 0).ask(1, at: 20).hear(1, "message_received", at: 20)
            $0.hear(1, "meal_log.completed", at: 45).leave(1, at: 60)
        },
        SocketCase("no ping before the client left", .broken(idle("40"), [2, 3])) {
            $0.connect(1, at: 0).leave(1, at: 40)
        },
        SocketCase("no ping at the end", .broken(idle("32.5"), [2]), until: 32.5) { $0.connect(1, at: 0) },
        SocketCase("the end is near", .kept(), until: 32) { $0.connect(1, at: 0) },
        SocketCase("the end is nearer", .notExercised, until: 29.9) { $0.connect(1, at: 0) },
        SocketCase("the end is when a ping is due", .kept(), until: 30) { $0.connect(1, at: 0) },
        SocketCase("a question is traffic", .notExercised) { $0.connect(1, at: 0).ask(1, at: 20).leave(1, at: 45) },
        SocketCase("idle twice, and pings each time", .kept(2)) {
            $0.connect(1, at: 0).ping(1, at: 25).ask(1, at: 31).ping(1, at: 55).leave(1, at: 62)
        },
        SocketCase("idle twice", .broken(idle("40"), [2, 3], count: 2), until: 81) {
            $0.connect(1, at: 0).ask(1, at: 40)
        },
        SocketCase("a lost frame is no traffic", .broken(idle("35"), [2, 4])) {
            $0.connect(1, at: 0).hear(1, "meal_log.failed", at: 20, .none, faults: ["lose"]).ask(1, at: 35)
        },
        SocketCase("silenced", .notExercised, until: 99) { $0.connect(1, at: 0).fault(1, .silence, at: 20) },
        SocketCase("not read any more", .notExercised, until: 99) {
            $0.connect(1, at: 0).fault(1, .stallReading, at: 20)
        },
        SocketCase("silenced too late", .broken(idle("33"), [2, 3]), until: 99) {
            $0.connect(1, at: 0).fault(1, .silence, at: 33)
        },
        SocketCase("pings without pongs", .kept(), until: 70) {
            $0.connect(1, at: 0).fault(1, .withholdPong, at: 1).ping(1, at: 30).ping(1, at: 60)
        },
        SocketCase("the server is closing", .notExercised, until: 99) {
            $0.connect(1, at: 0).hear(1, text: #"{"type":"error","error":"Consultation is not active"}"#, at: 20)
        },
    ]

    @Test("The ws/keepalive judge reaches the expected verdict", arguments: keepAliveCases)
    func keepAlive(_ row: SocketCase) { row.check(KeepAlive.self) }
}

extension SocketStory {
    /// Entries 1 to 5: a question at 1 s, and two pieces of the answer at 2 s and 2.01 s.
    @discardableResult func streaming() -> SocketStory {
        connect(1, at: 0).ask(1, at: 1).hear(1, "stream_chunk", at: 2).hear(1, "stream_chunk", at: 2.01)
    }

    /// Entries 1 to 6: the streaming answer, and its end at 3 s.
    @discardableResult func answered() -> SocketStory { streaming().hear(1, "stream_complete", at: 3) }
}
