import HTTPTypes
import Testing
import WebSocket

@Suite("RFC 6455 §4.2: the server's side of the handshake")
struct ServerHandshakeTests {
    /// RFC 6455 §1.3.
    static let key = "dGhlIHNhbXBsZSBub25jZQ=="
    static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

    struct Request: Sendable, CustomTestStringConvertible {
        let name: String
        var method = HTTPRequest.Method.get
        var isHTTP11 = true
        let fields: HTTPFields
        var testDescription: String { name }

        /// A valid handshake with the given lines in place of the named fields; an empty list removes a field.
        init(
            _ name: String, method: HTTPRequest.Method = .get, isHTTP11: Bool = true,
            _ changes: KeyValuePairs<HTTPField.Name, [String]> = [:]
        ) {
            (self.name, self.method, self.isHTTP11) = (name, method, isHTTP11)
            var fields: HTTPFields = [
                .upgrade: "websocket", .connection: "Upgrade", .secWebSocketKey: ServerHandshakeTests.key,
                .secWebSocketVersion: "13",
            ]
            for (name, lines) in changes { fields[values: name] = lines }
            self.fields = fields
        }

        var outcome: ServerHandshake.Outcome {
            ServerHandshake.evaluate(method: method, isHTTP11: isHTTP11, fields: fields)
        }
    }

    static let accepted = [
        Request("the RFC's sample"),
        Request("Upgrade in capitals", [.upgrade: ["WebSocket"]]),
        Request("Upgrade among others", [.upgrade: ["h2c, websocket"]]),
        Request("Upgrade twice", [.upgrade: ["websocket", "websocket"]]),
        Request("Connection: keep-alive, Upgrade", [.connection: ["keep-alive, Upgrade"]]),
        Request("Connection in several lines", [.connection: ["keep-alive", "upgrade"]]),
        Request("Connection twice", [.connection: ["Upgrade", "Upgrade"]]),
        Request("Connection with empty elements and tabs", [.connection: [",, \tUPGRADE\t ,"]]),
        Request(
            "permessage-deflate offered", [.secWebSocketExtensions: ["permessage-deflate; client_max_window_bits"]]),
        Request("subprotocols offered", [.secWebSocketProtocol: ["chat, superchat"]]),
        Request("Origin", [.origin: ["http://example.com"]]),
    ]

    @Test("The server accepts a handshake without extensions and subprotocols", arguments: accepted)
    func accepts(request: Request) {
        let expected: HTTPFields = [
            .upgrade: "websocket", .connection: "Upgrade", .secWebSocketAccept: Self.accept,
        ]
        #expect(request.outcome == .accept(responseFields: expected))
    }

    static let ordinary = [
        Request(
            "a plain GET", [.upgrade: [], .connection: ["keep-alive"], .secWebSocketKey: [], .secWebSocketVersion: []]),
        Request("an upgrade to h2c", [.upgrade: ["h2c"], .secWebSocketKey: [], .secWebSocketVersion: []]),
        Request(
            "a plain POST", method: .post,
            [.upgrade: [], .connection: [], .secWebSocketKey: [], .secWebSocketVersion: []]),
    ]

    @Test("The server does not treat ordinary requests as upgrades", arguments: ordinary)
    func leavesAlone(request: Request) {
        #expect(request.outcome == .notAnUpgrade)
    }

    static let refused: [(Request, Int, String)] = [
        (
            Request("Upgrade and Connection dropped by a proxy", [.upgrade: [], .connection: []]), 426,
            "Sec-WebSocket fields arrived without"
        ),
        (
            Request("only the version left", [.upgrade: [], .secWebSocketKey: []]), 426,
            "Sec-WebSocket fields arrived without"
        ),
        (Request("Upgrade: websockets", [.upgrade: ["websockets"]]), 426, "Sec-WebSocket fields arrived without"),
        (Request("POST", method: .post), 400, "the method POST"),
        (Request("HEAD", method: .head), 400, "the method HEAD"),
        (Request("HTTP/1.0", isHTTP11: false), 426, "other than 1.1"),
        (Request("no Connection", [.connection: []]), 400, "Connection is missing"),
        (Request("Connection: keep-alive", [.connection: ["keep-alive"]]), 400, "Connection came as \"keep-alive\""),
        (Request("Connection: upgraded", [.connection: ["upgraded"]]), 400, "Connection came as \"upgraded\""),
        (Request("no version", [.secWebSocketVersion: []]), 426, "Sec-WebSocket-Version is missing"),
        (Request("version 8", [.secWebSocketVersion: ["8"]]), 426, "Sec-WebSocket-Version came as \"8\""),
        (Request("version 14", [.secWebSocketVersion: ["14"]]), 426, "Sec-WebSocket-Version came as \"14\""),
        (Request("version 013", [.secWebSocketVersion: ["013"]]), 426, "Sec-WebSocket-Version came as \"013\""),
        (Request("two versions", [.secWebSocketVersion: ["13", "8"]]), 400, "Sec-WebSocket-Version came as"),
        (Request("no key", [.secWebSocketKey: []]), 400, "Sec-WebSocket-Key is missing"),
        (Request("empty key", [.secWebSocketKey: [""]]), 400, "Sec-WebSocket-Key came as \"\""),
        (Request("two keys", [.secWebSocketKey: [key, key]]), 400, "Sec-WebSocket-Key came as"),
        (Request("15 bytes", [.secWebSocketKey: ["dGhlIHNhbXBsZSBub25j"]]), 400, "Sec-WebSocket-Key came as"),
        (Request("17 bytes", [.secWebSocketKey: ["dGhlIHNhbXBsZSBub25jZSE="]]), 400, "Sec-WebSocket-Key came as"),
        (Request("no padding", [.secWebSocketKey: ["dGhlIHNhbXBsZSBub25jZQ"]]), 400, "Sec-WebSocket-Key came as"),
        (Request("stray bits", [.secWebSocketKey: ["dGhlIHNhbXBsZSBub25jZR=="]]), 400, "Sec-WebSocket-Key came as"),
        (Request("URL-safe", [.secWebSocketKey: ["__________________8-_w=="]]), 400, "Sec-WebSocket-Key came as"),
        (Request("not base64", [.secWebSocketKey: ["!!!!!!!!!!!!!!!!!!!!!!=="]]), 400, "Sec-WebSocket-Key came as"),
    ]

    @Test("The server rejects a bad handshake with a status, required fields and a reason", arguments: refused)
    func refuses(request: Request, expectedStatus: Int, excerpt: String) {
        guard case .refuse(let status, let fields, let message) = request.outcome else {
            Issue.record("expected a refusal, got \(request.outcome)")
            return
        }
        #expect(status.code == expectedStatus)
        #expect(message.contains(excerpt), "\(message)")
        let expected: HTTPFields =
            expectedStatus == 426
            ? [.upgrade: "websocket", .connection: "Upgrade", .secWebSocketVersion: "13"]
            : [:]
        // A repeated version is a bad request, but the answer still names the supported version.
        #expect(fields == (request.name == "two versions" ? ServerHandshakeTests.versionFields : expected))
    }

    static let versionFields: HTTPFields = [
        .upgrade: "websocket", .connection: "Upgrade", .secWebSocketVersion: "13",
    ]
}
