import HTTP1
import TestSupport
import Testing
import Traffic

@testable import MockServer

@Suite("Messages")
struct MessagesTests {
    static let refusals: [(refusal: TransportRefusal, code: String, message: String)] = [
        (
            .headTimeout(.seconds(10)), "REQUEST_TIMEOUT",
            "The request's head did not arrive within 10 s; send it immediately."
        ),
        (
            .bodyTimeout(.seconds(10)), "REQUEST_TIMEOUT",
            "The request's body did not arrive within 10 s; check that Content-Length matches the number of bytes sent."
        ),
        (
            .tooManyConnections(limit: 12_000), "TOO_MANY_CONNECTIONS",
            "12000 connections are open, which is the limit; close some and try again."
        ),
        (
            .tlsOnPlainPort(origin: "http://127.0.0.1:8080", secureOrigin: nil), "BAD_REQUEST",
            "The client started a TLS handshake (https or wss) on a plain HTTP port; use http://127.0.0.1:8080, or "
                + "start the server with TLS to also use https."
        ),
        (
            .tlsOnPlainPort(origin: "http://127.0.0.1:8080", secureOrigin: "https://127.0.0.1:8443"), "BAD_REQUEST",
            "The client started a TLS handshake (https or wss) on a plain HTTP port; use http://127.0.0.1:8080, or "
                + "https://127.0.0.1:8443 for TLS."
        ),
        (
            .plainOnTLSPort(origin: "http://127.0.0.1:8080", secureOrigin: "https://127.0.0.1:8443"), "BAD_REQUEST",
            "The client sent plain HTTP to a TLS port; use https://127.0.0.1:8443, or http://127.0.0.1:8080 without TLS."
        ),
        (
            .violation(RemoteError(status: .uriTooLong, message: "Too \"long\".", source: "RFC 9112 §3")),
            "URI_TOO_LONG", #"Too \"long\". (RFC 9112 §3)"#
        ),
    ]

    @Test("A transport error has the form of an API error", arguments: refusals)
    func refusal(refusal: TransportRefusal, code: String, message: String) {
        let body = #"{"success":false,"error":{"code":"\#(code)","message":"\#(message)"}}"#
        #expect(String(decoding: refusal.body(in: .goalLinking), as: UTF8.self) == body)
    }

    private static func answered(_ target: String, _ status: Int, _ body: String = "") -> RecordedExchange {
        guard let head = try? RequestHead(recorded: Array("GET \(target) HTTP/1.1\r\n".utf8)) else {
            preconditionFailure("A constant.")
        }
        return RecordedExchange(
            head: head, requestedAt: VirtualNetwork.start, status: status, responseBody: Array(body.utf8))
    }

    static let observations: [(observation: Observation, line: String, isWarning: Bool)] = [
        (.exchange(answered("/health?x", 200)), "GET /health?x 200", false),
        (
            .exchange(answered("/__admin/held/7", 404, #"{"error":{"code":"NOT_FOUND","message":"Nothing."}}"#)),
            "GET /__admin/held/7 404: NOT_FOUND, Nothing.", false
        ),
        (.webSocketOpened(path: "/__admin/echo"), "WebSocket /__admin/echo opened", false),
        (
            .tlsFailed(message: TransportRefusal.handshakeTimeout(.seconds(10))),
            "TLS: The client did not finish the handshake within 10 s.", false
        ),
        (.refused(status: .requestTimeout, message: "Late."), "refused with 408: Late.", true),
        (.refusedConnection(limit: 3), "refused a connection: 3 connections are open, which is the limit", true),
        (.webSocketFailed(code: 1002, message: "RSV1 is set."), "WebSocket closed with 1002: RSV1 is set.", true),
        (
            .memory(limit: 99),
            "reset a connection: all connections together hold more than 99 bytes, which is the limit, and this "
                + "connection held the most", true
        ),
        (
            .slowReader(limit: 99),
            "reset a WebSocket whose client left more than 99 bytes unread; read faster or close it", true
        ),
    ]

    @Test("The log prints each observation on its own line and prints errors as warnings", arguments: observations)
    func observation(observation: Observation, line: String, isWarning: Bool) {
        #expect(observation.description == line && (observation.level == .warning) == isWarning)
    }
}
