import HTTPTypes
import TestSupport
import Testing

@testable import HTTP1

@Suite("Limits")
struct LimitTests {
    /// An input whose size depends on a number, and its limits.
    struct Edge: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var role = Role.server
        var limit: Int
        var status: Int
        var limits = Limits()
        var input: @Sendable (Int) -> String
    }

    private static let get = "GET / HTTP/1.1\r\n"
    private static let post = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    private static func padding(_ count: Int) -> String { String(repeating: "a", count: count) }
    private static func limits(_ change: (inout Limits) -> Void) -> Limits {
        var limits = Limits()
        change(&limits)
        return limits
    }

    static let edges: [Edge] = [
        Edge(testDescription: "request line", limit: 8192, status: 414) {
            "GET /" + padding($0 - 16) + " HTTP/1.1\r\nHost: a\r\n\r\n"
        },
        Edge(testDescription: "method", limit: 32, status: 501) {
            padding($0) + " / HTTP/1.1\r\nHost: a\r\n\r\n"
        },
        Edge(testDescription: "header block in one line", limit: 16384, status: 431) {
            get + "Host: a\r\nX: " + padding($0 - 14) + "\r\n\r\n"
        },
        Edge(
            testDescription: "header block in many lines", limit: 90, status: 431,
            limits: limits { $0.headerBlock = 90 }
        ) {
            get + "Host: a\r\n" + String(repeating: "X: abcd\r\n", count: 8) + "Y:" + padding($0 - 85) + "\r\n\r\n"
        },
        Edge(testDescription: "field lines", limit: 100, status: 431) {
            get + "Host: a\r\n" + String(repeating: "X: a\r\n", count: $0 - 1) + "\r\n"
        },
        Edge(testDescription: "Content-Length", limit: 50, status: 413, limits: limits { $0.body = 50 }) {
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \($0)\r\n\r\n" + padding($0)
        },
        Edge(testDescription: "body in one chunk", limit: 50, status: 413, limits: limits { $0.body = 50 }) {
            post + String($0, radix: 16) + "\r\n" + padding($0) + "\r\n0\r\n\r\n"
        },
        Edge(testDescription: "body in many chunks", limit: 50, status: 413, limits: limits { $0.body = 50 }) {
            post + String(repeating: "1\r\na\r\n", count: $0) + "0\r\n\r\n"
        },
        Edge(testDescription: "chunk-size line", limit: 256, status: 400) {
            post + "0;" + padding($0 - 4) + "\r\n\r\n"
        },
        Edge(testDescription: "trailer bytes", limit: 100, status: 431, limits: limits { $0.headerBlock = 100 }) {
            post + "0\r\nX:" + padding($0 - 41) + "\r\n\r\n"
        },
        Edge(testDescription: "trailer lines", limit: 100, status: 431) {
            post + "0\r\n" + String(repeating: "X: a\r\n", count: $0 - 2) + "\r\n"
        },
        Edge(testDescription: "empty lines", limit: 8, status: 400) {
            String(repeating: "\r\n", count: $0) + get + "Host: a\r\n\r\n"
        },
        Edge(testDescription: "no body at all", limit: 0, status: 413, limits: limits { $0.body = 0 }) {
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \($0)\r\n\r\n" + padding($0)
        },
        Edge(testDescription: "status line", role: .client, limit: 8192, status: 502) {
            "HTTP/1.1 200 " + padding($0 - 15) + "\r\nContent-Length: 0\r\n\r\n"
        },
        Edge(
            testDescription: "body that ends with the connection", role: .client, limit: 50, status: 502,
            limits: limits { $0.body = 50 }
        ) { "HTTP/1.1 200 OK\r\n\r\n" + padding($0) },
        Edge(
            testDescription: "Content-Length of a response", role: .client, limit: 50, status: 502,
            limits: limits { $0.body = 50 }
        ) { "HTTP/1.1 200 OK\r\nContent-Length: \($0)\r\n\r\n" + padding($0) },
    ]

    @Test("Input exactly at a limit is accepted", arguments: edges)
    func atLimit(edge: Edge) {
        for pieces in cuts(edge, edge.limit) {
            let transcript = Transcript.of(pieces, role: edge.role, limits: edge.limits)
            #expect(transcript.error == nil, "\(transcript)")
            #expect(!transcript.description.isEmpty)
        }
    }

    @Test("Input that exceeds a limit by one is rejected", arguments: edges)
    func overLimit(edge: Edge) {
        for pieces in cuts(edge, edge.limit + 1) {
            let transcript = Transcript.of(pieces, role: edge.role, limits: edge.limits)
            #expect(transcript.error?.status.code == edge.status, "\(transcript)")
        }
    }

    private func cuts(_ edge: Edge, _ size: Int) -> [[ArraySlice<UInt8>]] {
        let bytes = Array(edge.input(size).utf8)
        return [[bytes[...]], bytes.pieces(of: 1), bytes.cut(at: bytes.count / 2)]
    }

    @Test("The smallest possible limits still allow a minimal request")
    func smallest() {
        var limits = Limits()
        (limits.methodName, limits.requestLine, limits.chunkLine) = (1, 18, 18)
        (limits.headerBlock, limits.fieldCount, limits.body, limits.raisedBody) = (0, 0, 0, 0)
        (limits.leadingEmptyLines, limits.pipelined) = (0, 0)
        let transcript = Transcript.of(whole: Array("A / HTTP/1.0\r\n\r\n".utf8), limits: limits)
        #expect(transcript.description == "A / [0 fields] 1.0 close")
    }

    @Test("A method that is too long is rejected at its first excess byte", arguments: ["", "\r"])
    func longMethod(ending: String) {
        var connection = Connection(role: .server)
        connection.receive(Array((Self.padding(33) + ending).utf8))
        #expect(throws: RemoteError.self) { try connection.nextEvent() }
    }

    @Test(
        "A length that overflows an integer exceeds every limit",
        arguments: ["9223372036854775807", "9223372036854775808", "18446744073709551620"])
    func hugeLength(length: String) {
        let text = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n"
        let expected = RemoteError.bodyTooLarge(announced: .max, Limits.standard.body)
        #expect(Transcript.of(whole: Array(text.utf8)).error == expected)
    }

    @Test(
        "Endless input is rejected without being buffered",
        arguments: ["A", "GET /", "GET / HTTP/1.1\r\nX: ", "GET / HTTP/1.1\r\n\r"])
    func endless(start: String) {
        var connection = Connection(role: .server)
        connection.receive(Array(start.utf8))
        var received = 0
        while (try? connection.nextEvent()) != nil, received < 1_000_000 {
            connection.receive([UInt8](repeating: 0x61, count: 100))
            received += 100
        }
        #expect(received <= 8192 + 16384)
        #expect(connection.bufferedByteCount == 0)
    }
}
