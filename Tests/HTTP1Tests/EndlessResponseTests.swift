import HTTPTypes
import Testing

@testable import HTTP1

@Suite("Endless responses")
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

    @Test("An endless response is sent piece by piece", arguments: [nil, 1, 3])
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

    @Test("An empty piece does not end an endless response")
    func framing() throws {
        var (connection, head) = try streaming(Self.get)
        #expect(head == "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        #expect(send(": hello\n\n", on: &connection) == "9\r\n: hello\n\n\r\n")
        #expect(send("", on: &connection) == "")
        #expect(end(&connection) == "0\r\n\r\n")
    }

    @Test("An endless HTTP/1.0 response is not chunked and ends when the connection closes")
    func http10() throws {
        var (connection, head) = try streaming("GET /events HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        #expect(head == "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
        #expect(send("data: x\n\n", on: &connection) == "data: x\n\n")
        #expect(!connection.shouldClose)
        #expect(end(&connection) == "")
        #expect(connection.shouldClose)
    }

    @Test("An endless response to HEAD has no body")
    func head() throws {
        var (connection, head) = try streaming("HEAD /events HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(head.hasSuffix("Transfer-Encoding: chunked\r\n\r\n"))
        #expect(send("data: x\n\n", on: &connection) == "")
        #expect(end(&connection) == "")
        #expect(connection.isIdle && !connection.shouldClose)
    }

    @Test("The server can still end the response after the client has closed its side", arguments: ["1.0", "1.1"])
    func disconnect(version: String) throws {
        var (connection, _) = try streaming("GET /events HTTP/\(version)\r\nHost: a\r\n\r\n")
        guard case .paused = try connection.nextEvent() else {
            // With HTTP/1.0 and no keep-alive, the client sends nothing more.
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

    @Test("A pipelined request waits until the endless response ends")
    func pipelined() throws {
        var (connection, _) = try streaming(Self.get + "GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try Pair.drain(&connection) == [])
        #expect(connection.bufferedByteCount > 0 && !connection.canRespond)
        // A read does not detect that a client with a waiting request has disconnected; only a failed write does.
        connection.receiveEndOfStream()
        #expect(try Pair.drain(&connection) == [])
        _ = end(&connection)
        #expect(try Pair.drain(&connection) == ["GET /next", "end", "closed"])
        #expect(connection.canRespond)
    }

    @Test("If the client sends too much, the server can only end the response")
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

@Suite("Recorded heads")
struct HeadRecordTests {
    @Test("A recorded head keeps the size, the order and the spelling of its fields")
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
