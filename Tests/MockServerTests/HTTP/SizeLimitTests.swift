import TestSupport
import Testing

@testable import MockServer

@Suite("Limits on a request's size")
struct SizeLimitTests {
    private let network = VirtualNetwork()

    struct Limit: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let status: Int
        let atLimit: Int
        let fragment: String
        let request: @Sendable (Int) -> [UInt8]

        private static func get(_ query: String, _ fields: String) -> [UInt8] {
            Array("GET /health\(query) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n".utf8)
        }

        static func create(_ size: Int) -> Request {
            let json = #"{"persona":"nutritionist"}"#
            return .create(json + String(repeating: " ", count: size - json.utf8.count))
        }

        static let all = [
            Limit("request line of 8 KiB", 414, atLimit: 8192, "more than 8192 bytes") {
                get("?" + String(repeating: "a", count: $0 - "GET /health? HTTP/1.1\r\n".utf8.count), "")
            },
            Limit("header block of 16 KiB", 431, atLimit: 16_384, "more than 16384 bytes") {
                get("", "X: \(String(repeating: "x", count: $0 - "Host: a\r\nX: \r\n".utf8.count))\r\n")
            },
            Limit("100 fields", 431, atLimit: 100, "More than 100 header lines") {
                get("", String(repeating: "X: y\r\n", count: $0 - 1))
            },
            Limit("body of 1 MiB", 413, atLimit: 1 << 20, "1048576") { create($0).bytes },
            Limit("chunked body of 1 MiB", 413, atLimit: 1 << 20, "1048576") {
                var request = create($0).with("Transfer-Encoding: chunked")
                let body = request.body ?? []
                request.body = nil
                return request.bytes + body.chunked(inPiecesOf: 100_000)
            },
        ]

        private init(
            _ name: String, _ status: Int, atLimit: Int, _ fragment: String,
            _ request: @escaping @Sendable (Int) -> [UInt8]
        ) {
            (testDescription, self.status, self.atLimit) = (name, status, atLimit)
            (self.fragment, self.request) = (fragment, request)
        }
    }

    @Test("The server accepts a request at each limit and rejects a larger request", arguments: Limit.all, [0, 1, 100])
    func edge(limit: Limit, excess: Int) throws {
        let client = try network.client()
        client.wire.send(limit.request(limit.atLimit + excess))
        let response = try client.response()
        if excess == 0 {
            #expect(response.status < 300, "\(response.text)")
            #expect(try client.exchange(Request()).status == 200)
        } else {
            #expect(response.status == limit.status && response.fields[.connection] == "close")
            #expect(response.message.contains(limit.fragment), "\(response.message)")
            #expect(client.wire.ending == .closed && network.engine.isEmpty)
        }
    }

    @Test("An oversized request's error does not depend on how it is split", arguments: Limit.all, [1, 7, 1000])
    func pieces(limit: Limit, size: Int) throws {
        // Sending a whole mebibyte byte by byte would not check anything more than sending 100,000 bytes.
        let bytes = limit.request(limit.atLimit + 1)
        let size = bytes.count > 100_000 ? size * 100 : size
        let whole = try network.open()
        whole.send(bytes)
        let client = try network.open()
        client.send(bytes, inPiecesOf: size)
        #expect(client.received == whole.received && client.ending == .closed)
    }

    @Test("The server rejects an oversized Content-Length before the body arrives", arguments: [true, false])
    func expectation(fits: Bool) throws {
        let client = try network.client()
        let request = Limit.create((1 << 20) + (fits ? 0 : 1)).with("Expect: 100-continue")
        client.wire.send(request.head)
        if fits {
            #expect(client.wire.received == Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
            client.wire.send(request.body ?? [])
        }
        let response = try client.response(to: request)
        #expect(response.interim + [response.status] == (fits ? [100, 201] : [413]))
        #expect((client.wire.ending == .closed) == !fits)
    }

    @Test("An oversized Content-Length gets an error in the form used by the world in the request's path")
    func worldOfThePath() throws {
        let world = try network.world(#"{"guide":"meal-log-websocket"}"#)
        func refusal(_ prefix: String) throws -> Response {
            let client = try network.client()
            let request = Request.authorized(.post, prefix + "/api/v1/meal-logs/natural")
            client.wire.send(request.with("Content-Length: 1048577").head)
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
        let client = try network.client()
        client.wire.closesInReply = false
        client.wire.send(Limit.all[3].request((1 << 20) + 1))
        #expect(try client.response().status == 413)
        client.wire.send([UInt8](repeating: 0x20, count: 1 << 20))
        #expect(client.wire.unread == 0 && client.wire.ending == .open && client.wire.sawEndOfStream)
        network.advance(by: .seconds(2))
        #expect(client.wire.ending == .closed)
    }

    @Test("The server answers pipelined requests in order until a bad request", arguments: [1, 13, 4096])
    func pipelined(size: Int) throws {
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
        let client = try network.client()
        #expect(try client.exchange(Request()).status == 200)
        client.wire.send(Limit.all[3].request(1 << 20))
        #expect(try client.response().status == 201)
    }

    @Test("The default world's journal records invalid requests")
    func noRequest() throws {
        let wire = try network.open()
        wire.send("BAD\r\n\r\n")
        let texts = try network.plainWorld().journal().map { $0["text"]?.string ?? "" }
        #expect(texts.count == 1 && texts[0].hasPrefix("refused with 400: "), "\(texts)")
    }

    @Test("A half-closed client gets its remaining answers", arguments: 0..<4)
    func halfClose(requests: Int) throws {
        let client = try network.client()
        client.wire.send((0..<requests).flatMap { _ in Request().bytes })
        client.wire.finishWriting()
        for _ in 0..<requests { #expect(try client.response().status == 200) }
        #expect(client.wire.ending == .closed && network.engine.isEmpty)
    }

    @Test("A truncated request returns 400", arguments: ["G", "GET / HTTP/1.1\r\nHost"])
    func truncated(text: String) throws {
        let client = try network.client()
        client.wire.send(text)
        client.wire.finishWriting()
        let response = try client.response()
        #expect(response.status == 400 && client.wire.ending == .closed)
        #expect(response.message.contains("The stream ended in the middle of a request's head"))
    }
}
