import HTTPTypes
import Testing
import Text

@testable import WebSocket

@Suite("RFC 6455 §4.1: the client's side of the handshake")
struct ClientHandshakeTests {
    /// "the sample nonce", whose base64 RFC 6455 §1.3 uses.
    static let handshake = ClientHandshake(key: Array("the sample nonce".utf8))
    static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

    @Test("The client's request has the four required fields")
    func request() {
        let expected: HTTPFields = [
            .upgrade: "websocket", .connection: "Upgrade", .secWebSocketKey: "dGhlIHNhbXBsZSBub25jZQ==",
            .secWebSocketVersion: "13",
        ]
        #expect(Self.handshake.requestFields == expected)
        #expect(Self.handshake.key == "dGhlIHNhbXBsZSBub25jZQ==")
    }

    /// An answer's name, its status, how it differs from the RFC's sample, and the verdict.
    static let answers: [(String, Int, [(HTTPField.Name, [String])], Refusal?)] = [
        ("the RFC's sample", 101, [], nil),
        ("Upgrade in capitals", 101, [(.upgrade, ["WebSocket"])], nil),
        ("Connection among others", 101, [(.connection, ["keep-alive, UPGRADE"])], nil),
        ("200", 200, [], .wrongStatus(200)),
        ("401", 401, [], .wrongStatus(401)),
        ("no Upgrade", 101, [(.upgrade, [])], .upgradeField(nil)),
        ("Upgrade: h2c", 101, [(.upgrade, ["h2c"])], .upgradeField("h2c")),
        ("no Connection", 101, [(.connection, [])], .connectionField(nil)),
        ("Connection: close", 101, [(.connection, ["close"])], .connectionField("close")),
        ("no accept", 101, [(.secWebSocketAccept, [])], .wrongAccept(nil, expected: accept)),
        ("another key's accept", 101, [(.secWebSocketAccept, ["x"])], .wrongAccept("x", expected: accept)),
        (
            "accept in another case", 101, [(.secWebSocketAccept, ["S3pPLMBiTxaQ9kYGzzhZRbK+xOo="])],
            .wrongAccept("S3pPLMBiTxaQ9kYGzzhZRbK+xOo=", expected: accept)
        ),
        (
            "accept twice", 101, [(.secWebSocketAccept, [accept, accept])],
            .wrongAccept("\(accept), \(accept)", expected: accept)
        ),
        (
            "an extension", 101, [(.secWebSocketExtensions, ["permessage-deflate"])],
            .unofferedExtensions("permessage-deflate")
        ),
        ("a subprotocol", 101, [(.secWebSocketProtocol, ["chat"])], .unrequestedSubprotocol("chat")),
    ]

    @Test("The client accepts a valid answer and explains why it rejects an invalid answer", arguments: answers)
    func verdict(
        name: String, status: Int, changes: [(HTTPField.Name, [String])], expected: Refusal?
    ) {
        var fields: HTTPFields = [.upgrade: "websocket", .connection: "Upgrade", .secWebSocketAccept: Self.accept]
        for (name, lines) in changes { fields[values: name] = lines }
        #expect(Self.handshake.verify(status: HTTPResponse.Status(code: status), fields: fields) == expected)
    }

    @Test("Our server accepts our client's handshake, and our client accepts the answer")
    func pair() {
        for first in UInt8.min...UInt8.max {
            let handshake = ClientHandshake(key: [first] + Array(1...15))
            let outcome = ServerHandshake.evaluate(method: .get, isHTTP11: true, fields: handshake.requestFields)
            guard case .accept(let fields) = outcome else {
                Issue.record("refused: \(outcome)")
                return
            }
            #expect(handshake.verify(status: .switchingProtocols, fields: fields) == nil)
        }
    }

    @Test("Using a key of the wrong length traps")
    func misuse() async {
        await #expect(processExitsWith: .failure) {
            _ = ClientHandshake(key: [1, 2, 3])
        }
    }
}
