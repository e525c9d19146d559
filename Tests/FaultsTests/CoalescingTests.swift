import Testing
import WebSocket

@testable import Faults

@Suite("Coalescing messages")
struct CoalescingTests {
    /// What a client receives if these messages are sent in a row; `|` separates frames, and `+` separates messages
    /// within a frame.
    private static func heard(_ faults: [(SocketFault, SocketPoint)], _ messages: [String]) throws -> String {
        var socket = try socketFaults(faults)
        var out: [UInt8] = []
        for message in messages { out += socket.send(bytes(message)).transmission.bytes }
        out += socket.close().transmission.bytes
        return readFrames(out).map { event in
            guard case .text(let frame) = event else { return "?" }
            return text(frame).split(separator: "\n").map { name(String($0)) }.joined(separator: "+")
        }.joined(separator: "|")
    }

    private static func name(_ message: String) -> String {
        let names = [
            Talk.connected: "connected", Talk.received: "received", Talk.complete: "complete", Talk.pong: "pong",
            Talk.error: "error", Talk.chunk(1): "1", Talk.chunk(2): "2", Talk.chunk(3): "3",
        ]
        return names[message] ?? message
    }

    static let table: [(SocketPoint, Int, String)] = [
        (.frames(.all), 0, "connected|received|1|2|3|complete|pong|received|1|2|3|complete"),
        (.frames(.all), 1, "connected|received|1|2|3|complete|pong|received|1|2|3|complete"),
        (.frames(.all), 2, "connected|received+1|2+3|complete|pong|received+1|2+3|complete"),
        (.frames(.all), 3, "connected|received+1+2|3+complete|pong|received+1+2|3+complete"),
        (.frames(.all), 100, "connected|received+1+2+3+complete|pong|received+1+2+3+complete"),
        (.chunks(.all, ofAnswer: nil), 2, "connected|received|1+2|3|complete|pong|received|1+2|3|complete"),
        (.chunks(.all, ofAnswer: 2), 3, "connected|received|1|2|3|complete|pong|received|1+2+3|complete"),
        // In between, a message is sent that the rule does not select.
        (
            .chunks(Selection(step: 2), ofAnswer: nil), 2,
            "connected|received|1|2|3|complete|pong|received|1|2|3|complete"
        ),
        (.type("stream_chunk", .all), 5, "connected|received|1+2+3|complete|pong|received|1+2+3|complete"),
        (.type("connected", .all), 2, "connected|received|1|2|3|complete|pong|received|1|2|3|complete"),
        (.byte(1), 2, "connected|received|1|2|3|complete|pong|received|1|2|3|complete"),
    ]

    @Test("A coalescing rule determines which messages share a frame", arguments: table)
    func coalesce(point: SocketPoint, count: Int, expected: String) throws {
        #expect(try Self.heard([(.coalesce(count: count), point)], Talk.all) == expected)
    }

    @Test("A rule for a type combines only messages of that type")
    func ofType() throws {
        let rule = [(SocketFault.coalesce(count: 2), SocketPoint.type("pong", .all))]
        #expect(try Self.heard(rule, [Talk.pong, Talk.pong, Talk.pong]) == "pong+pong|pong")
        #expect(try Self.heard(rule, [Talk.pong, Talk.error, Talk.pong]) == "pong|error|pong")
    }

    @Test("Two coalescing rules keep their messages separate")
    func twoRules() throws {
        #expect(
            try Self.heard(
                [
                    (.coalesce(count: 5), .chunks(Selection(last: 2), ofAnswer: nil)),
                    (.coalesce(count: 5), .frames(Selection(first: 3))),
                ], [Talk.connected] + Talk.answer) == "connected|received|1+2|3+complete")
        // One message per frame changes nothing.
        let single: [(SocketFault, SocketPoint)] = [
            (.coalesce(count: 1), .frames(.all)), (.coalesce(count: 2), .frames(.all)),
        ]
        #expect(try Self.heard(single, Talk.answer) == "received+1|2+3|complete")
    }

    @Test(
        "A message announces more messages if its type begins or continues an answer",
        arguments: [
            ("stream_chunk", true), ("assistant_message_chunk", true), ("assistant_message_start", true),
            ("message_received", true), ("user_message", true), ("template_created", true), ("connected", false),
            ("pong", false), ("error", false), ("stream_complete", false), ("assistant_message_end", false),
        ])
    func announcements(_ type: String, _ announcesMore: Bool) {
        #expect(ServerText(bytes(#"{"type":"\#(type)"}"#)).announcesMore == announcesMore)
    }

    static let swaps: [([(SocketFault, SocketPoint)], String)] = [
        ([(.swap, .chunks(.only(1), ofAnswer: 1))], "connected|received|2|1|3|complete"),
        ([(.swap, .frames(.all))], "received|connected|2|1|complete|3"),
        ([(.swap, .frames(.only(6)))], "connected|received|1|2|3"),
        ([(.swap, .frames(.only(3))), (.lose, .frames(.only(4)))], "connected|received|1|3|complete"),
        ([(.swap, .frames(.only(3))), (.lose, .frames(.only(3)))], "connected|received|2|3|complete"),
        ([(.swap, .frames(.only(3))), (.double, .frames(.only(3)))], "connected|received|2|1|1|3|complete"),
        ([(.swap, .frames(.only(3))), (.finish, .frames(.only(4)))], "connected|received"),
        ([(.swap, .frames(.only(3))), (.coalesce(count: 2), .frames(.all))], "connected|received+2|1+3|complete"),
        ([(.swap, .frames(.only(3))), (.coalesce(count: 2), .frames(.only(4)))], "connected|received|2|1|3|complete"),
        ([(.coalesce(count: 9), .frames(.all)), (.lose, .frames(.only(6)))], "connected|received+1+2+3"),
        ([(.coalesce(count: 9), .frames(.all)), (.finish, .frames(.only(4)))], "connected|received+1"),
    ]

    @Test("Swapping and other faults also apply to coalesced messages", arguments: swaps)
    func swap(faults: [(SocketFault, SocketPoint)], expected: String) throws {
        #expect(try Self.heard(faults, [Talk.connected] + Talk.answer) == expected)
    }

    @Test("Waiting messages are sent before a fault ends the connection")
    func releases() throws {
        var socket = try socketFaults([
            (.coalesce(count: 9), .frames(.all)), (.cut(after: 4, reset: true), .frames(.only(4))),
        ])
        for message in [Talk.connected, Talk.received, Talk.chunk(1)] { _ = socket.send(bytes(message)) }
        #expect(socket.waitingByteCount == Talk.received.utf8.count + 1 + Talk.chunk(1).utf8.count)
        let last = socket.send(bytes(Talk.chunk(2))).transmission
        let batch = frame(Talk.received + "\n" + Talk.chunk(1))
        #expect(last.bytes == batch + frame(Talk.chunk(2)).prefix(4))
        #expect(last.marks == [.init(batch.count + 4, .reset)])
        #expect(socket.waitingByteCount == 0)

        var losing = try socketFaults([(.coalesce(count: 9), .frames(.all)), (.lose, .frames(.only(3)))])
        _ = losing.send(bytes(Talk.connected))
        #expect(losing.send(bytes(Talk.received)).transmission == Transmission())
        #expect(losing.send(bytes(Talk.complete)).transmission.bytes == frame(Talk.received))
    }

    @Test("A message's faults apply to the combined frame")
    func sharedFrame() throws {
        var socket = try socketFaults([
            (.coalesce(count: 3), .type("pong", .all)), (.delay(5), .frames(.only(2))),
            (.fragments(at: [0, 3, 15]), .frames(.only(2))), (.binary, .frames(.only(3))), (.double, .frames(.only(1))),
            (.dribble(bytes: 30, every: 2), .frames(.only(1))),
        ])
        #expect(socket.send(bytes(Talk.pong)).transmission == Transmission())
        #expect(socket.send(bytes(Talk.pong)).transmission == Transmission())
        #expect(socket.waitingByteCount == 31)
        let sent = socket.send(bytes(Talk.pong)).transmission
        let joined = [Talk.pong, Talk.pong, Talk.pong].joined(separator: "\n")
        let once = frame(Array(bytes(joined).prefix(19)), 0x02) + frame(Array(bytes(joined).dropFirst(19)), 0x80)
        #expect(sent.bytes == once + once)
        #expect(sent.marks == [.init(0, .wait(5)), .init(30, .wait(2)), .init(60, .wait(2)), .init(90, .wait(2))])
    }

    @Test("A close sends the waiting messages once and ends the socket")
    func closing() throws {
        var socket = try socketFaults([(.coalesce(count: 9), .frames(.all))])
        #expect(socket.send(bytes(Talk.received)).transmission == Transmission())
        #expect(socket.close().transmission.bytes == frame(Talk.received))
        #expect(socket.isOver)
        #expect(socket.close() == Outgoing())
        #expect(socket.send(bytes(Talk.received)) == Outgoing())
    }

    @Test("The number and total size of waiting messages are limited")
    func limits() throws {
        var socket = try socketFaults([(.coalesce(count: .max), .type("x", .all))])
        let message = bytes(#"{"type":"x","content":""# + String(repeating: "a", count: 300_000) + "\"}")
        let sent = (0..<4).map { _ in socket.send(message).transmission.bytes.count }
        #expect(sent == [0, 0, 0, 4 * message.count + 3 + 10])
        #expect(socket.waitingByteCount == 0)
        // A message whose size is exactly the limit is allowed.
        let spaces = String(repeating: " ", count: FaultLimits.waitingBytes - 12)
        let whole = socket.send(bytes(#"{"type":"x"}"# + spaces)).transmission.bytes
        #expect(whole.count == FaultLimits.waitingBytes + 10)
        var many = try socketFaults([(.coalesce(count: .max), .type("pong", .all))])
        let frames = (1...250).map { _ in many.send(bytes(Talk.pong)).transmission.bytes.isEmpty ? 0 : 1 }
        #expect(frames.indices.filter { frames[$0] == 1 } == [99, 199])
    }
}
