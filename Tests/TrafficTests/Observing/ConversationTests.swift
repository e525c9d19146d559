import Deflate
import FitIQAPI
import Testing
import WebSocket

@testable import Traffic

/// The bytes on a wire, and the observations.
struct Conversation: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let steps: [WireStep]
    let seen: [String]

    init(_ name: String, _ steps: WireStep..., seen: [String]) {
        (testDescription, self.steps, self.seen) = (name, steps, seen)
    }

    private static let get = WireStep.client("GET /a?b=c HTTP/1.1⏎Host: api.example⏎⏎")
    private static let url = "http://api.example/a?b=c"
    private static let noise = "HTTP/1.1 200 OK⏎"
    private static let deflated = Gzip.deflate(Array("yes, yes, yes, yes".utf8), as: .zlib)
    private static let coded = Gzip.deflate(Array("yes, yes, yes, yes".utf8))
    private static let codedFields = "Content-Encoding: gzip⏎Content-Length: \(coded.count)⏎⏎"

    static let all: [Conversation] = [
        Conversation(
            "length, kept alive, twice", get, .server("HTTP/1.1 200 OK⏎Content-Length: 2⏎⏎hi"),
            .client("POST /p HTTP/1.1⏎Host: h⏎Content-Length: 3⏎⏎abc"),
            .server("HTTP/1.1 201 Created⏎Content-Length: 0⏎⏎"),
            seen: ["GET \(url) -> 200 [hi]", "POST http://h/p [abc] -> 201 []"]),
        Conversation(
            "chunked both ways, with trailers",
            .client("POST /p HTTP/1.1⏎Host: h⏎Transfer-Encoding: chunked⏎⏎3⏎abc⏎2;x=y⏎de⏎0⏎T: 1⏎⏎"),
            .server("HTTP/1.1 200 OK⏎Transfer-Encoding: chunked⏎⏎1⏎x⏎0⏎⏎"),
            seen: ["POST http://h/p [abcde] -> 200 [x]"]),
        Conversation(
            "until the server closes", get, .server("HTTP/1.1 200 OK⏎⏎all of"), .server(" it"),
            .ended(.server, isReset: false), seen: ["GET \(url) -> 200 [all of it]"]),
        Conversation(
            "until the server closes, and the client had finished before", get, .finished(.client),
            .server("HTTP/1.1 200 OK⏎⏎all"), .finished(.server), .ended(.server, isReset: false),
            seen: ["GET \(url) -> 200 [all]"]),
        Conversation(
            "until the server closes, but it resets", get, .server("HTTP/1.1 200 OK⏎⏎all"),
            .ended(.server, isReset: true), seen: ["GET \(url) -> 200 [all] cut"]),
        Conversation(
            "HEAD, 204 and 304 have no body", .client("HEAD /h HTTP/1.1⏎Host: h⏎⏎"),
            .server("HTTP/1.1 200 OK⏎Content-Length: 10⏎⏎"), get, .server("HTTP/1.1 204 No Content⏎⏎"), get,
            .server("HTTP/1.1 304 Not Modified⏎Content-Length: 7⏎⏎"),
            seen: ["HEAD http://h/h -> 200 []", "GET \(url) -> 204 []", "GET \(url) -> 304 []"]),
        Conversation(
            "interim answers are passed over",
            .client("POST /p HTTP/1.1⏎Host: h⏎Expect: 100-continue⏎Content-Length: 2⏎⏎"),
            .server("HTTP/1.1 100 Continue⏎⏎HTTP/1.1 103 Early Hints⏎Link: x⏎⏎"), .client("ok"),
            .server("HTTP/1.1 200 OK⏎Content-Length: 1⏎⏎!"), get, .server("HTTP/1.1 200 OK⏎Content-Length: 0⏎⏎"),
            seen: ["POST http://h/p [ok] -> 200 [!]", "GET \(url) -> 200 []"]),
        Conversation(
            "an empty chunked body after Expect",
            .client("POST /p HTTP/1.1⏎Host: h⏎Expect: 100-continue⏎Transfer-Encoding: chunked⏎⏎0⏎⏎"),
            .server("HTTP/1.1 200 OK⏎Content-Length: 0⏎⏎"), get, .server("HTTP/1.1 200 OK⏎Content-Length: 0⏎⏎"),
            seen: ["POST http://h/p [] -> 200 []", "GET \(url) -> 200 []"]),
        Conversation(
            "bodies with gzip or deflate, and one that only says so",
            .client(
                Wire.bytes("POST /p HTTP/1.1⏎Host: h⏎Content-Encoding: deflate⏎Content-Length: \(deflated.count)⏎⏎")
                    + deflated),
            .server(Wire.bytes("HTTP/1.1 200 OK⏎" + codedFields) + coded), get,
            .server("HTTP/1.1 200 OK⏎Content-Encoding: gzip⏎Content-Length: 2⏎⏎no"),
            seen: [
                "POST http://h/p [yes, yes, yes, yes] from \(deflated.count) of deflate"
                    + " -> 200 [yes, yes, yes, yes] from \(coded.count) of gzip",
                "GET \(url) -> 200 [no]",
            ]),
        Conversation(
            "pipelined",
            .client("GET /1 HTTP/1.1⏎Host: h⏎⏎GET /2 HTTP/1.1⏎Host: h⏎⏎POST /3 HTTP/1.1⏎Host: h⏎Content-Length: 1⏎⏎x"),
            .server(
                "HTTP/1.1 200 OK⏎Content-Length: 1⏎⏎1HTTP/1.1 200 OK⏎Content-Length: 1⏎⏎2HTTP/1.1 404 No⏎"
                    + "Content-Length: 1⏎⏎3"),
            seen: ["GET http://h/1 -> 200 [1]", "GET http://h/2 -> 200 [2]", "POST http://h/3 [x] -> 404 [3]"]),
        Conversation(
            "pipelined, and the server stops after the first",
            .client("GET /1 HTTP/1.1⏎Host: h⏎⏎GET /2 HTTP/1.1⏎Host: h⏎⏎GET /3 HTTP/1.1⏎Host: h⏎⏎"),
            .server("HTTP/1.1 200 OK⏎Content-Length: 1⏎Connection: close⏎⏎1"), .ended(.server, isReset: false),
            seen: ["GET http://h/1 -> 200 [1]", "GET http://h/2 -> nothing", "GET http://h/3 -> nothing"]),
        Conversation(
            "pipelined, and cut before the second answer",
            .client("GET /1 HTTP/1.1⏎Host: h⏎⏎GET /2 HTTP/1.1⏎Host: h⏎⏎GET /3 HTTP/1.1⏎Host: h⏎⏎GET /4"),
            .server("HTTP/1.1 200 OK⏎Content-Length: 1⏎⏎1"), .ended(.client, isReset: true),
            seen: ["GET http://h/1 -> 200 [1]", "GET http://h/2 -> nothing", "GET http://h/3 -> nothing"]),
        Conversation(
            "an answer before the request has ended", .client("POST /p HTTP/1.1⏎Host: h⏎Content-Length: 6⏎⏎abc"),
            .server("HTTP/1.1 413 Too Large⏎Content-Length: 2⏎⏎no"), .client("def"), get,
            .server("HTTP/1.1 200 OK⏎Content-Length: 0⏎⏎"),
            seen: ["POST http://h/p [abcdef] -> 413 [no]", "GET \(url) -> 200 []"]),
        Conversation(
            "an answer, and the request never ends", .client("POST /p HTTP/1.1⏎Host: h⏎Content-Length: 6⏎⏎abc"),
            .server("HTTP/1.1 413 Too Large⏎Content-Length: 2⏎⏎no"), .ended(.server, isReset: false),
            seen: ["POST http://h/p [abc] -> 413 [no]"]),
        Conversation("cut in the request", .client("GET /a HTT"), .ended(.client, isReset: true), seen: []),
        Conversation(
            "cut in the request's body", .client("POST /p HTTP/1.1⏎Host: h⏎Content-Length: 6⏎⏎abc"),
            .ended(.client, isReset: true), seen: ["POST http://h/p [abc] -> nothing"]),
        Conversation(
            "cut in the head of the answer", get, .server("HTTP/1.1 200 O"), .ended(.server, isReset: false),
            seen: ["GET \(url) -> nothing"]),
        Conversation(
            "cut in a body with a length", get, .server("HTTP/1.1 200 OK⏎Content-Length: 5⏎⏎abc"),
            .ended(.server, isReset: false), seen: ["GET \(url) -> 200 [abc] cut"]),
        Conversation(
            "cut in a chunk", get, .server("HTTP/1.1 200 OK⏎Transfer-Encoding: chunked⏎⏎5⏎abc"),
            .ended(.server, isReset: false), seen: ["GET \(url) -> 200 [abc] cut"]),
        Conversation(
            "HTTP/1.0", .client("GET /a HTTP/1.0⏎⏎"), .server("HTTP/1.0 200 OK⏎⏎old"), .ended(.server, isReset: false),
            seen: ["GET http://unknown/a -> 200 [old]"]),
        Conversation(
            "OPTIONS on the whole server, a target with its host", .client("OPTIONS * HTTP/1.1⏎Host: h⏎⏎"),
            .server("HTTP/1.1 204 No⏎⏎"), .client("GET http://other:81/x?y HTTP/1.1⏎Host: other:81⏎⏎"),
            .server("HTTP/1.1 204 No⏎⏎"), seen: ["OPTIONS http://h/* -> 204 []", "GET http://other:81/x?y -> 204 []"]),
        Conversation(
            "a tunnel", .client("CONNECT h:443 HTTP/1.1⏎Host: h:443⏎⏎"), .server("HTTP/1.1 200 OK⏎⏎garbage"),
            seen: ["CONNECT http://h:443 -> 200 []", "note The connection to http://h:443 became a "]),
        Conversation(
            "a tunnel that was refused", .client("CONNECT h:443 HTTP/1.1⏎Host: h:443⏎⏎"),
            .server("HTTP/1.1 405 No⏎Content-Length: 1⏎⏎x"), get, .server("HTTP/1.1 204 No⏎⏎"),
            seen: ["CONNECT http://h:443 -> 405 [x]", "GET \(url) -> 204 []"]),
        Conversation(
            "no HTTP", .client("\u{16}\u{3}\u{1}garbage"), .server("garbage"),
            seen: ["note A client sent something other than an HT"]),
        Conversation(
            "a request without host", .client("GET / HTTP/1.1⏎⏎"), .server("HTTP/1.1 400 Bad⏎Content-Length: 0⏎⏎"),
            seen: ["note A client sent something other than an HT"]),
        Conversation(
            "a bad chunk, and what the server says of it",
            .client("POST /p HTTP/1.1⏎Host: h⏎Transfer-Encoding: chunked⏎⏎2⏎ab⏎zz⏎"),
            .server("HTTP/1.1 400 Bad⏎Content-Length: 1⏎⏎!"), get,
            seen: ["note A client sent something other than an HT", "POST http://h/p [ab] -> 400 [!]"]),
        Conversation(
            "an answer that is no HTTP", get, .server("SSH-2.0-x⏎⏎"), get,
            seen: ["GET \(url) -> nothing", "note The answer to http://api.example/a?b=c i"]),
        Conversation(
            "a bad chunk in the answer", get, .server("HTTP/1.1 200 OK⏎Transfer-Encoding: chunked⏎⏎2⏎ab⏎zz⏎"), get,
            seen: ["GET \(url) -> 200 [ab] cut", "note The answer to http://api.example/a?b=c i"]),
        Conversation(
            "more than was asked for", get, .server("HTTP/1.1 204 No⏎⏎"), .server("H"), get,
            seen: ["GET \(url) -> 204 []", "note A server sent 1 byte before it had recei"]),
        Conversation(
            "another protocol", .client("GET / HTTP/1.1⏎Host: h⏎Upgrade: h2c⏎Connection: upgrade⏎⏎"),
            .server("HTTP/1.1 101 Switching⏎Upgrade: h2c⏎Connection: upgrade⏎⏎PRI"),
            seen: ["GET http://h/ -> 101 []", "note The connection to http://h/ switched to "]),
    ]
}

@Suite("Observing HTTP exchanges")
struct ConversationTests {
    @Test("The observer recognizes each conversation", arguments: Conversation.all)
    func whole(_ conversation: Conversation) {
        #expect(Wire.observe(conversation.steps).map(Wire.line) == conversation.seen)
    }

    @Test(
        "Splitting the bytes does not change what the observer sees",
        arguments: Conversation.all + SocketConversations.all, [1, 2, 3, 7])
    func pieces(_ conversation: Conversation, _ pieces: Int) {
        #expect(Wire.observe(conversation.steps, pieces: pieces) == Wire.observe(conversation.steps))
    }

    @Test(
        "An observer of a connection cut at any byte keeps everything before the cut",
        arguments: Conversation.all + SocketConversations.all)
    func cutAnywhere(_ conversation: Conversation) {
        let whole = Wire.observe(conversation.steps)
        for index in conversation.steps.indices {
            let (bytes, isClient): ([UInt8], Bool)
            switch conversation.steps[index] {
            case .client(let sent): (bytes, isClient) = (sent, true)
            case .server(let sent): (bytes, isClient) = (sent, false)
            default: continue
            }
            for count in 0...bytes.count {
                let part = Array(bytes[..<count])
                let steps = conversation.steps[..<index] + [isClient ? .client(part) : .server(part)]
                let uncut = Wire.observe(Array(steps))
                #expect(whole.starts(with: uncut), "cut after \(count) bytes of step \(index)")
                let told = Wire.observe(Array(steps) + [.ended(.client, isReset: true)])
                #expect(told.starts(with: uncut))
                #expect(
                    told.dropFirst(uncut.count).allSatisfy {
                        if case .exchange(let exchange) = $0 {
                            exchange.response?.isComplete != true || exchange.request.body != nil
                        } else if case .socketEnded = $0 {
                            true
                        } else {
                            false
                        }
                    }, "cut after \(count) bytes of step \(index)")
            }
        }
    }

    @Test("The observer derives times from first and last bytes")
    func times() throws {
        let seen = Wire.observe([
            .client("POST /p HTTP/1.1⏎"), .client("Host: h⏎Content-Length: 2⏎⏎a"), .client("b"),
            .server("HTTP/1.1 100 Continue⏎⏎"), .server("H"), .server("TTP/1.1 200 OK⏎Content-Length: 1⏎⏎"),
            .server("x"),
        ])
        let exchange = try #require(seen.first?.exchange)
        #expect((exchange.started, exchange.waited, exchange.lasted) == (Wire.time(0), 2_000_000, 6_000_000))
    }

    @Test("The observer measures the wait from the request's end to the answer's start")
    func waits() throws {
        let seen = Wire.observe([.client("GET /1 HTTP/1.1⏎Host: h⏎⏎"), .server("HTTP/1.1 204 No⏎"), .server("⏎")])
        let exchange = try #require(seen.first?.exchange)
        #expect(seen.count == 1 && exchange.waited == 1_000_000)
    }

    @Test("The observer holds one byte of a body beyond the limit")
    func held() {
        var collector = BodyCollector(limit: 3)
        for _ in 0..<3 { collector.append([0x61, 0x62]) }
        #expect(collector.heldByteCount == 4 && collector.body == RecordedBody([0x61, 0x62, 0x61], of: 6))
    }

    @Test("The observer dates a pipelined request by its first byte")
    func pipelinedTimes() {
        let seen = Wire.observe([
            .client("GET /1 HTTP/1.1⏎Host: h⏎⏎"), .client("GET /2 HTTP"), .client("/1.1⏎Host: h⏎⏎"),
            .server("HTTP/1.1 204 No⏎⏎"), .server("HTTP/1.1 204 No⏎⏎"),
        ])
        #expect(seen.map(\.exchange?.started) == [Wire.time(0), Wire.time(1)])
    }

    @Test(
        "The observer truncates long bodies between characters and records their size",
        arguments: [(4, "abcd"), (5, "abcd"), (6, "abcdé"), (7, "abcdé")])
    func limit(_ limit: Int, _ kept: String) {
        var limits = ConnectionObserver.Limits()
        limits.body = limit
        let seen = Wire.observe(
            [
                .client("POST /p HTTP/1.1⏎Host: h⏎Content-Length: 8⏎⏎abcdéfg"),
                .server("HTTP/1.1 200 OK⏎Content-Length: 8⏎⏎abcdéfg"),
            ], pieces: 3, limits: limits)
        let body = limit == 7 ? "abcdéf… of 8" : "\(kept)… of 8"
        #expect(seen.map(Wire.line) == ["POST http://h/p [\(body)] -> 200 [\(body)]"])
    }

    @Test("The observer stops reading a server that keeps sending before the request ends")
    func endlessAnswer() {
        var limits = ConnectionObserver.Limits()
        limits.pipelined = 1000
        let steps: [WireStep] =
            [
                .client("POST /p HTTP/1.1⏎Host: h⏎Content-Length: 6⏎⏎abc"),
                .server("HTTP/1.1 413 No⏎Content-Length: 0⏎⏎"),
            ]
            + Array(repeating: .server(String(repeating: "x", count: 100)), count: 20)
        let lines = Wire.observe(steps, limits: limits).map(Wire.line)
        #expect(lines == ["POST http://h/p [abc] -> 413 []", "note A server sent 1100 bytes before it had r"])
    }
}

/// WebSockets on a wire.
enum SocketConversations {
    private static let opened = "open ws://api.example/api/v1/chat?x=1 101"

    static let all: [Conversation] = [
        Conversation(
            "messages, fragments, control frames, both close", .client(Wire.handshake), .server(Wire.accepted),
            .client(Wire.text("hello", masked: true)),
            .server(
                Wire.frame(.text, Array("wor".utf8), isFinal: false, masked: false)
                    + Wire.frame(.ping, Array("p".utf8), masked: false)
                    + Wire.frame(.continuation, Array("ld".utf8), masked: false)),
            .client(Wire.frame(.pong, Array("p".utf8), masked: true) + Wire.frame(.binary, [65, 66], masked: true)),
            .server(Wire.close(1000, "bye", masked: false)), .client(Wire.close(1000, masked: true)),
            .ended(.server, isReset: false),
            seen: [
                opened, "client text [hello]", "server ping [p]", "server text [world]", "client pong [p]",
                "client binary [AB]", "server close [\u{3}\u{FFFD}bye]", "client close [\u{3}\u{FFFD}]",
                "end closeFrame by server",
            ]),
        Conversation(
            "frames in the packets of the handshake",
            .client(Wire.bytes(Wire.handshake) + Wire.text("early", masked: true)),
            .server(Wire.bytes(Wire.accepted) + Wire.text("first", masked: false)),
            seen: [opened, "client text [early]", "server text [first]"]),
        Conversation(
            "a close frame without code, answered by the end of the connection", .client(Wire.handshake),
            .server(Wire.accepted), .client(Wire.frame(.close, [], masked: true)), .ended(.server, isReset: false),
            seen: [opened, "client close []", "end closeFrame by client"]),
        Conversation(
            "FIN", .client(Wire.handshake), .server(Wire.accepted), .finished(.client),
            .server(Wire.text("x", masked: false)), .ended(.server, isReset: false),
            seen: [opened, "server text [x]", "end finish by client"]),
        Conversation(
            "RST", .client(Wire.handshake), .server(Wire.accepted), .ended(.server, isReset: true),
            seen: [opened, "end reset by server"]),
        Conversation(
            "a handshake that was refused", .client(Wire.handshake), .server("HTTP/1.1 401 No⏎Content-Length: 2⏎⏎no"),
            .client(Wire.handshake), seen: ["GET http://api.example/api/v1/chat?x=1 -> 401 [no]"]),
        Conversation(
            "one side breaks the protocol, the other is still read", .client(Wire.handshake), .server(Wire.accepted),
            .client(Wire.text("unmasked", masked: false)), .server(Wire.text("a", masked: false)),
            .client(Wire.text("b", masked: true)), .ended(.server, isReset: false),
            seen: [opened, "note The client broke the WebSocket protocol,", "server text [a]", "end finish by server"]),
        Conversation(
            "after its close frame a side is not read", .client(Wire.handshake), .server(Wire.accepted),
            .client(Wire.close(1000, masked: true) + Wire.text("late", masked: true)),
            .server(Wire.text("still", masked: false)), .server(Wire.close(1000, masked: false)),
            seen: [
                opened, "client close [\u{3}\u{FFFD}]", "server text [still]", "server close [\u{3}\u{FFFD}]",
                "end closeFrame by client",
            ]),
        Conversation(
            "compression", .client(Wire.handshake),
            .server(
                Wire.accepted.replacing("Connection", with: "Sec-WebSocket-Extensions: permessage-deflate⏎Connection")),
            .server(
                [0xC1, 7, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0xC1, 5, 0xF2, 0x00, 0x11, 0x00, 0x00]
                    + Wire.frame(.ping, Array("p".utf8), masked: false)),
            .client(Wire.text("plain", masked: true)), .ended(.client, isReset: false),
            seen: [
                opened, "server text [Hello] from 7", "server text [Hello] from 5", "server ping [p]",
                "client text [plain]", "end finish by client",
            ]),
        Conversation(
            "an extension", .client(Wire.handshake),
            .server(Wire.accepted.replacing("Connection", with: "Sec-WebSocket-Extensions: x-y⏎Connection")),
            .server([0xC1, 0x00]), .ended(.client, isReset: false),
            seen: [opened, "note The frames on ws://api.example/api/v1/ch", "end finish by client"]),
    ]
}

@Suite("Observing WebSockets")
struct SocketConversationTests {
    @Test("The observer recognizes each WebSocket conversation", arguments: SocketConversations.all)
    func whole(_ conversation: Conversation) {
        #expect(Wire.observe(conversation.steps).map(Wire.line) == conversation.seen)
    }

    @Test("The observer dates a socket by its first byte and its 101, and a frame by its last byte")
    func times() throws {
        let frame = Wire.text("hello", masked: true)
        let seen = Wire.observe([
            .client("GET"), .client(String(Wire.handshake.dropFirst(3))), .server(Wire.accepted),
            .client(Array(frame[..<3])), .client(Array(frame[3...])),
        ])
        let (socket, last) = (try #require(seen.first?.exchange), try #require(seen.last?.frame))
        #expect((socket.started, socket.opened) == (Wire.time(0), Wire.time(2)))
        #expect(last.time == Wire.time(4))
        #expect(socket.request.fields.first == SessionField("Host", "api.example"))
        #expect(socket.request.body == nil)
    }

    @Test("The observer truncates a long message and stops observing a direction after an oversized one")
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
