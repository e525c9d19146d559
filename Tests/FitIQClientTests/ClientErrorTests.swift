import HTTP1
import HTTPTypes
import Testing
import WebSocket

@testable import FitIQClient

@Suite("Client error messages")
struct ClientErrorTests {
    @Test(
        "Each client error message says what happened",
        arguments: [
            (
                ClientError.badHTTP(RemoteError(status: .badGateway, message: "no status line", source: "RFC 9112 §4")),
                "the server's response is not valid HTTP: no status line (RFC 9112 §4)."
            ),
            (.truncatedResponse, "the connection ended in the middle of a response."),
            (.refused(status: 404, message: "No."), "the server answered 404: No."),
            (.handshake("no Upgrade"), "the WebSocket handshake failed: no Upgrade"),
            (.notRead(limit: 9), "the server has left more than 9 bytes unread, so the client dropped the connection."),
            (.problem(ClientState.Problem(kind: .refused, message: "No.")), "No."),
            (
                .unavailable,
                "the client is closed, or has too many commands waiting; create another client, or send fewer "
                    + "commands."
            ),
            (.abandoned, "a later command, such as leaving the chat, replaced the operation."),
            (.cancelled, "the waiting task was cancelled; the work that it started continues."),
            (.closed(code: .goingAway, reason: "bye"), "the server closed the socket with 1001: bye"),
            (.closed(code: .normalClosure, reason: ""), "the server closed the socket with 1000."),
        ] as [(ClientError, String)])
    func description(error: ClientError, text: String) { #expect(error.description == text) }

    @Test("Every request contains the credentials in its header fields")
    func credentials() throws {
        let fields = Credentials(token: "t", apiKey: "k").fields
        #expect(fields[.authorization] == "Bearer t")
        #expect(fields[try #require(HTTPField.Name("x-api-key"))] == "k")
    }
}
