import Testing

@testable import MockServer

@Suite("Time limits")
struct TimeLimitTests {
    /// How a request's head or body can stall: what arrives at once, and what then trickles.
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

    @Test("A request that stalls is answered 408 after 10 s, and not before", arguments: Stall.all)
    func stall(_ stall: Stall) throws {
        let network = VirtualNetwork()
        let client = try HTTPClient(network)
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
}
