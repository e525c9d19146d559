import FitIQAPI
import HTTPTypes
import Testing
import WebSocket

@testable import Faults

@Suite("Handshake faults")
struct HandshakeFaultTests {
    static let key = [UInt8](0..<16)

    /// A server's 101, and the client that is waiting for it.
    private static func handshake(key: [UInt8] = HandshakeFaultTests.key) -> (EncodedResponse, ClientHandshake) {
        let client = ClientHandshake(key: key)
        let accept = ServerHandshake.accept(for: client.key)
        return (
            EncodedResponse(
                bytes(
                    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: \(accept)\r\n"
                        + "Connection: Upgrade\r\n\r\n")), client
        )
    }

    /// The client's verdict on a response.
    private static func verdict(of client: ClientHandshake, on transmission: Transmission) -> String? {
        let response = EncodedResponse(transmission.bytes)
        var fields = HTTPFields()
        for name in [HTTPField.Name.upgrade, .connection, .secWebSocketAccept] {
            fields[name] = response.value(of: name.rawName)
        }
        return client.verify(status: .switchingProtocols, fields: fields)?.description
    }

    static let wireTable: [(ResponseFault, count: Int?, [Transmission.Mark])] = [
        (.delay(5), nil, [.init(0, .wait(5))]), (.emptyReply, 0, [.init(0, .finish)]),
        (.reset(after: 0), 0, [.init(0, .reset)]),
        (.hang, 0, [.init(0, .silence)]), (.replace(Replacement(status: 503)), nil, []),
    ]

    @Test("Each handshake fault sends the expected bytes", arguments: wireTable)
    func wire(fault: ResponseFault, count: Int?, marks: [Transmission.Mark]) {
        let (response, client) = Self.handshake()
        let out = response.apply([fault], seed: 0)
        #expect(out == Transmission(Array(response.bytes.prefix(count ?? .max)), marks: marks))
        if count == nil { #expect(Self.verdict(of: client, on: out) == nil) }
    }

    @Test(
        "A client rejects an accept value that belongs to a different key",
        arguments: [key, Array("the sample nonce".utf8), [UInt8](repeating: 0, count: 16)])
    func wrongAccept(key: [UInt8]) throws {
        let (response, client) = Self.handshake(key: key)
        #expect(Self.verdict(of: client, on: Transmission(response.bytes)) == nil)
        let out = response.apply([.delay(1), .wrongAccept], seed: 0)
        #expect((out.marks, out.bytes.count) == ([.init(0, .wait(1))], response.bytes.count))
        let value = try #require(EncodedResponse(out.bytes).value(of: "Sec-WebSocket-Accept"))
        let expected = ServerHandshake.accept(for: client.key)
        let told = Self.verdict(of: client, on: out)
        #expect(told?.contains("Sec-WebSocket-Accept: \"\(value)\" instead of \"\(expected)\"") == true)
        #expect(value.utf8.count == 28)
        // A rejected handshake contains nothing that the fault could falsify.
        let refusal = EncodedResponse(bytes("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"))
        #expect(refusal.apply([.wrongAccept], seed: 0) == Transmission(refusal.bytes))
    }

    @Test("Rules select connections by number")
    func numbers() throws {
        var book = FaultBook(rules: [
            .handshake("slow", .delay(7), Selection(first: 2)),
            .handshake("refuse", .replace(Replacement(status: 503, retryAfter: 1)), .only(3)),
            .handshake("again", .replace(Replacement(status: 500)), .only(3)),
            .socket("lose", .lose, at: .frames(.all), Selection(first: 3)),
        ])
        #expect(book.openSocket(at: .after(0)) == nil)
        let second = try unwrap(book.openSocket(at: .after(0)))
        #expect((second.connection, second.response.ruleNames, second.opensSocket) == (2, ["slow"], true))
        #expect(second.socket == nil)
        #expect(second.response.answer(in: .union) == nil)
        let third = try unwrap(book.openSocket(at: .after(0)))
        #expect((third.response.ruleNames, third.opensSocket) == (["slow", "refuse"], false))
        #expect(third.socket == nil)
        #expect(third.response.faults == [.delay(7)])
        let answer = try #require(third.response.answer(in: .union))
        #expect((answer.status, answer.fields) == (.serviceUnavailable, [.retryAfter: "1"]))
        #expect(
            text(answer.body)
                == #"{"success":false,"error":{"code":"SERVICE_UNAVAILABLE","message":"A scenario answers this WebSocket handshake with 503 (fault 'refuse')."}}"#
        )
        let fourth = try unwrap(book.openSocket(at: .after(0)))
        #expect((fourth.connection, fourth.socket?.ruleNames) == (4, ["lose"]))
        #expect((book.connections, book.rules.map(\.matches)) == (4, [4, 4, 4, 4]))
        #expect(book.rules.map(\.acted) == [3, 1, 0, 2])
        let (response, _) = Self.handshake()
        #expect(fourth.response.apply(to: response) == Transmission(response.bytes, marks: [.init(0, .wait(7))]))
    }

    @Test("A rule for a kind of socket counts and affects only sockets of that kind")
    func kinds() throws {
        var book = FaultBook(rules: [
            FaultRule(name: "meals", fault: .handshake(.hang), of: .mealSocket, selection: .only(2)),
            FaultRule(name: "chat", fault: .socket(.lose, at: .frames(.all)), of: .webSocket),
            FaultRule(name: "all", fault: .handshake(.delay(7)), selection: .only(4)),
        ])
        #expect(book.openSocket(.mealSocket, at: .after(0)) == nil)
        #expect(try unwrap(book.openSocket(.webSocket, at: .after(0))?.socket).ruleNames == ["chat"])
        #expect(try unwrap(book.openSocket(.mealSocket, at: .after(0))).response.ruleNames == ["meals"])
        #expect(try unwrap(book.openSocket(nil, at: .after(0))).response.ruleNames == ["all"])
        #expect(book.rules.map(\.matches) == [2, 1, 4] && book.connections == 4)
    }

    @Test("Connections are numbered even without a rule for sockets")
    func numbersWithoutRules() throws {
        var book = FaultBook(rules: [.response("a", .hang)])
        for _ in 0..<5 { #expect(book.openSocket(at: .after(0)) == nil) }
        try book.add(.handshake("h", .hang))
        let sixth = try unwrap(book.openSocket(at: .after(0)))
        #expect((sixth.connection, sixth.opensSocket) == (6, false))
        #expect(book.rules[1].matches == 1, "counted since it is there")
    }
}
