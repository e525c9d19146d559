import HTTPTypes
import Testing
import WebSocket

@testable import FitIQClient

/// Plays a backend, byte by byte, for the client's end of a connection.
enum WireFixture {
    static func base() throws -> BaseURL { try BaseURL("http://127.0.0.1:8080/w/w1") }

    static func request(_ number: Int = 1, _ method: HTTPRequest.Method = .get, body: String? = nil) -> ClientRequest {
        ClientRequest(
            number: number, method: method, target: "/api/v1/consultations?page=1",
            fields: [.authorization: "Bearer t"], body: body.map { Array($0.utf8) })
    }

    static func socketRequest(_ number: Int = 2) -> ClientSocketRequest {
        ClientSocketRequest(number: number, target: "/api/v1/consultations/c/ws", fields: [.authorization: "Bearer t"])
    }

    /// The server's answer to the handshake request in these bytes.
    static func acceptance(of request: [UInt8], extensions: String? = nil) -> [UInt8] {
        let name = "Sec-WebSocket-Key: "
        let lines = String(decoding: request, as: UTF8.self).split(separator: "\r\n")
        let key = lines.first { $0.hasPrefix(name) }.map { String($0.dropFirst(name.count)) } ?? ""
        return Array(
            """
            HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
            Sec-WebSocket-Accept: \(ServerHandshake.accept(for: key))\r\n\
            \(extensions.map { "Sec-WebSocket-Extensions: \($0)\r\n" } ?? "")\r\n
            """.utf8)
    }

    /// Frames from a server.
    static func frames(_ write: (inout WebSocket.Connection, inout [UInt8]) -> Void) -> [UInt8] {
        var server = WebSocket.Connection(role: .server)
        var out: [UInt8] = []
        write(&server, &out)
        return out
    }
}

struct Unexpected: Error { let what: String }

extension ClientConnection {
    static func asking() throws -> ClientConnection {
        ClientConnection(WireFixture.request(), to: try WireFixture.base())
    }

    /// What the bytes mean to the client, as words.
    mutating func told(_ bytes: [UInt8]) -> [String] { receive(bytes).map(Played.words) }
}

/// The effects of received bytes: inputs as words, and the client's output after its request.
struct Played: Equatable {
    var inputs: [String] = []
    var sent: [UInt8] = []
    var isFinished = false

    /// Feeds a connection bytes in pieces, and the end of the stream if requested.
    init(_ connection: ClientConnection, _ pieces: [[UInt8]], ends: Bool = false) {
        var connection = connection
        _ = connection.takeOutput()
        var told: [ClientInput] = []
        for piece in pieces { told += connection.receive(piece) }
        if ends { told += connection.receiveEndOfStream() }
        inputs = told.map(Played.words)
        sent = connection.takeOutput()
        isFinished = connection.isFinished
    }

    /// Checks that the same bytes have the same effects for every split.
    static func expectAnySplit(
        _ connection: ClientConnection, _ bytes: [UInt8], ends: Bool, gives whole: Played,
        at location: SourceLocation = #_sourceLocation
    ) {
        for index in bytes.indices {
            #expect(
                Played(connection, [Array(bytes[..<index]), Array(bytes[index...])], ends: ends) == whole,
                sourceLocation: location)
        }
        #expect(Played(connection, bytes.map { [$0] }, ends: ends) == whole, sourceLocation: location)
    }

    static func words(_ input: ClientInput) -> String {
        switch input {
        case .response(let answer): "\(answer.number): \(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
        case .requestFailed(let number, let reason): "\(number): failed: \(reason)"
        case .socketOpened(let number): "\(number): opened"
        case .socketRefused(let answer):
            "\(answer.number): refused \(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
        case .socketFailed(let number, let reason): "\(number): no socket: \(reason)"
        case .text(let number, let text): "\(number): text \(String(decoding: text, as: UTF8.self))"
        case .binary(let number): "\(number): binary"
        case .pong(let number): "\(number): pong"
        case .socketClosed(let end):
            "\(end.number): closed \(end.code?.description ?? "-") \(end.isOwn ? "own" : "theirs"): \(end.reason)"
        }
    }
}
