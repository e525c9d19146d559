import Testing
import WebSocket

@testable import FitIQClient

@Suite("Client connections")
struct ClientConnectionTests {
    @Test("A request is sent as one message that contains Host, the base URL's path and the body")
    func request() throws {
        var connection = ClientConnection(WireFixture.request(7, .post, body: "{}"), to: try WireFixture.base())
        #expect(
            String(decoding: connection.takeOutput(), as: UTF8.self)
                == """
                POST /w/w1/api/v1/consultations?page=1 HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nConnection: close\r\n\
                Authorization: Bearer t\r\nContent-Length: 2\r\n\r\n{}
                """)
        #expect(connection.takeOutput().isEmpty)
    }

    @Test("The same seed gives the same handshake")
    func handshake() throws {
        func bytes(_ seed: UInt64) throws -> String {
            var connection = ClientConnection(WireFixture.socketRequest(), to: try WireFixture.base(), seed: seed)
            return String(decoding: connection.takeOutput(), as: UTF8.self)
        }
        let text = try bytes(1)
        #expect(text.hasPrefix("GET /w/w1/api/v1/consultations/c/ws HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n"))
        #expect(text.contains("\r\nUpgrade: websocket\r\n") && text.contains("\r\nAuthorization: Bearer t\r\n"))
        #expect(try bytes(1) == text && bytes(2) != text)
    }

    static let answers: [(String, Bool, String)] = [
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", false, "1: 200 {}"),
        ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", false, "1: 404 "),
        ("HTTP/1.1 204 No Content\r\n\r\n", false, "1: 204 "),
        ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\nx", false, "1: 201 x"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n", false, "1: 200 abcd"),
        ("HTTP/1.1 200 OK\r\n\r\nto the end", true, "1: 200 to the end"),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab", true,
            """
            1: failed: the server's response is not valid HTTP: The stream ended in the middle of a body. Send \
            the whole message before closing the connection. (RFC 9112 §8).
            """
        ),
        (
            "", true,
            """
            1: failed: the server's response is not valid HTTP: The stream ended before a response arrived. \
            Send the whole message before closing the connection. (RFC 9112 §8).
            """
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 17\r\n\r\n", false,
            """
            1: failed: the server's response is not valid HTTP: Content-Length: 17 arrived, but a body may have \
            at most 16 bytes. Send less. (RFC 9110 §15.5.14).
            """
        ),
        ("HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n0123456789abcdef", false, "1: 200 0123456789abcdef"),
    ]

    @Test("Splitting an answer's bytes does not change the result", arguments: answers)
    func answer(bytes: String, ends: Bool, words: String) throws {
        var limits = WireLimits()
        limits.body = 16
        let connection = ClientConnection(WireFixture.request(), to: try WireFixture.base(), limits: limits)
        let all = Array(bytes.utf8)
        let whole = Played(connection, [all], ends: ends)
        #expect(whole.inputs == [words] && whole.isFinished && whole.sent.isEmpty)
        Played.expectAnySplit(connection, all, ends: ends, gives: whole)
    }

    @Test("An answer that is not HTTP fails the request")
    func noHTTP() throws {
        var connection = try ClientConnection.asking()
        let told = connection.told(Array("SSH-2.0-OpenSSH\r\n\r\n".utf8))
        #expect(told.count == 1 && told[0].hasPrefix("1: failed: the server's response is not valid HTTP: "))
        #expect(connection.isFinished && connection.receive(Array("HTTP/1.1 200 OK\r\n\r\n".utf8)).isEmpty)
        #expect(connection.receiveEndOfStream().isEmpty && connection.fail("x").isEmpty)
    }

    @Test("A failed connection fails its request or its socket")
    func noConnection() throws {
        var request = try ClientConnection.asking()
        #expect(request.fail("no route.").map(Played.words) == ["1: failed: no route."])
        var socket = ClientConnection(WireFixture.socketRequest(), to: try WireFixture.base(), seed: 1)
        #expect(socket.fail("no route.").map(Played.words) == ["2: no socket: no route."])
        #expect(request.isFinished && socket.isFinished)
    }
}
