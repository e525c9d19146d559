import FitIQAPI
import Testing
import WebSocket

@testable import Faults

/// The server's messages for one question and its answer.
enum Talk {
    static let connected = #"{"type":"connected","timestamp":"2025-01-29T10:30:00Z"}"#
    static let received = #"{"type":"message_received"}"#
    static func chunk(_ number: Int) -> String { #"{"type":"stream_chunk","content":"\#(number)é"}"# }
    static let complete = #"{"type":"stream_complete"}"#
    static let pong = #"{"type":"pong"}"#
    static let error = #"{"type":"error","error":"no"}"#

    static let answer = [received, chunk(1), chunk(2), chunk(3), complete]
    static let all = [connected] + answer + [pong] + answer
}

func frame(_ text: String, _ firstByte: UInt8 = 0x81) -> [UInt8] { frame(bytes(text), firstByte) }

/// A short unmasked frame, built by hand.
func frame(_ payload: [UInt8], _ firstByte: UInt8 = 0x81) -> [UInt8] {
    precondition(payload.count < 65536)
    return payload.count < 126
        ? [firstByte, UInt8(payload.count)] + payload
        : [firstByte, 126, UInt8(payload.count / 256), UInt8(payload.count % 256)] + payload
}

func socketFaults(_ faults: [(SocketFault, SocketPoint)], seed: UInt64 = 7) throws -> SocketFaults {
    let rules = faults.enumerated().map { FaultRule.socket("r\($0.offset)", $0.element.0, at: $0.element.1) }
    var book = FaultBook(rules: rules, seed: seed)
    return try unwrap(book.openSocket(at: .after(0))?.socket)
}

@Suite("Socket faults")
struct SocketFaultTests {
    /// The output for `connected`, `message_received` and `stream_chunk`, with the fault at the second.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let fault: SocketFault
        let point: SocketPoint
        let bytes: [UInt8]
        let marks: [Transmission.Mark]
        let close: Outgoing.Close?
        let seen: [WebSocket.Event]
        let isOver: Bool

        /// Unless the case says otherwise, the client gets all messages, or only the first from a socket that is over.
        init(
            _ name: String, _ fault: SocketFault, at point: SocketPoint = .frames(.only(2)), isOver: Bool = false,
            bytes: [UInt8]? = nil, marks: [Transmission.Mark] = [], close: Outgoing.Close? = nil,
            seen: [WebSocket.Event]? = nil
        ) {
            (testDescription, self.fault, self.point, self.isOver) = (name, fault, point, isOver)
            self.bytes = bytes ?? (isOver ? f1 : f1 + f2 + f3)
            (self.marks, self.close) = (marks, close)
            self.seen = seen ?? (isOver ? [t1] : [t1, t2, t3])
        }
    }

    static let (first, second, third) = (Talk.connected, Talk.received, Talk.chunk(1))
    static let (f1, f2, f3) = (frame(first), frame(second), frame(third))
    static let (t1, t2, t3): (WebSocket.Event, WebSocket.Event, WebSocket.Event) = (
        .text(bytes(first)), .text(bytes(second)), .text(bytes(third))
    )
    static let end2 = f1.count + f2.count

    static let cases: [Case] = [
        Case("close", .close(code: 1011, reason: "no"), isOver: true, close: .init(code: 1011, reason: "no")),
        Case("close without code", .close(code: nil, reason: "gone"), isOver: true, close: .init(code: nil)),
        Case("finish", .finish, isOver: true, marks: [.init(f1.count, .finish)]),
        Case("reset", .reset, isOver: true, marks: [.init(f1.count, .reset)]),
        Case("silence", .silence, isOver: true, marks: [.init(f1.count, .silence)]),
        Case(
            "cut and finish", .cut(after: 5, reset: false), isOver: true, bytes: f1 + f2.prefix(5),
            marks: [.init(f1.count + 5, .finish)]),
        Case(
            "cut in the header and reset", .cut(after: 1, reset: true), isOver: true, bytes: f1 + [0x81],
            marks: [.init(f1.count + 1, .reset)]),
        Case(
            "cut behind the frame", .cut(after: .max, reset: true), isOver: true, bytes: f1 + f2,
            marks: [.init(end2, .reset)], seen: [t1, t2]),
        Case(
            "reserved bits", .reservedBits(5), bytes: f1 + [0xD1] + f2.dropFirst() + f3,
            seen: [
                t1,
                .failed(
                    code: .protocolError,
                    message:
                        "RSV1, RSV3 are set, but no extension was negotiated. Send uncompressed frames with reserved bits 0."
                ),
            ]),
        Case(
            "invalid UTF-8", .invalidUTF8, bytes: f1 + f2.dropLast() + [0xFF] + f3,
            seen: [
                t1,
                .failed(
                    code: .invalidPayload,
                    message: "Text is not UTF-8: byte 0xFF at index 26. Send UTF-8, or a binary message."),
            ]),
        Case(
            "fragments", .fragments(at: [9, 2]),
            bytes: f1 + frame(#"{""#, 0x01) + frame(#"type":""#, 0x00) + frame(#"message_received"}"#, 0x80) + f3),
        Case(
            "a fragment inside a character", .fragments(at: [34]), at: .frames(.only(3)),
            bytes: f1 + f2 + frame(Array(bytes(third).prefix(34)), 0x01)
                + frame(Array(bytes(third).dropFirst(34)), 0x80)),
        Case("fragments outside the text", .fragments(at: [-1, 0, 27, 28, .max])),
        Case("binary", .binary, bytes: f1 + frame(second, 0x82) + f3, seen: [t1, .binary(bytes(second)), t3]),
        Case("lose", .lose, bytes: f1 + f3, seen: [t1, t3]),
        Case("double", .double, bytes: f1 + f2 + f2 + f3, seen: [t1, t2, t2, t3]),
        Case("swap", .swap, bytes: f1 + f3 + f2, seen: [t1, t3, t2]),
        Case(
            "coalesce", .coalesce(count: 2), at: .frames(Selection(first: 2)), bytes: f1 + frame(second + "\n" + third),
            seen: [t1, .text(bytes(second + "\n" + third))]),
        Case("delay", .delay(9), marks: [.init(f1.count, .wait(9))]),
        Case(
            "dribble", .dribble(bytes: 10, every: 3),
            marks: [.init(f1.count + 10, .wait(3)), .init(f1.count + 20, .wait(3))]),
        Case("replace", .replace(text: "{}"), bytes: f1 + frame("{}") + f3, seen: [t1, .text(bytes("{}")), t3]),
        Case("insert", .insert(text: "{}"), bytes: f1 + frame("{}") + f2 + f3, seen: [t1, .text(bytes("{}")), t2, t3]),
        Case(
            "nanosecond timestamps", .nanosecondTimestamps, at: .frames(.all),
            bytes: frame(first.replacing("00Z", with: "00.858602930Z")) + f2 + f3,
            seen: [.text(bytes(first.replacing("00Z", with: "00.858602930Z"))), t2, t3]),
        Case("withheld pongs", .withholdPong),
        Case("a stalled reader", .stallReading),
        Case(
            "an end after a wait", .end(.finish, after: 9), isOver: true, bytes: f1 + f2,
            marks: [.init(end2, .wait(9)), .init(end2, .finish)], seen: [t1, t2]),
        Case(
            "an end at once", .end(.reset, after: 0), isOver: true, bytes: f1 + f2,
            marks: [.init(end2, .wait(0)), .init(end2, .reset)], seen: [t1, t2]),
        Case(
            "silence after a wait, and a byte", .end(.silence, after: 9), at: .byte(f1.count + 5), isOver: true,
            bytes: f1 + f2, marks: [.init(end2, .wait(9)), .init(end2, .silence)], seen: [t1, t2]),
        Case(
            "escape", .escape, at: .frames(.all), bytes: f1 + f2 + frame(third.replacing("é", with: #"\u00e9"#)),
            seen: [t1, t2, .text(bytes(third.replacing("é", with: #"\u00e9"#)))]),
        // The fault takes effect at a certain byte.
        Case(
            "finish at a byte", .finish, at: .byte(f1.count + 5), isOver: true, bytes: f1 + f2.prefix(4),
            marks: [.init(f1.count + 4, .finish)]),
        Case(
            "reset at the first byte of a frame", .reset, at: .byte(f1.count + 1), isOver: true,
            marks: [.init(f1.count, .reset)]),
        Case(
            "reset at the last byte of a frame", .reset, at: .byte(end2), isOver: true, bytes: f1 + f2.dropLast(),
            marks: [.init(end2 - 1, .reset)]),
        Case(
            "cut two bytes beyond a byte", .cut(after: 2, reset: false), at: .byte(f1.count + 5), isOver: true,
            bytes: f1 + f2.prefix(6), marks: [.init(f1.count + 6, .finish)]),
        Case(
            "close at a byte", .close(code: 1000, reason: ""), at: .byte(f1.count + 5), isOver: true,
            bytes: f1 + f2.prefix(4), close: .init(code: 1000)),
        Case("delay at a byte", .delay(9), at: .byte(f1.count + 5), marks: [.init(f1.count + 4, .wait(9))]),
        Case(
            "dribble from a byte", .dribble(bytes: 10, every: 3), at: .byte(f1.count + 11),
            marks: [.init(f1.count + 20, .wait(3))]),
        Case("lose what has a byte", .lose, at: .byte(end2), bytes: f1 + f3, seen: [t1, t3]),
        Case("a byte that does not exist", .reset, at: .byte(0)),
    ]

    @Test("The parser finds a type of up to 64 bytes anywhere in a message's text", arguments: ["", " "])
    func types(_ space: String) {
        for (count, isType) in [(64, true), (65, false)] {
            let type = String(repeating: "t", count: count)
            #expect(ServerText(bytes(#"{\#(space)"type":"\#(type)"}"#)).type == (isType ? type : nil))
        }
    }

    @Test("Each fault writes exact bytes and has the expected effect on a client", arguments: cases)
    func send(example: Case) throws {
        var socket = try socketFaults([(example.fault, example.point)])
        var out = Transmission()
        var close: Outgoing.Close?
        for text in [Self.first, Self.second, Self.third] {
            let sent = socket.send(bytes(text))
            #expect(close == nil || sent == Outgoing(), "Nothing follows a close.")
            if sent != Outgoing() { out.append(sent.transmission) }
            close = close ?? sent.close
        }
        #expect((out.bytes, out.marks) == (example.bytes, example.marks))
        #expect(out.endsConnection == (example.isOver && example.close == nil))
        #expect(close == example.close)
        #expect(readFrames(out.bytes) == example.seen)
        #expect(socket.isOver == example.isOver)
        #expect(socket.isSilent == [.silence, .end(.silence, after: 9)].contains(example.fault))
        #expect(socket.withholdsPongs == (example.fault == .withholdPong))
        #expect(socket.stallsReading == (example.fault == .stallReading))
        #expect(socket.close().transmission == Transmission())
        #expect(socket.waitingByteCount == 0)
    }

    @Test("A client rejects a masked frame with 1002")
    func masked() throws {
        var socket = try socketFaults([(.masked, .frames(.all)), (.fragments(at: [5]), .frames(.all))])
        let sent = socket.send(bytes(Talk.received)).transmission.bytes
        #expect(sent.count == 27 + 2 * 6)
        #expect(sent[0] == 0x01 && sent[1] == 0x80 | 5)
        #expect(
            readFrames(sent) == [
                .failed(
                    code: .protocolError,
                    message:
                        "A server frame arrived masked. Servers must not mask: clear the MASK bit (RFC 6455 §5.1).")
            ])
        // A server accepts masked frames, so it can read their contents.
        var server = WebSocket.Connection(role: .server)
        var (events, out): ([WebSocket.Event], [UInt8]) = ([], [])
        server.receive(sent, events: &events, output: &out)
        #expect(events == [.text(bytes(Talk.received))])
        #expect(sent[2..<6] != [0, 0, 0, 0])
        // The key derives from the seed, the rule, the connection and the frame, so it never changes.
        let chance = Chance(seed: 7).mixing("r0".utf8).mixing(1).mixing(1)
        let key = sent[2..<6].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        #expect(key == chance.next(below: UInt64(UInt32.max)) + 1)
    }

    /// The indexes in ``Talk/all`` that a point selects.
    static let pointTable: [(SocketPoint, [Int])] = [
        (.frames(.all), Array(0..<12)), (.frames(.only(1)), [0]),
        (.frames(Selection(first: 3, last: 9, step: 3)), [2, 5, 8]), (.frames(Selection(first: 13)), []),
        (.type("pong", .all), [6]), (.type("pong", .only(2)), []), (.type("stream_chunk", .all), [2, 3, 4, 8, 9, 10]),
        (.type("stream_chunk", .only(5)), [9]), (.type("message_received", .only(2)), [7]), (.type("none", .all), []),
        (.chunks(.only(2), ofAnswer: nil), [3, 9]), (.chunks(.only(3), ofAnswer: 1), [4]),
        (.chunks(.all, ofAnswer: 2), [8, 9, 10]), (.chunks(.all, ofAnswer: 3), []),
        (.chunks(.only(4), ofAnswer: nil), []), (.byte(1), [0]), (.byte(frame(Talk.connected).count), [0]),
        (.byte(frame(Talk.connected).count + 1), [1]), (.byte(.max), []), (.byte(.min), []),
        (.frames(Selection(perMille: 0)), []),
    ]

    @Test("The point at which a rule takes effect does not depend on other rules' effects", arguments: pointTable)
    func points(point: SocketPoint, expected: [Int]) throws {
        for others in [
            [], [(.lose, .frames(Selection(step: 2)))],
            [(.double, .frames(.all)), (.replace(text: ""), .frames(.all))],
        ]
            as [[(SocketFault, SocketPoint)]]
        {
            var socket = try socketFaults(others + [(.delay(1), point)])
            let name = "r\(others.count)"
            let acted = Talk.all.indices.filter { socket.send(bytes(Talk.all[$0])).ruleNames.contains(name) }
            #expect(acted == expected)
        }
    }

    @Test("In the assistant protocol, the start of a new answer ends an unfinished answer")
    func assistantAnswers() throws {
        func text(_ type: String) -> [UInt8] { bytes(#"{"type":"\#(type)"}"#) }
        let (start, chunk, end) = ("assistant_message_start", "assistant_message_chunk", "assistant_message_end")
        let all = ["connected", start, chunk, chunk, "error", start, chunk, end, "error", start, start, chunk, end]
        var socket = try socketFaults([
            (.delay(1), .chunks(.only(1), ofAnswer: nil)), (.delay(1), .chunks(.all, ofAnswer: 3)),
        ])
        let acted = all.map { socket.send(text($0)).ruleNames }
        #expect(acted.indices.filter { acted[$0].contains("r0") } == [2, 6, 11])
        #expect(acted.indices.filter { acted[$0].contains("r1") } == [11])
    }

    @Test(
        "The parser finds a recorded message's type anywhere in the text",
        arguments: [
            #"{"x":1,"type":"a"}"#, #"{ "type" : "a" }"#, "\n{\"type\":\"a\"}", #"{"x":{"type":"b"},"type":"a"}"#,
            #"{"type":"\u0061"}"#,
        ])
    func recordedTypes(_ text: String) throws {
        #expect(ServerText(bytes(text)).type == "a")
        var socket = try socketFaults([(.delay(1), .type("a", .only(1)))])
        #expect(socket.send(bytes(text)).ruleNames == ["r0"])
    }

    @Test("The fast search finds the type in messages from the server's own encoder")
    func types() {
        #expect(ServerText(bytes(#"{"type":"a_b.c","x":1}"#)).type == "a_b.c")
        #expect(ServerText(bytes(#"{"type":""}"#)).type == "")
        // The reader ignores the rest of the message, which need not be JSON.
        #expect(ServerText(bytes(#"{"type":"a","x":"#)).type == "a")
        for other in ["", "{}", #"{"type":"a"#, #"{"type":1}"#, #"{"x":{"type":"a"}}"#, #"[{"type":"a"}]"#] {
            #expect(ServerText(bytes(other)).type == nil)
        }
        let frames: [ServerFrame] = [
            .connected(user: nil), .messageReceived, .streamChunk(content: "x"), .streamComplete(nil), .pong,
        ]
        for frame in frames {
            for form in GuideMode.allCases {
                var ids = ResourceIDSequence(seed: 1)
                let encoded = frame.encoded(consultationID: ids.next(), at: .after(0), in: form)
                #expect(ServerText(encoded).type == frame.type)
            }
        }
    }

    @Test("From the first matching pong on, both kinds of pong are withheld until the rule is disabled")
    func withheldPongs() throws {
        var socket = try socketFaults([(.withholdPong, .type("pong", .only(2)))])
        #expect(socket.send(bytes(Talk.pong)).transmission.bytes == frame(Talk.pong))
        #expect(!socket.withholdsPongs)
        let second = socket.send(bytes(Talk.pong))
        #expect((second.transmission, second.setIn) == (Transmission(), [.init(fault: .withholdPong, ruleName: "r0")]))
        #expect(socket.withholdsPongs)
        #expect(socket.send(bytes(Talk.pong)).transmission == Transmission())
        #expect(socket.send(bytes(Talk.error)).transmission.bytes == frame(Talk.error))
        #expect(socket.setEnabled(false, named: "r0") == true)
        #expect(!socket.withholdsPongs)
        #expect(socket.send(bytes(Talk.pong)).transmission.bytes == frame(Talk.pong))
        #expect(socket.setEnabled(false, named: "none") == false)
    }

    @Test("Switching several rules together has the same effect as switching them individually")
    func changed() throws {
        var socket = try socketFaults([
            (.withholdPong, .frames(.all)), (.stallReading, .frames(.all)), (.delay(5), .frames(.all)),
        ])
        #expect(socket.send(bytes(Talk.pong)).setIn.map(\.ruleName) == ["r0", "r1"])
        #expect(socket.send(bytes(Talk.pong)).setIn.isEmpty, "each sets in once")
        #expect(socket.withholdsPongs && socket.stallsReading)
        #expect(socket.change([:]) == false)
        #expect(socket.change(["none": .removed]) == false)
        #expect(socket.withholdsPongs && socket.stallsReading)
        #expect(socket.change(["r0": .enabled(false), "r1": .removed, "none": .removed]) == true)
        #expect(!socket.withholdsPongs && !socket.stallsReading)
        #expect(socket.change(["r0": .enabled(true), "r1": .enabled(true)]) == true)
        #expect(socket.withholdsPongs && !socket.stallsReading, "what was taken out stays out")
        #expect(!socket.change(["r1": .enabled(true)]) == true)
    }

    @Test("Several faults can affect the same message")
    func composed() throws {
        var socket = try socketFaults([
            (.replace(text: "abc"), .frames(.all)), (.binary, .frames(.all)), (.double, .frames(.all)),
            (.fragments(at: [1]), .frames(.all)), (.reservedBits(4), .frames(.all)), (.delay(5), .frames(.all)),
            (.dribble(bytes: 4, every: 2), .frames(.all)), (.cut(after: 9, reset: true), .frames(.all)),
            (.finish, .frames(.all)),
        ])
        let sent = socket.send(bytes(Talk.connected))
        #expect(sent.transmission.bytes == [0x42, 1, 0x61, 0x80, 2, 0x62, 0x63, 0x42, 1])
        #expect(
            sent.transmission.marks == [.init(0, .wait(5)), .init(4, .wait(2)), .init(8, .wait(2)), .init(9, .reset)])
        #expect(sent.ruleNames == (0..<9).map { "r\($0)" })
        #expect(socket.send(bytes(Talk.received)) == Outgoing())
    }

    @Test("A delay applies before a close and before the end of the connection")
    func delayedEnd() throws {
        var closing = try socketFaults([(.delay(5), .frames(.all)), (.close(code: 1005, reason: "x"), .frames(.all))])
        let closed = closing.send(bytes(Talk.connected))
        #expect(closed.transmission == Transmission([], marks: [.init(0, .wait(5))]))
        #expect(closed.close == .init(code: 1005, reason: "x"))
        var silent = try socketFaults([(.silence, .frames(.all)), (.delay(5), .frames(.all))])
        #expect(
            silent.send(bytes(Talk.connected)).transmission
                == Transmission([], marks: [.init(0, .wait(5)), .init(0, .silence)]))
        #expect(silent.isSilent)
    }

    @Test(
        "The escape fault writes JSON escapes and leaves invalid UTF-8 unchanged",
        arguments: [
            ("", ""), (#"{"a":"b\n\""}"#, #"{"a":"b\n\""}"#), ("é", #"\u00e9"#), ("\u{80}", #"\u0080"#),
            ("\u{FFFF}", #"\uffff"#), ("\u{10000}", #"\ud800\udc00"#), ("👍🏽!", #"\ud83d\udc4d\ud83c\udffd!"#),
            ("\u{10FFFF}", #"\udbff\udfff"#), ("\u{AA}", #"\u00aa"#),
        ])
    func escapes(_ text: String, _ expected: String) {
        #expect(JSONEscapes.escape(bytes(text)) == bytes(expected))
        #expect(JSONEscapes.escape([0xFF] + bytes(text) + [0xC3]) == [0xFF] + bytes(expected) + [0xC3])
    }

    @Test("A fragment can split a surrogate pair")
    func escapesAndEnds() throws {
        var socket = try socketFaults([
            (.escape, .frames(.all)), (.fragments(at: [6]), .frames(.only(1))), (.lose, .frames(.only(2))),
            (.end(.reset, after: 5), .frames(.only(2))),
        ])
        #expect(socket.send(bytes("👍")).transmission.bytes == frame(#"\ud83d"#, 0x01) + frame(#"\udc4d"#, 0x80))
        let last = socket.send(bytes(Talk.received))
        #expect(last.transmission == Transmission([], marks: [.init(0, .wait(5)), .init(0, .reset)]))
        #expect(last.messages.map(\.extent) == [.nothing] && last.endingRule == "r3")
    }

    @Test("Faults can be applied to a message with empty text")
    func empty() throws {
        for fault in [.invalidUTF8, .fragments(at: [0, 1]), .double, .masked, .cut(after: 3, reset: false)]
            as [SocketFault]
        {
            var socket = try socketFaults([(fault, .frames(.all))])
            #expect(socket.send([]).transmission.bytes.count >= 2)
        }
    }

    @Test("A message can have only a limited number of fragments")
    func fragmentLimit() throws {
        var socket = try socketFaults([(.fragments(at: Array(1...2000)), .frames(.all))])
        let text = [UInt8](repeating: 0x61, count: 3000)
        let sent = socket.send(text).transmission.bytes
        #expect(readFrames(sent) == [.text(text)])
        // 999 frames of one byte, and a frame with the rest, whose length takes two bytes.
        #expect(sent.count == 999 * 3 + 4 + 2001)
    }
}
