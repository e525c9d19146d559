import HTTPTypes
import Testing

@testable import HTTP1

@Suite("A client and a server wired together")
struct PairTests {
    static let steps: [Int?] = [nil, 1, 2, 3, 7]

    private func get(_ pair: inout Pair, _ fields: HTTPFields = [:]) throws -> [String] {
        try pair.clientSends { client, out in
            client.sendRequest(method: .get, target: "/", fields: [.hostField: "a"] + fields, body: nil, into: &out)
        }
    }

    @Test("Both ends are idle after a GET and its answer", arguments: steps)
    func get(step: Int?) throws {
        var pair = Pair(step: step)
        for _ in 1...3 {
            #expect(try get(&pair) == ["GET /", "end"])
            #expect(pair.states == "done/sendResponse")
            let events = try pair.serverSends { server, out in
                server.respond(status: .ok, fields: [.contentType: "text/plain"], body: Array("hi".utf8), into: &out)
            }
            #expect(events == ["200", "body hi", "end"])
            #expect(pair.states == "idle/idle")
            #expect(pair.client.isIdle && pair.server.isIdle)
        }
        #expect(pair.sentByClient.hasPrefix("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET"))
        let response = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nhi"
        #expect(pair.sentByServer == response + response + response)
    }

    @Test("Preencoded fields are sent byte for byte")
    func encodedFields() throws {
        var pair = Pair()
        _ = try get(&pair)
        _ = try pair.serverSends { server, out in
            server.respond(status: .created, encodedFields: Array("A: b\r\n".utf8), body: [], into: &out)
        }
        #expect(pair.sentByServer == "HTTP/1.1 201 Created\r\nA: b\r\nContent-Length: 0\r\n\r\n")
    }

    @Test("A response to HEAD has the length but no body", arguments: steps)
    func head(step: Int?) throws {
        var pair = Pair(step: step)
        _ = try pair.clientSends { client, out in
            client.sendRequest(method: .head, target: "/", fields: [.hostField: "a"], body: nil, into: &out)
        }
        let events = try pair.serverSends { server, out in
            server.respond(status: .ok, fields: [:], body: Array("hello".utf8), into: &out)
        }
        #expect(events == ["200", "end"])
        #expect(pair.sentByServer == "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
        #expect(pair.states == "idle/idle")
    }

    @Test("A 204 and a 304 have no body and no length", arguments: [HTTPResponse.Status.noContent, .notModified])
    func withoutBody(status: HTTPResponse.Status) throws {
        var pair = Pair()
        _ = try get(&pair)
        let events = try pair.serverSends { server, out in
            server.respond(status: status, fields: [:], body: Array("dropped".utf8), into: &out)
        }
        #expect(events == ["\(status.code)", "end"])
        #expect(pair.sentByServer == "HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n\r\n")
    }

    @Test("A 205 has an empty body")
    func resetContent() throws {
        var pair = Pair()
        _ = try get(&pair)
        _ = try pair.serverSends { server, out in
            server.respond(status: .resetContent, fields: [:], body: [1], into: &out)
        }
        #expect(pair.sentByServer == "HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n")
    }

    @Test("Both sides can send bodies in chunks", arguments: steps)
    func chunked(step: Int?) throws {
        var pair = Pair(step: step)
        let asked = try pair.clientSends { client, out in
            client.startRequest(method: .post, target: "/a?b", fields: [.hostField: "a"], into: &out)
            client.sendBody(Array("hello ".utf8), into: &out)
            client.sendBody([UInt8](), into: &out)
            client.sendBody(Array("world, this is long".utf8), into: &out)
            client.endBody(into: &out)
        }
        #expect(asked == ["POST /a?b", "body hello world, this is long", "end"])
        #expect(pair.sentByClient.hasSuffix("\r\n\r\n6\r\nhello \r\n13\r\nworld, this is long\r\n0\r\n\r\n"))
        let head = try pair.serverSends { server, out in server.startResponse(status: .ok, fields: [:], into: &out) }
        #expect(head == ["200"])
        #expect(pair.states == "done/sendBody")
        let rest = try pair.serverSends { server, out in
            server.sendBody(Array("abc".utf8), into: &out)
            server.endBody(into: &out)
        }
        #expect(rest == ["body abc", "end"])
        #expect(pair.sentByServer == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
        #expect(pair.states == "idle/idle")
    }

    @Test("A body that is sent in pieces may have a declared length")
    func lengthInPieces() throws {
        var pair = Pair(step: 1)
        _ = try get(&pair)
        let events = try pair.serverSends { server, out in
            server.startResponse(status: .ok, fields: [:], contentLength: 4, into: &out)
            server.sendBody([0x61, 0x62], into: &out)
            server.sendBody([0x63, 0x64], into: &out)
            server.endBody(into: &out)
        }
        #expect(events == ["200", "body abcd", "end"])
        #expect(pair.sentByServer == "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabcd")
    }

    @Test("A close announced by one side closes both sides", arguments: [true, false])
    func close(byField: Bool) throws {
        var pair = Pair()
        _ = try get(&pair)
        let events = try pair.serverSends { server, out in
            let fields: HTTPFields = byField ? [.connection: "Close"] : [:]
            server.respond(status: .ok, fields: fields, body: [], close: !byField, into: &out)
        }
        #expect(events == ["200", "end"])
        #expect(pair.sentByServer == "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        #expect(pair.states == "mustClose/mustClose")
        #expect(pair.client.shouldClose && pair.server.shouldClose)
        pair.server.receiveEndOfStream()
        #expect(try Pair.drain(&pair.server) == ["closed"])
        #expect(pair.server.theirState == .closed)
    }

    @Test("The server announces a close requested by the client")
    func clientCloses() throws {
        var pair = Pair()
        _ = try get(&pair, [.connection: "close"])
        _ = try pair.serverSends { server, out in server.respond(status: .ok, fields: [:], body: [], into: &out) }
        #expect(pair.sentByServer.contains("Connection: close\r\n"))
        #expect(pair.states == "mustClose/mustClose")
    }

    @Test(
        "A request declares the length of its body, even for an empty POST body",
        arguments: [
            (.get, nil, nil), (.delete, nil, nil), (.post, nil, 0), (.put, nil, 0), (.patch, nil, 0), (.get, 0, 0),
            (.get, 1, 1), (.post, 2, 2),
        ] as [(HTTPRequest.Method, Int?, Int?)])
    func requestLength(method: HTTPRequest.Method, count: Int?, announced: Int?) throws {
        var pair = Pair()
        _ = try pair.clientSends { client, out in
            let body = count.map { [UInt8](repeating: 0x61, count: $0) }
            client.sendRequest(method: method, target: "/", fields: [.hostField: "a"], body: body, into: &out)
        }
        let length = announced.map { "Content-Length: \($0)\r\n" } ?? ""
        let body = String(repeating: "a", count: count ?? 0)
        #expect(pair.sentByClient == "\(method.rawValue) / HTTP/1.1\r\nHost: a\r\n\(length)\r\n\(body)")
    }

    @Test("The server sends 100 Continue to a client that expects it", arguments: steps)
    func expectContinue(step: Int?) throws {
        var pair = Pair(step: step)
        let asked = try pair.clientSends { client, out in
            client.startRequest(
                method: .put, target: "/", fields: [.hostField: "a", .expect: "100-continue"], contentLength: 2,
                into: &out)
        }
        #expect(asked == ["PUT /"])
        #expect(pair.server.isReadingBody)
        #expect(try pair.serverSends { $0.sendContinue(into: &$1) } == ["interim 100"])
        #expect(pair.sentByServer == "HTTP/1.1 100 Continue\r\n\r\n")
        let body = try pair.clientSends { client, out in
            client.sendBody([0x68, 0x69], into: &out)
            client.endBody(into: &out)
        }
        #expect(body == ["body hi", "end"])
        _ = try pair.serverSends { $0.respond(status: .ok, fields: [:], body: [], into: &$1) }
        #expect(pair.states == "idle/idle")
    }

    @Test("An error instead of 100 Continue closes the connection because the body may still follow")
    func refusalOfExpectation() throws {
        var pair = Pair()
        _ = try pair.clientSends { client, out in
            client.startRequest(
                method: .put, target: "/", fields: [.hostField: "a", .expect: "100-continue"], contentLength: 2,
                into: &out)
        }
        let events = try pair.serverSends { $0.respond(status: .unauthorized, fields: [:], body: [], into: &$1) }
        #expect(events == ["401", "end"])
        #expect(pair.server.shouldClose)
        #expect(try pair.clientSends { $0.sendBody([0x68, 0x69], into: &$1) } == [])
        #expect(pair.server.bufferedByteCount == 0)
        #expect(!pair.server.wantsBytes)
    }

    @Test("The connection changes its protocol after a 101", arguments: steps)
    func switchProtocols(step: Int?) throws {
        var pair = Pair(step: step)
        #expect(try get(&pair, [.connection: "Upgrade", .upgrade: "websocket"]) == ["GET /", "end"])
        #expect(pair.states == "mightSwitchProtocol/sendResponse")
        pair.server.receive([0x81, 0x00])
        #expect(try Pair.drain(&pair.server) == [])
        var out: [UInt8] = []
        pair.server.switchProtocols(fields: [.upgrade: "websocket"], into: &out)
        #expect(try Pair.feed(out, to: &pair.client, step) == ["101"])
        #expect(
            String(decoding: out, as: UTF8.self)
                == "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
        #expect(pair.states == "switchedProtocol/switchedProtocol")
        #expect(pair.server.takeTrailingBytes() == [0x81, 0x00])
        #expect(pair.client.takeTrailingBytes() == [])
    }

    @Test("Connection or Upgrade alone does not propose an upgrade", arguments: [HTTPField.Name.connection, .upgrade])
    func halfUpgrade(name: HTTPField.Name) throws {
        var pair = Pair()
        _ = try get(&pair, [name: name == .connection ? "upgrade" : "websocket"])
        #expect(pair.states == "done/sendResponse")
    }

    @Test("A connection continues with HTTP if its upgrade is declined")
    func declinedUpgrade() throws {
        var pair = Pair()
        _ = try get(&pair, [.connection: "Upgrade", .upgrade: "websocket"])
        let events = try pair.serverSends { server, out in
            server.respond(status: .upgradeRequired, fields: [.upgrade: "websocket"], body: [], into: &out)
        }
        #expect(events == ["426", "end"])
        #expect(pair.sentByServer.contains("\r\nConnection: upgrade\r\n"))
        #expect(pair.states == "idle/idle")
    }
}

extension HTTPFields {
    static func + (left: HTTPFields, right: HTTPFields) -> HTTPFields {
        var all = left
        all.append(contentsOf: right)
        return all
    }
}
