import HTTPTypes
import Testing

@testable import HTTP1

@Suite("Unusual server situations")
struct ServerTests {
    private func server(_ text: String, limits: Limits = .standard) -> Connection {
        var connection = Connection(role: .server, limits: limits)
        connection.receive(Array(text.utf8))
        return connection
    }

    private func respond(_ connection: inout Connection, _ status: HTTPResponse.Status = .ok) -> String {
        var out: [UInt8] = []
        connection.respond(status: status, fields: [:], body: [], into: &out)
        return String(decoding: out, as: UTF8.self)
    }

    @Test("A pipelined request waits for the answer to the previous request")
    func pipelining() throws {
        let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        var connection = server(get + get)
        #expect(try Pair.drain(&connection) == ["GET /", "end"])
        guard case .paused = try connection.nextEvent() else {
            Issue.record("not paused")
            return
        }
        #expect(connection.bufferedByteCount == get.utf8.count)
        _ = respond(&connection)
        #expect(!connection.isIdle && connection.isReadingHead)
        #expect(try Pair.drain(&connection) == ["GET /", "end"])
        _ = respond(&connection)
        #expect(connection.isIdle && !connection.isReadingHead)
    }

    @Test("Pipelined requests are answered in order")
    func burst() throws {
        let count = 2000
        var connection = server((0..<count).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
        for index in 0..<count {
            #expect(try Pair.drain(&connection) == ["GET /\(index)", "end"])
            _ = respond(&connection)
        }
        #expect(connection.isIdle)
    }

    @Test("A client that pipelines endlessly is throttled and eventually rejected")
    func endlessPipelining() throws {
        var limits = Limits()
        limits.pipelined = 100
        var connection = server("GET / HTTP/1.1\r\nHost: a\r\n\r\n", limits: limits)
        #expect(try Pair.drain(&connection) == ["GET /", "end"])
        connection.receive([UInt8](repeating: 0x41, count: 99))
        #expect(connection.wantsBytes)
        connection.receive([0x41])
        #expect(!connection.wantsBytes)
        #expect(try Pair.drain(&connection) == [])
        connection.receive([0x41])
        #expect(connection.bufferedByteCount == 0)
        #expect(throws: RemoteError.tooMuchPipelined(100)) { try connection.nextEvent() }
        #expect(respond(&connection).contains("Connection: close"))
        #expect(connection.shouldClose)
    }

    @Test("The server discards the rest of a request that it has already answered", arguments: [1, 2, 5, 100])
    func earlyAnswer(step: Int) throws {
        var connection = server("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhe")
        guard case .request = try connection.nextEvent() else {
            Issue.record("no request")
            return
        }
        #expect(!respond(&connection, .unauthorized).contains("Connection"))
        #expect(!connection.shouldClose)
        #expect(try Pair.drain(&connection) == [])
        #expect(connection.isReadingBody)
        let rest = Array("llo\r\n0\r\nA: b\r\n\r\nGET /next HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        #expect(try Pair.feed(rest, to: &connection, step) == ["GET /next", "end"])
    }

    @Test("The server stops reading after an early answer that closes the connection")
    func earlyClose() throws {
        var connection = server("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe")
        guard case .request = try connection.nextEvent() else {
            Issue.record("no request")
            return
        }
        var out: [UInt8] = []
        connection.respond(status: .contentTooLarge, fields: [:], body: [], close: true, into: &out)
        #expect(connection.shouldClose && !connection.isReadingBody)
        connection.receive([1, 2, 3, 4, 5, 6, 7])
        #expect(try Pair.drain(&connection) == [])
        #expect(connection.bufferedByteCount == 0)
        connection.receiveEndOfStream()
        #expect(try Pair.drain(&connection) == ["closed"])
    }

    @Test(
        "An early answer keeps the connection open if the client is no longer waiting for 100 Continue",
        arguments: [true, false])
    func expectationMet(isContinued: Bool) throws {
        var connection = server("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        #expect(try Pair.drain(&connection) == ["POST /"])
        if isContinued {
            var out: [UInt8] = []
            connection.sendContinue(into: &out)
        } else {
            // A client that gets no 100 Continue sends its body after a while.
            connection.receive(Array("h".utf8))
            #expect(try Pair.drain(&connection) == ["body h"])
        }
        #expect(respond(&connection, .unauthorized) == "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n")
        #expect(!connection.shouldClose && connection.isReadingBody)
    }

    @Test("A response announces a close in its head before the body", arguments: [true, false])
    func closeInPieces(byField: Bool) throws {
        var connection = server("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try Pair.drain(&connection)
        let fields: HTTPFields = byField ? [.connection: "close"] : [:]
        var out: [UInt8] = []
        connection.startResponse(status: .ok, fields: fields, close: !byField, into: &out)
        #expect(
            String(decoding: out, as: UTF8.self)
                == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n")
    }

    @Test("A connection is not idle if its client has closed its side")
    func finished() throws {
        var connection = HTTP1.Connection(role: .server)
        #expect(connection.isIdle)
        connection.receiveEndOfStream()
        guard case .connectionClosed = try connection.nextEvent() else {
            Issue.record("not closed")
            return
        }
        #expect(!connection.isIdle)
    }

    @Test("A request without a body may be answered before its end event")
    func answerBeforeEnd() throws {
        var connection = server("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        guard case .request = try connection.nextEvent() else {
            Issue.record("no request")
            return
        }
        _ = respond(&connection)
        #expect(connection.isIdle)
        #expect(try Pair.drain(&connection) == [])
    }

    @Test("An error can be answered only once", arguments: ["BAD\r\n", "\u{16}\u{3}\u{1}"])
    func answerToError(input: String) throws {
        var connection = server(input)
        let error = #expect(throws: RemoteError.self) { try connection.nextEvent() }
        #expect(connection.theirState == .error)
        #expect(connection.canRespond && !connection.shouldClose)
        let known = try #require(error)
        #expect(
            respond(&connection, known.status)
                == "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        )
        #expect(!connection.canRespond && connection.shouldClose)
        connection.receive([1, 2, 3])
        #expect(connection.bufferedByteCount == 0)
        #expect(throws: known) { try connection.nextEvent() }
    }

    @Test("The answer to an error may have any final status and a body")
    func answerWithBody() {
        var connection = server("BAD\r\n")
        #expect(throws: RemoteError.self) { try connection.nextEvent() }
        var out: [UInt8] = []
        connection.respond(status: .ok, fields: [:], body: Array("hi".utf8), into: &out)
        let expected = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi"
        #expect(String(decoding: out, as: UTF8.self) == expected)
    }

    @Test("The server can also answer an error within a body")
    func errorInBody() throws {
        var connection = server("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n")
        #expect(throws: RemoteError.self) { try Pair.drain(&connection) }
        #expect(respond(&connection, .badRequest).contains("Connection: close"))
        #expect(connection.shouldClose)
    }

    @Test("The server confirms keep-alive to an HTTP/1.0 client")
    func keepAliveHTTP10() throws {
        var connection = server("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        #expect(try Pair.drain(&connection) == ["GET /", "end"])
        #expect(respond(&connection) == "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n")
        #expect(connection.isIdle && !connection.shouldClose)
    }

    @Test("In HTTP/1.0, a body of unknown length ends when the connection closes")
    func untilCloseHTTP10() throws {
        var connection = server("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        #expect(try Pair.drain(&connection) == ["GET /", "end"])
        var out: [UInt8] = []
        connection.startResponse(status: .ok, fields: [:], into: &out)
        connection.sendBody(Array("abc".utf8), into: &out)
        #expect(!connection.shouldClose)
        connection.endBody(into: &out)
        #expect(connection.shouldClose)
        #expect(String(decoding: out, as: UTF8.self) == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc")
    }

    @Test("A client that has closed its side still gets all answers")
    func halfClose() throws {
        var connection = server("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
        connection.receiveEndOfStream()
        #expect(try Pair.drain(&connection) == ["GET /1", "end"])
        #expect(!respond(&connection).contains("close"))
        #expect(try Pair.drain(&connection) == ["GET /2", "end", "closed"])
        #expect(respond(&connection).contains("Connection: close"))
        #expect(connection.shouldClose)
    }

    @Test("The end of the stream between two messages is not an error", arguments: ["", "\r\n"])
    func cleanEnd(input: String) throws {
        var connection = server(input)
        connection.receiveEndOfStream()
        #expect(try Pair.drain(&connection) == ["closed"])
        #expect(connection.shouldClose)
    }

    @Test("The server replaces the caller's framing fields")
    func framingFields() throws {
        var connection = server("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try Pair.drain(&connection)
        var out: [UInt8] = []
        let fields: HTTPFields = [.contentLength: "99", .transferEncoding: "chunked", .connection: "x", .server: "y"]
        connection.respond(status: .init(code: 299, reasonPhrase: "Odd"), fields: fields, body: [0x61], into: &out)
        #expect(String(decoding: out, as: UTF8.self) == "HTTP/1.1 299 Odd\r\nServer: y\r\nContent-Length: 1\r\n\r\na")
    }

    @Test("A slice of the body keeps its bytes after more input arrives")
    func bodySlice() throws {
        var connection = server("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nabc")
        guard case .request = try connection.nextEvent(), case .body(let slice) = try connection.nextEvent() else {
            Issue.record("no body")
            return
        }
        connection.receive(Array("def".utf8))
        #expect(String(decoding: slice, as: UTF8.self) == "abc")
        #expect(try Pair.drain(&connection) == ["body def", "end"])
    }

    @Test(
        "An abandoned request gets exactly one answer",
        arguments: [
            "", "\r", "GET / HT", "GET / HTTP/1.1\r\nHost: a\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx",
        ])
    func abandoned(_ text: String) throws {
        var connection = server(text)
        _ = try Pair.drain(&connection)
        let error = RemoteError(status: .requestTimeout, message: "too late", source: "RFC 9110 §15.5.9")
        connection.abandonRequest(error)
        #expect(connection.canRespond)
        #expect(respond(&connection, .requestTimeout).contains("Connection: close\r\n"))
        #expect(!connection.canRespond && connection.shouldClose && !connection.wantsBytes)
        connection.receive(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
        #expect(connection.bufferedByteCount == 0)
        #expect(throws: error) { try connection.nextEvent() }
    }
}
