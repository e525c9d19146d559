import HTTPTypes
import Testing

@testable import HTTP1

@Suite("A raised body limit for one request")
struct RaisedLimitTests {
    private static func connection(_ raised: Int? = 20) -> Connection {
        var limits = Limits()
        limits.body = 10
        limits.raisedBody = raised
        return Connection(role: .server, limits: limits)
    }

    private static func head(_ length: Int) -> String {
        "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n"
    }

    private static func send(_ text: String, to connection: inout Connection) { connection.receive(Array(text.utf8)) }

    /// Reads a body, with the limit raised if one is given; returns the body's length or the error's status.
    private static func read(_ text: String, raisedTo limit: Int?, _ connection: inout Connection) -> Int {
        send(text, to: &connection)
        var count = 0
        do {
            while true {
                switch try connection.nextEvent() {
                case .request: if let limit { connection.raiseBodyLimit(to: limit) }
                case .body(let bytes): count += bytes.count
                case .end: return count
                default: return -1
                }
            }
        } catch {
            return error.status.code
        }
    }

    @Test(
        "The raised limit applies to a declared length",
        arguments: [
            (10, nil, 10), (11, nil, 413), (20, nil, 413), (21, nil, 413), (11, 15, 11), (15, 15, 15), (16, 15, 413),
            (20, 20, 20), (21, 20, 413), (5, 3, 5),
        ] as [(Int, Int?, Int)])
    func length(_ length: Int, _ limit: Int?, _ expected: Int) {
        var connection = Self.connection()
        let text = Self.head(length) + String(repeating: "x", count: length)
        // A limit below the default applies only to chunks; an announced length within the default is already accepted.
        #expect(Self.read(text, raisedTo: limit, &connection) == expected)
    }

    @Test(
        "The raised limit also applies to a chunked body",
        arguments: [(10, nil, 10), (11, nil, 413), (15, 15, 15), (16, 15, 413)] as [(Int, Int?, Int)])
    func chunks(_ length: Int, _ limit: Int?, _ expected: Int) {
        var connection = Self.connection()
        var text = "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        for _ in 0..<length { text += "1\r\nx\r\n" }
        #expect(Self.read(text + "0\r\n\r\n", raisedTo: limit, &connection) == expected)
    }

    @Test("A body beyond the highest limit is rejected when its head arrives")
    func early() throws {
        var connection = Self.connection()
        Self.send(Self.head(21), to: &connection)
        #expect(throws: RemoteError.bodyTooLarge(announced: 21, 10)) { try connection.nextEvent() }
        var other = Self.connection()
        Self.send(Self.head(20), to: &other)
        guard case .request = try other.nextEvent() else { throw RemoteError.bodyTooLarge(0) }
        #expect(other.refusesBody)
        #expect(throws: RemoteError.bodyTooLarge(announced: 20, 10)) { try other.nextEvent() }
        #expect(other.canRespond)
    }

    @Test("The next request has the normal limit again")
    func next() throws {
        var connection = Self.connection()
        #expect(Self.read(Self.head(20) + String(repeating: "x", count: 20), raisedTo: 20, &connection) == 20)
        var out: [UInt8] = []
        connection.respond(status: .ok, fields: [:], body: [], into: &out)
        #expect(Self.read(Self.head(11) + String(repeating: "x", count: 11), raisedTo: nil, &connection) == 413)
    }

    @Test("A request cannot raise its limit if no higher limit is configured")
    func none() {
        var connection = Self.connection(nil)
        #expect(Self.read(Self.head(11), raisedTo: nil, &connection) == 413)
    }
}
