import HTTPTypes
import Testing

@testable import HTTP1

/// The parser skips parts of a head that equal parts of the previous head; skipping them must not change any result.
@Suite("Repeated heads")
struct RepeatedHeadTests {
    private static let fields = "Host: a\r\nAuthorization: Bearer x\r\nAccept: */*\r\n"
    private static let requests = [
        "GET /a HTTP/1.1\r\n\(fields)\r\n", "GET /a HTTP/1.1\r\n\(fields)\r\n", "GET /b?c HTTP/1.1\r\n\(fields)\r\n",
        // Longer and shorter heads that begin like the previous head.
        "GET /b?c HTTP/1.1\r\n\(fields)X: y\r\n\r\n", "GET /b?c HTTP/1.1\r\n\(fields)\r\n",
        "GET /b?c HTTP/1.1\r\nHost: a\r\n\r\n", "GET /b?cd HTTP/1.1\r\nHost: a\r\n\r\n",
        // This head has the same length and differs in one byte.
        "GET /b?cd HTTP/1.1\r\nHost: b\r\n\r\n", "GET /b?ce HTTP/1.1\r\nHost: b\r\n\r\n",
        "POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi",
        "POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nGE",
        "PUT /b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
        "PUT /b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "GET /a HTTP/1.1\r\n\(fields)\r\n",
    ]

    /// The heads that a server reads from pieces; the server answers each request.
    private func read(_ pieces: some Sequence<ArraySlice<UInt8>>) throws -> (heads: [RequestHead], text: [String]) {
        var connection = Connection(role: .server)
        var (heads, text, out) = ([RequestHead](), [String](), [UInt8]())
        for piece in pieces {
            connection.receive(piece)
            reading: while true {
                switch try connection.nextEvent() {
                case .request(let head):
                    heads.append(head)
                    text.append(
                        "\(head.method) \(head.target) \(head.fields.nameValuePairs) \(head.byteCount)"
                            + " \(String(describing: head.contentLength)) \(head.isChunked) \(head.authority ?? "")")
                case .body(let bytes): text[text.count - 1] += " " + String(decoding: bytes, as: UTF8.self)
                case .end: connection.respond(status: .ok, fields: [:], body: [], into: &out)
                case .needsData: break reading
                default: preconditionFailure("This connection stays open.")
                }
            }
        }
        return (heads, text)
    }

    @Test("A repeated head is parsed like a single head however the bytes are split")
    func meaning() throws {
        let alone = try Self.requests.map { try read(CollectionOfOne(Array($0.utf8)[...])).text[0] }
        #expect(alone.count == Self.requests.count && Set(alone).count == 11)
        let bytes = Array(Self.requests.joined().utf8)
        #expect(try read(CollectionOfOne(bytes[...])).text == alone)
        #expect(try read(bytes.pieces(of: 1)).text.map(Self.joined) == alone.map(Self.joined))
        for index in bytes.indices {
            #expect(try read(bytes.cut(at: index)).text.map(Self.joined) == alone.map(Self.joined), "split at \(index)")
        }
    }

    /// The pieces of a body depend on how the input is split.
    private static func joined(_ text: String) -> String { text.filter { $0 != " " } }

    @Test("A repeated head shares the field lines of the previous head")
    func sharing() throws {
        let heads = try read(CollectionOfOne(Array(Self.requests.joined().utf8)[...])).heads
        let isSame = zip(heads, heads.dropFirst()).map { $0.fields.isSame(as: $1.fields) }
        #expect(isSame == [true, true, false, false, false, true, false, true, false, true, false, true, false])
        #expect(!FieldBlock().isSame(as: FieldBlock()))
        // Two targets are the same object if their whole request lines are the same.
        let isSameTarget = zip(heads, heads.dropFirst()).map { $0.target.isSame(as: $1.target) }
        #expect(
            isSameTarget == [
                true, false, true, true, true, false, true, false, false, true, false, true, false,
            ])
    }

    @Test("A head over 4,096 bytes is not stored for comparison", arguments: [(4096, true), (4097, false)])
    func longest(count: Int, isKept: Bool) throws {
        let start = "GET / HTTP/1.1\r\nHost: a\r\nX: "
        let head = start + String(repeating: "x", count: count - start.utf8.count - 4) + "\r\n\r\n"
        let heads = try read(CollectionOfOne(Array((head + head).utf8)[...])).heads
        #expect(heads.map(\.byteCount) == [count, count])
        #expect(heads[0].fields.isSame(as: heads[1].fields) == isKept)
    }

    @Test("A repeated head is rejected exactly like a single head")
    func refusals() throws {
        // Only one of the two HTTP versions requires a Host.
        var connection = Connection(role: .server)
        connection.receive(Array("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n".utf8))
        #expect(try Pair.drain(&connection) == ["GET /", "end"])
        var out: [UInt8] = []
        connection.respond(status: .ok, fields: [:], body: [], into: &out)
        connection.receive(Array("GET / HTTP/1.1\r\nConnection: keep-alive\r\n\r\n".utf8))
        #expect(throws: RemoteError.missingHost) { try connection.nextEvent() }
    }

    @Test("The fields of a repeated head and its trailers count towards the same limit")
    func trailers() throws {
        var limits = Limits()
        limits.fieldCount = 3
        var connection = Connection(role: .server, limits: limits)
        var out: [UInt8] = []
        let head = "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
        for trailers in ["", "T: 1\r\n", ""] {
            connection.receive(Array((head + trailers + "\r\n").utf8))
            #expect(try Pair.drain(&connection) == ["PUT /", "end"])
            connection.respond(status: .ok, fields: [:], body: [], into: &out)
        }
        connection.receive(Array((head + "T: 1\r\nU: 2\r\n\r\n").utf8))
        #expect(throws: RemoteError.tooManyFields(3)) { try Pair.drain(&connection) }
    }

    @Test("A client also recognizes repeated heads")
    func responses() throws {
        var connection = Connection(role: .client)
        var (heads, bodies, out) = ([ResponseHead](), [String](), [UInt8]())
        for (status, body) in [("200 OK", "hi"), ("200 OK", "ho"), ("404 Not Found", "no")] {
            connection.sendRequest(method: .get, target: "/", fields: [.hostField: "a"], body: nil, into: &out)
            connection.receive(Array("HTTP/1.1 \(status)\r\nContent-Length: 2\r\n\r\n\(body)".utf8))
            reading: while true {
                switch try connection.nextEvent() {
                case .response(let head): heads.append(head)
                case .body(let bytes): bodies.append(String(decoding: bytes, as: UTF8.self))
                case .end: break reading
                default: preconditionFailure("Each answer has arrived.")
                }
            }
        }
        #expect(heads.map(\.status.code) == [200, 200, 404] && bodies == ["hi", "ho", "no"])
        #expect(heads.allSatisfy { $0.contentLength == 2 && $0.fields.isSame(as: heads[0].fields) })
    }
}
