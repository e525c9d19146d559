import HTTPTypes
import Testing

@testable import HTTP1

@Suite("A response without an end")
struct EndlessResponseTests {
    static let fields: HTTPFields = [.contentType: "text/event-stream"]

    private func streaming(_ request: String, limits: Limits = .standard) throws -> (Connection, String) {
        var connection = Connection(role: .server, limits: limits)
        connection.receive(Array(request.utf8))
        _ = try Pair.drain(&connection)
        var out: [UInt8] = []
        connection.startResponse(status: .ok, fields: Self.fields, into: &out)
        return (connection, String(decoding: out, as: UTF8.self))
    }

    private func send(_ text: String, on connection: inout Connection) -> String {
        var out: [UInt8] = []
        connection.sendBody(Array(text.utf8), into: &out)
        return String(decoding: out, as: UTF8.self)
    }

    private func end(_ connection: inout Connection) -> String {
        var out: [UInt8] = []
        connection.endBody(into: &out)
        return String(decoding: out, as: UTF8.self)
    }

    static let get = "GET /events HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test("A response goes out piece by piece, and a client reads each at once", arguments: [nil, 1, 3])
    func pieces(step: Int?) throws {
        var pair = Pair(step: step)
        _ = try pair.clientSends { client, out in
            client.sendRequest(method: .get, target: "/events", fields: [.hostField: "a"], body: nil, into: &out)
        }
        let head = try pair.serverSends { server, out in
            server.startResponse(status: .ok, fields: Self.fields, into: &out)
        }
        #expect(head == ["200"])
        for number in 1...200 {
            let piece = try pair.serverSends { server, out in
                server.sendBody(Array("data: \(number)\n\n".utf8), into: &out)
            }
            #expect(piece == ["body data: \(number)\n\n"])
            #expect(!pair.server.shouldClose && pair.server.bufferedByteCount == 0)
        }
        #expect(try pair.serverSends { server, out in server.endBody(into: &out) } == ["end"])
        #expect(pair.states == "idle/idle")
    }

    @Test("A response is chunked, and an empty piece does not end it")
    func framing() throws {
        var (connection, head) = try streaming(Self.get)
        #expect(head == "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        #expect(send(": hello\n\n", on: &connection) == "9\r\n: hello\n\n\r\n")
        #expect(send("", on: &connection) == "")
        #expect(end(&connection) == "0\r\n\r\n")
    }

    @Test("In HTTP/1.0 the response is bare, and ends with the connection")
    func http10() throws {
        var (connection, head) = try streaming("GET /events HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        #expect(head == "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
        #expect(send("data: x\n\n", on: &connection) == "data: x\n\n")
        #expect(!connection.shouldClose)
        #expect(end(&connection) == "")
        #expect(connection.shouldClose)
    }

    @Test("HEAD has no body, and the response ends on request")
    func head() throws {
        var (connection, head) = try streaming("HEAD /events HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(head.hasSuffix("Transfer-Encoding: chunked\r\n\r\n"))
        #expect(send("data: x\n\n", on: &connection) == "")
        #expect(end(&connection) == "")
        #expect(connection.isIdle && !connection.shouldClose)
    }

    @Test("The response is told that the client ended its side, and can still end", arguments: ["1.0", "1.1"])
    func disconnect(version: String) throws {
        var (connection, _) = try streaming("GET /events HTTP/\(version)\r\nHost: a\r\n\r\n")
        guard case .paused = try connection.nextEvent() else {
            // HTTP/1.0 without keep-alive: the client sends nothing more.
            #expect(version == "1.0")
            connection.receiveEndOfStream()
            #expect(try Pair.drain(&connection) == ["closed"])
            return
        }
        connection.receiveEndOfStream()
        #expect(try Pair.drain(&connection) == ["closed"])
        #expect(!connection.shouldClose && !connection.canRespond)
        #expect(send("data: x\n\n", on: &connection) == "9\r\ndata: x\n\n\r\n")
        #expect(end(&connection) == "0\r\n\r\n")
        #expect(connection.shouldClose)
    }

    @Test("A pipelined request waits for the end of the response")
    func pipelined() throws {
        var (connection, _) = try streaming(Self.get + "GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try Pair.drain(&connection) == [])
        #expect(connection.bufferedByteCount > 0 && !connection.canRespond)
        // Reading does not notice that a client with a waiting request disconnects; only a failed write does.
        connection.receiveEndOfStream()
        #expect(try Pair.drain(&connection) == [])
        _ = end(&connection)
        #expect(try Pair.drain(&connection) == ["GET /next", "end", "closed"])
        #expect(connection.canRespond)
    }

    @Test("If the client sends too much, the response can only end, without a refusal")
    func tooMuch() throws {
        var limits = Limits()
        limits.pipelined = 10
        var (connection, _) = try streaming(Self.get, limits: limits)
        connection.receive([UInt8](repeating: 0x41, count: 10))
        #expect(!connection.wantsBytes)
        connection.receive([0x41])
        #expect(throws: RemoteError.self) { try connection.nextEvent() }
        #expect(!connection.canRespond)
        #expect(end(&connection) == "0\r\n\r\n")
        #expect(connection.shouldClose)
    }
}

@Suite("A record of heads")
struct HeadRecordTests {
    @Test("A recorded head has all fields in order and spelling, and its size")
    func pairs() throws {
        let text = "GET /a?b HTTP/1.1\r\nHost: a\r\nx-A:  1 \r\nX-a: \u{e9}\r\nEmpty:\r\n\r\n"
        var connection = Connection(role: .server)
        connection.receive(Array((text + "GET ").utf8))
        guard case .request(let head) = try connection.nextEvent() else {
            Issue.record("no request")
            return
        }
        #expect(
            head.fields.nameValuePairs.map { "\($0.name)=\($0.value)" }
                == ["Host=a", "x-A=1", "X-a=\u{e9}", "Empty="])
        #expect(head.byteCount == text.utf8.count)
        #expect(FieldBlock().nameValuePairs.isEmpty)
    }
}
