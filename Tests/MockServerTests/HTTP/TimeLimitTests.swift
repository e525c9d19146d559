import TestSupport
import Testing

@testable import MockServer

@Suite("Time limits")
struct TimeLimitTests {
    private let network = VirtualNetwork()

    /// The bytes of an incomplete request that arrive at once, and those that trickle in afterwards.
    struct Stall: CustomTestStringConvertible {
        let testDescription: String
        let first: String
        let trickle: [UInt8]
        let part: String

        private init(_ name: String, of part: String, _ first: String, trickle: String = "") {
            (testDescription, self.part, self.first, self.trickle) = (name, part, first, Array(trickle.utf8))
        }

        private static let post = "POST /api/v1/consultations HTTP/1.1\r\nHost: a\r\n"
        static let all = [
            Stall("no more of the request line", of: "head", "GET /hea"),
            Stall("the head trickles", of: "head", "GET /health HTTP/1.1\r\n", trickle: "X: a"),
            Stall("one CR of an empty line", of: "head", "\r"),
            Stall("no body", of: "body", "\(post)Content-Length: 99\r\n\r\n"),
            Stall("the body trickles", of: "body", "\(post)Content-Length: 99\r\n\r\n", trickle: "{\"persona\":"),
            Stall("no chunk", of: "body", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"),
            Stall(
                "100 Continue was sent, no body", of: "body",
                "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"),
        ]
    }

    @Test("A stalled request gets a 408 after exactly 10 s", arguments: Stall.all)
    func stall(_ stall: Stall) throws {
        let client = try network.client()
        client.wire.send(stall.first)
        for byte in stall.trickle {
            network.advance(by: .milliseconds(700))
            client.wire.send([byte])
        }
        network.advance(by: .milliseconds(9_999 - 700 * stall.trickle.count))
        #expect(!String(decoding: client.wire.received, as: UTF8.self).contains("408"))
        #expect(client.wire.ending == .open)
        network.advance(by: .milliseconds(1))
        let response = try client.response(to: Request(method: .post))
        #expect(response.refusal == "408 REQUEST_TIMEOUT" && response.fields[.connection] == "close")
        #expect(response.message.hasPrefix("The request's \(stall.part) did not arrive within 10 s"))
        #expect(client.wire.ending == .closed && network.engine.isEmpty)
    }

    @Test("The server closes an idle connection after 75 s", arguments: [0, 1, 5])
    func idle(requests: Int) throws {
        let client = try network.client()
        for _ in 0..<requests {
            network.advance(by: .seconds(40))
            #expect(try client.exchange(Request()).status == 200)
        }
        let received = client.wire.received.count
        #expect(network.endings(of: client.wire, after: .seconds(75)) == [.open, .closed])
        #expect(client.wire.received.count == received)
    }

    @Test("Each request has 10 s, however slow the earlier requests were")
    func ownTime() throws {
        let client = try network.client()
        let request = Request(fields: ["Connection: keep-alive"])
        for _ in 0..<20 {
            let halves = request.bytes.cut(at: request.bytes.count / 2).map(Array.init)
            client.wire.send(halves[0])
            network.advance(by: .seconds(9))
            client.wire.send(halves[1])
            #expect(try client.response(to: request).status == 200)
        }
    }

    @Test("A request's body has 10 s from the end of its head")
    func headThenBody() throws {
        let client = try network.client()
        let request = Request.create()
        client.wire.send("POST /api")
        network.advance(by: .seconds(9))
        client.wire.send(Array(request.head.utf8.dropFirst(9)))
        network.advance(by: .seconds(9))
        client.wire.send(request.body ?? [])
        #expect(try client.response(to: request).status == 201)
    }

    @Test("A busy connection adds few entries to the deadline queue", arguments: [0, 300])
    func queueStaysSmall(pause: Int) throws {
        let client = try network.client()
        for _ in 0..<3_000 {
            client.wire.send(Request().bytes, cutAt: 10)
            network.advance(by: .milliseconds(pause))
            #expect(try client.response().status == 200)
        }
        #expect(network.engine.deadlines.count < 16)
    }

    @Test("The deadline queue drops the entries for closed connections")
    func queueForgets() throws {
        let stays = try network.client()
        for _ in 0..<20_000 { try network.open().vanish() }
        #expect(network.engine.deadlines.count < 2_000)
        network.advance(by: .seconds(75))
        #expect(network.engine.deadlines.count == 0 && stays.wire.ending == .closed)
    }

    @Test("The server drops a client 75 s after the last byte it reads")
    func slowReader() throws {
        let client = try network.open(window: 0)
        // The request arrives in two pieces, so its own time limit has passed when the response is made.
        client.send(Request().bytes, cutAt: 5)
        for _ in 0..<5 {
            network.advance(by: .seconds(74))
            #expect(client.ending == .open)
            client.read(1)
        }
        #expect(network.endings(of: client, after: .seconds(75)) == [.open, .reset])
    }

    @Test("A slow reader gets the whole of a connection's last response", arguments: [true, false])
    func slowReaderOfLastResponse(hasFinishedWriting: Bool) throws {
        let client = try network.open(window: 0)
        client.send(Request(fields: ["Connection: close"]).bytes, cutAt: 5)
        if hasFinishedWriting { client.finishWriting() }
        let whole = network.unsent(by: client)
        for _ in 0..<whole {
            network.advance(by: .seconds(5))
            client.read(1)
        }
        #expect(client.received.count == whole && client.ending == .closed)
    }

    @Test("The server drops a half-closed client that reads nothing for 75 s")
    func finishedAndNeverReads() throws {
        let client = try network.open(window: 0)
        client.send(Request().bytes)
        client.finishWriting()
        #expect(network.endings(of: client, after: .seconds(75)) == [.open, .reset])
    }
}
