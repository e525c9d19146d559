import TestSupport
import Testing

@testable import MockServer

@Suite("Time limits")
struct TimeLimitTests {
    /// A way in which a head or body stalls: the bytes that arrive immediately, and the bytes that trickle in
    /// afterwards.
    struct Stall: CustomTestStringConvertible {
        let name: String
        let first: String
        let trickle: [UInt8]
        let message: String
        var testDescription: String { name }

        static let all = [
            Stall(
                name: "no more of the request line", first: "GET /hea", trickle: [],
                message: "The request's head did not arrive within 10 s"),
            Stall(
                name: "the head trickles", first: "GET /health HTTP/1.1\r\n", trickle: Array("X: ".utf8) + [0x61],
                message: "The request's head did not arrive within 10 s"),
            Stall(
                name: "one CR of an empty line", first: "\r", trickle: [],
                message: "The request's head did not arrive within 10 s"),
            Stall(
                name: "no body", first: "POST /api/v1/consultations HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\n",
                trickle: [], message: "The request's body did not arrive within 10 s"),
            Stall(
                name: "the body trickles",
                first: "POST /api/v1/consultations HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\n",
                trickle: Array("{\"persona\":".utf8), message: "The request's body did not arrive within 10 s"),
            Stall(
                name: "no chunk", first: "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
                trickle: [], message: "The request's body did not arrive within 10 s"),
            Stall(
                name: "100 Continue was sent, no body",
                first: "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n", trickle: [],
                message: "The request's body did not arrive within 10 s"),
        ]
    }

    @Test("A stalled request gets a 408 after exactly 10 s", arguments: Stall.all)
    func stall(_ stall: Stall) throws {
        let network = VirtualNetwork()
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
        #expect(response.status == 408)
        #expect(response.errorCode == "REQUEST_TIMEOUT")
        #expect(response.message.hasPrefix(stall.message))
        #expect(response.fields[.connection] == "close")
        #expect(client.wire.ending == .closed)
        #expect(network.engine.isEmpty)
    }

    @Test("The server closes an idle connection after 75 s", arguments: [0, 1, 5])
    func idle(requests: Int) throws {
        let network = VirtualNetwork()
        let client = try network.client()
        for _ in 0..<requests {
            network.advance(by: .seconds(40))
            #expect(try client.exchange(Request()).status == 200)
        }
        let received = client.wire.received.count
        network.advance(by: .milliseconds(74_999))
        #expect(client.wire.ending == .open)
        network.advance(by: .milliseconds(1))
        #expect(client.wire.ending == .closed)
        #expect(client.wire.received.count == received)
    }

    @Test("Each request has 10 s, however slow the earlier requests were")
    func ownTime() throws {
        let network = VirtualNetwork()
        let client = try network.client()
        let request = Request(fields: ["Connection: keep-alive"])
        for _ in 0..<20 {
            let half = request.bytes.count / 2
            client.wire.send(Array(request.bytes[..<half]))
            network.advance(by: .seconds(9))
            client.wire.send(Array(request.bytes[half...]))
            #expect(try client.response(to: request).status == 200)
        }
    }

    @Test("A request's body has 10 s from the end of its head")
    func headThenBody() throws {
        let network = VirtualNetwork()
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
        let network = VirtualNetwork()
        let client = try network.client()
        let request = Request()
        for _ in 0..<3_000 {
            client.wire.send(request.bytes, cutAt: 10)
            network.advance(by: .milliseconds(pause))
            #expect(try client.response(to: request).status == 200)
        }
        #expect(network.engine.deadlines.count < 16)
    }

    @Test("The deadline queue drops the entries for closed connections")
    func queueForgets() throws {
        let network = VirtualNetwork()
        let stays = try network.client()
        for _ in 0..<20_000 { try network.open().vanish() }
        #expect(network.engine.deadlines.count < 2_000)
        network.advance(by: .seconds(75))
        #expect(network.engine.deadlines.count == 0)
        #expect(stays.wire.ending == .closed)
    }

    @Test("The server drops a client 75 s after the last byte it reads")
    func slowReader() throws {
        let network = VirtualNetwork()
        let client = try network.open(window: 0)
        // The request arrives in two pieces, so the time limit for its arrival has passed by the time the response is
        // made.
        client.send(Request().bytes, cutAt: 5)
        for _ in 0..<5 {
            network.advance(by: .seconds(74))
            #expect(client.ending == .open)
            client.read(1)
        }
        network.advance(by: .milliseconds(74_999))
        #expect(client.ending == .open)
        network.advance(by: .milliseconds(1))
        #expect(client.ending == .reset)
    }

    @Test("A slow reader gets the whole of a connection's last response", arguments: [true, false])
    func slowReaderOfLastResponse(hasFinishedWriting: Bool) throws {
        let network = VirtualNetwork()
        let client = try network.open(window: 0)
        client.send(Request(fields: ["Connection: close"]).bytes, cutAt: 5)
        if hasFinishedWriting { client.finishWriting() }
        let whole = network.unsent(by: client)
        for _ in 0..<whole {
            network.advance(by: .seconds(5))
            client.read(1)
        }
        #expect(client.received.count == whole)
        #expect(client.ending == .closed)
    }

    @Test("The server drops a half-closed client that reads nothing for 75 s")
    func finishedAndNeverReads() throws {
        let network = VirtualNetwork()
        let client = try network.open(window: 0)
        client.send(Request().bytes)
        client.finishWriting()
        network.advance(by: .milliseconds(74_999))
        #expect(client.ending == .open)
        network.advance(by: .milliseconds(1))
        #expect(client.ending == .reset)
    }
}
