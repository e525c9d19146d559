import TestSupport
import Testing

@testable import MockServer

@Suite("Limits on a request's size")
struct SizeLimitTests {
    /// A part of a request that has a size limit.
    struct Limit: CustomTestStringConvertible, Sendable {
        let name: String
        let status: Int
        let atLimit: Int
        let fragment: String
        let request: @Sendable (Int) -> [UInt8]
        var testDescription: String { name }

        static let all = [
            Limit(name: "request line of 8 KiB", status: 414, atLimit: 8192, fragment: "more than 8192 bytes") { size in
                let padding = String(
                    repeating: "a", count: size - "GET /health?".utf8.count - " HTTP/1.1\r\n".utf8.count)
                return Array("GET /health?\(padding) HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
            },
            Limit(name: "header block of 16 KiB", status: 431, atLimit: 16_384, fragment: "more than 16384 bytes") {
                size in
                let fixed = "Host: a\r\n".utf8.count + "X: \r\n".utf8.count
                return Array(
                    "GET /health HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: size - fixed))\r\n\r\n".utf8)
            },
            Limit(name: "100 fields", status: 431, atLimit: 100, fragment: "More than 100 header lines") { count in
                let fields = String(repeating: "X: y\r\n", count: count - 1)
                return Array("GET /health HTTP/1.1\r\nHost: a\r\n\(fields)\r\n".utf8)
            },
            Limit(name: "body of 1 MiB", status: 413, atLimit: 1 << 20, fragment: "1048576") { size in
                var request = Request.create(#"{"persona":"nutritionist"}"#)
                request.body = (request.body ?? []) + [UInt8](repeating: 0x20, count: size - (request.body ?? []).count)
                return request.bytes
            },
            Limit(name: "chunked body of 1 MiB", status: 413, atLimit: 1 << 20, fragment: "1048576") { size in
                let json = Array(#"{"persona":"nutritionist"}"#.utf8)
                let body = json + [UInt8](repeating: 0x20, count: size - json.count)
                let head = Request.authorized(.post, "/api/v1/consultations").with("Content-Type: application/json")
                    .with("Transfer-Encoding: chunked").head
                return Array(head.utf8) + body.chunked(inPiecesOf: 100_000)
            },
        ]
    }

    @Test("The server accepts a request at each limit and rejects a larger request", arguments: Limit.all, [0, 1, 100])
    func edge(limit: Limit, excess: Int) throws {
        let network = VirtualNetwork()
        let client = try network.client()
        client.wire.send(limit.request(limit.atLimit + excess))
        let response = try client.response()
        if excess == 0 {
            #expect(response.status < 300, "\(response.text)")
            #expect(try client.exchange(Request()).status == 200)
        } else {
            #expect(response.status == limit.status)
            #expect(response.message.contains(limit.fragment), "\(response.message)")
            #expect(response.fields[.connection] == "close")
            #expect(client.wire.ending == .closed)
            #expect(network.engine.isEmpty)
        }
    }

    @Test("An oversized request's error does not depend on how it is split", arguments: Limit.all, [1, 7, 1000])
    func pieces(limit: Limit, size: Int) throws {
        let network = VirtualNetwork()
        // Sending a whole mebibyte byte by byte would not check anything more than sending 100,000 bytes.
        let bytes = limit.request(limit.atLimit + 1)
        let size = bytes.count > 100_000 ? size * 100 : size
        let whole = try network.open()
        whole.send(bytes)
        let client = try network.open()
        client.send(bytes, inPiecesOf: size)
        #expect(client.received == whole.received)
        #expect(client.ending == .closed)
    }

    @Test("The server rejects an oversized Content-Length before the body arrives", arguments: [true, false])
    func expectation(fits: Bool) throws {
        let network = VirtualNetwork()
        let client = try network.client()
        let json = #"{"persona":"nutritionist"}"#
        let padding = String(repeating: " ", count: (1 << 20) - json.count + (fits ? 0 : 1))
        let request = Request.create(json + padding).with("Expect: 100-continue")
        client.wire.send(request.head)
        if fits {
            #expect(client.wire.received == Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
            client.wire.send(request.body ?? [])
        }
        let response = try client.response(to: request)
        #expect(response.status == (fits ? 201 : 413))
        #expect(response.interim == (fits ? [100] : []))
        #expect((client.wire.ending == .closed) == !fits)
    }

    @Test("An oversized Content-Length gets an error in the form used by the world in the request's path")
    func worldOfThePath() throws {
        let network = VirtualNetwork()
        let world = try network.world(#"{"guide":"meal-log-websocket"}"#)
        func refusal(_ prefix: String) throws -> Response {
            let head = Request.authorized(.post, prefix + "/api/v1/meal-logs/natural").with("Content-Length: 1048577")
                .head
            let client = try network.client()
            client.wire.send(head)
            return try client.response()
        }
        let (own, ofServer) = (try refusal(world.prefix), try refusal(""))
        #expect(own.status == 413 && ofServer.status == 413)
        #expect(own.json?["message"] == nil && ofServer.json?["message"] != nil, "\(own.text) \(ofServer.text)")
        for world in [world, try network.plainWorld()] {
            #expect(try world.journal().count { $0["text"]?.string?.hasPrefix("refused with 413") == true } == 1)
        }
    }

    @Test("The server reads and drops input after an error so that the client can read the error")
    func dropsTheRest() throws {
        let network = VirtualNetwork()
        let client = try network.client()
        client.wire.closesInReply = false
        client.wire.send(Limit.all[3].request((1 << 20) + 1))
        #expect(try client.response().status == 413)
        client.wire.send([UInt8](repeating: 0x20, count: 1 << 20))
        #expect(client.wire.unread == 0)
        #expect(client.wire.ending == .open && client.wire.sawEndOfStream)
        network.advance(by: .seconds(2))
        #expect(client.wire.ending == .closed)
    }

    @Test("The server answers pipelined requests in order until a bad request", arguments: [1, 13, 4096])
    func pipelined(size: Int) throws {
        let network = VirtualNetwork()
        let client = try network.client()
        let paths = ["/health", "/nowhere", "/ready", "/api/v1/consultations", "/health"]
        let bytes = paths.flatMap { Request(target: $0).bytes } + Array("BAD\r\n\r\n".utf8) + Request().bytes
        client.wire.send(bytes, inPiecesOf: size)
        for status in [200, 404, 200, 401, 200, 400] { #expect(try client.response().status == status) }
        #expect(throws: ResponseReader.Missing.self) { try client.response() }
        #expect(client.wire.ending == .closed)
    }

    @Test("A reused connection accepts a body of the maximum size")
    func largestBodyLater() throws {
        let network = VirtualNetwork()
        let client = try network.client()
        #expect(try client.exchange(Request()).status == 200)
        client.wire.send(Limit.all[3].request(1 << 20))
        #expect(try client.response().status == 201)
    }

    @Test("The default world's journal records invalid requests")
    func noRequest() throws {
        let network = VirtualNetwork()
        let wire = try network.open()
        wire.send("BAD\r\n\r\n")
        let texts = try network.plainWorld().journal().map { $0["text"]?.string ?? "" }
        #expect(texts.count == 1 && texts[0].hasPrefix("refused with 400: "), "\(texts)")
    }

    @Test("A half-closed client gets its remaining answers", arguments: 0..<4)
    func halfClose(requests: Int) throws {
        let network = VirtualNetwork()
        let client = try network.client()
        client.wire.send((0..<requests).flatMap { _ in Request().bytes })
        client.wire.finishWriting()
        for _ in 0..<requests { #expect(try client.response().status == 200) }
        #expect(client.wire.ending == .closed)
        #expect(network.engine.isEmpty)
    }

    @Test("A truncated request returns 400", arguments: ["G", "GET / HTTP/1.1\r\nHost"])
    func truncated(text: String) throws {
        let network = VirtualNetwork()
        let client = try network.client()
        client.wire.send(text)
        client.wire.finishWriting()
        let response = try client.response()
        #expect(response.status == 400)
        #expect(response.message.contains("The stream ended in the middle of a request's head"))
        #expect(client.wire.ending == .closed)
    }
}
