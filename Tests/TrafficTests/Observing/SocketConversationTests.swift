import FitIQAPI
import Testing
import WebSocket

@testable import Traffic

/// WebSockets on a wire.
enum SocketConversations {
    private static let opened = "open ws://api.example/api/v1/chat?x=1 101"
    private static let start: [WireStep] = [.client(Wire.handshake), .server(Wire.accepted)]

    static let all: [Conversation] = [
        Conversation(
            "messages, fragments, control frames, both close",
            start + [
                .client(Wire.text("hello", masked: true)),
                .server(
                    Wire.frame(.text, Array("wor".utf8), isFinal: false, masked: false)
                        + Wire.frame(.ping, Array("p".utf8), masked: false)
                        + Wire.frame(.continuation, Array("ld".utf8), masked: false)),
                .client(
                    Wire.frame(.pong, Array("p".utf8), masked: true) + Wire.frame(.binary, [65, 66], masked: true)),
                .server(Wire.close(1000, "bye", masked: false)), .client(Wire.close(1000, masked: true)),
                .ended(.server, isReset: false),
            ],
            [
                opened, "client text [hello]", "server ping [p]", "server text [world]", "client pong [p]",
                "client binary [AB]", "server close [\u{3}\u{FFFD}bye]", "client close [\u{3}\u{FFFD}]",
                "end closeFrame by server",
            ]),
        Conversation(
            "frames in the packets of the handshake",
            [
                .client(Wire.bytes(Wire.handshake) + Wire.text("early", masked: true)),
                .server(Wire.bytes(Wire.accepted) + Wire.text("first", masked: false)),
            ],
            [opened, "client text [early]", "server text [first]"]),
        Conversation(
            "a close frame without code, answered by the end of the connection",
            start + [.client(Wire.frame(.close, [], masked: true)), .ended(.server, isReset: false)],
            [opened, "client close []", "end closeFrame by client"]),
        Conversation(
            "FIN",
            start + [.finished(.client), .server(Wire.text("x", masked: false)), .ended(.server, isReset: false)],
            [opened, "server text [x]", "end finish by client"]),
        Conversation("RST", start + [.ended(.server, isReset: true)], [opened, "end reset by server"]),
        Conversation(
            "a handshake that was refused",
            [.client(Wire.handshake), .server("HTTP/1.1 401 No⏎Content-Length: 2⏎⏎no"), .client(Wire.handshake)],
            ["GET http://api.example/api/v1/chat?x=1 -> 401 [no]"]),
        Conversation(
            "one side breaks the protocol, the other is still read",
            start + [
                .client(Wire.text("unmasked", masked: false)), .server(Wire.text("a", masked: false)),
                .client(Wire.text("b", masked: true)), .ended(.server, isReset: false),
            ],
            [opened, "note The client broke the WebSocket protocol,", "server text [a]", "end finish by server"]),
        Conversation(
            "after its close frame a side is not read",
            start + [
                .client(Wire.close(1000, masked: true) + Wire.text("late", masked: true)),
                .server(Wire.text("still", masked: false)), .server(Wire.close(1000, masked: false)),
            ],
            [
                opened, "client close [\u{3}\u{FFFD}]", "server text [still]", "server close [\u{3}\u{FFFD}]",
                "end closeFrame by client",
            ]),
        Conversation(
            "compression",
            [
                .client(Wire.handshake),
                .server(
                    Wire.accepted.replacing(
                        "Connection", with: "Sec-WebSocket-Extensions: permessage-deflate⏎Connection")),
                .server(
                    [0xC1, 7, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0xC1, 5, 0xF2, 0x00, 0x11, 0x00, 0x00]
                        + Wire.frame(.ping, Array("p".utf8), masked: false)),
                .client(Wire.text("plain", masked: true)), .ended(.client, isReset: false),
            ],
            [
                opened, "server text [Hello] from 7", "server text [Hello] from 5", "server ping [p]",
                "client text [plain]", "end finish by client",
            ]),
        Conversation(
            "an extension",
            [
                .client(Wire.handshake),
                .server(Wire.accepted.replacing("Connection", with: "Sec-WebSocket-Extensions: x-y⏎Connection")),
                .server([0xC1, 0x00]), .ended(.client, isReset: false),
            ],
            [opened, "note The frames of ws://api.example/api/v1/ch", "end finish by client"]),
    ]
}

@Suite("WebSockets on a wire")
struct SocketConversationTests {
    @Test("Each conversation is seen for what it is", arguments: SocketConversations.all)
    func whole(_ conversation: Conversation) {
        #expect(Wire.observe(conversation.steps).map(Wire.line) == conversation.seen)
    }

    @Test("A socket's times are those of its first byte and its 101; a frame's that of its last byte")
    func times() {
        let frame = Wire.text("hello", masked: true)
        let seen = Wire.observe([
            .client("GET"), .client(String(Wire.handshake.dropFirst(3))), .server(Wire.accepted),
            .client(Array(frame[..<3])), .client(Array(frame[3...])),
        ])
        guard case .exchange(let socket)? = seen.first, case .frame(let last)? = seen.last else {
            Issue.record("no socket, no frame")
            return
        }
        #expect(socket.started == Wire.time(0))
        #expect(socket.opened == Wire.time(2))
        #expect(last.time == Wire.time(4))
        #expect(socket.request.fields.first == SessionField("Host", "api.example"))
        #expect(socket.request.body == nil)
    }

    @Test("A long message is cut, a longer one ends its direction")
    func limits() {
        var limits = ConnectionObserver.Limits()
        limits.body = 3
        limits.message = 5
        let seen = Wire.observe(
            [
                .client(Wire.handshake), .server(Wire.accepted), .client(Wire.text("abc", masked: true)),
                .client(Wire.text("abcde", masked: true)), .client(Wire.text("abcdef", masked: true)),
            ], limits: limits)
        #expect(
            seen.dropFirst().map(Wire.line) == [
                "client text [abc]", "client text [abc… of 5]", "note The client broke the WebSocket protocol,",
            ])
    }
}
