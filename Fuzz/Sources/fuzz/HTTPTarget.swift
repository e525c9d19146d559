import HTTP1
import HTTPTypes

/// HTTP/1.1 in both roles: splitting the bytes does not change their meaning.
enum HTTPTarget {
    static func run(_ bytes: [UInt8]) {
        for role in [Role.server, .client] {
            let transcripts = splits(bytes).map { transcript(of: $0, role) }
            require(transcripts[1], is: transcripts[0], "in single bytes, \(role)")
            require(transcripts[2], is: transcripts[0], "in pieces, \(role)")
        }
    }

    private static func transcript(of pieces: [ArraySlice<UInt8>], _ role: Role) -> [String] {
        var reading = Reading(role)
        for piece in pieces { reading.receive(piece) }
        reading.receiveEndOfStream()
        return reading.lines
    }
}

/// A connection, and its output; a server answers each request with an empty 204 or 101.
private struct Reading {
    var lines: [String] = []
    private var connection: Connection
    private var body: [UInt8] = []
    private var out: [UInt8] = []
    /// The bytes after a change of protocol.
    private var trailing: [UInt8]?
    private var isOver = false

    init(_ role: Role) {
        connection = Connection(role: role)
        guard role == .client else { return }
        let fields: HTTPFields = [.hostField: "a", .connection: "upgrade", .upgrade: "websocket"]
        connection.sendRequest(method: .get, target: "/", fields: fields, body: nil, into: &out)
    }

    mutating func receive(_ piece: ArraySlice<UInt8>) {
        if trailing != nil {
            trailing?.append(contentsOf: piece)
        } else if !isOver {
            connection.receive(piece)
            drain()
            let limits = connection.limits
            require(
                connection.bufferedByteCount <= limits.requestLine + limits.headerBlock + limits.pipelined,
                "\(connection.bufferedByteCount) bytes are buffered")
        }
    }

    mutating func receiveEndOfStream() {
        if let trailing {
            lines.append("\(trailing)")
        } else if !isOver {
            connection.receiveEndOfStream()
            drain()
        }
    }

    private mutating func drain() {
        while !isOver && trailing == nil {
            do throws(RemoteError) {
                switch try connection.nextEvent() {
                case .needsData: return
                case .paused:
                    if connection.ourState == .switchedProtocol { trailing = connection.takeTrailingBytes() }
                    return
                case .connectionClosed: isOver = true
                case .request(let head):
                    lines.append("\(head.method) \(head.target) \(head.version) \(head.fields.nameValuePairs)")
                    if head.expectsContinue { connection.sendContinue(into: &out) }
                case .response(let head):
                    lines.append("\(head.status.code) \(head.version) \(head.fields.nameValuePairs)")
                    if connection.theirState == .switchedProtocol { trailing = connection.takeTrailingBytes() }
                case .informational(let head): lines.append("\(head.status.code) \(head.fields.nameValuePairs)")
                case .body(let bytes): body += bytes
                case .end: end()
                }
            } catch {
                lines.append("\(body) \(error.status.code) \(error.message)")
                isOver = true
            }
        }
    }

    private mutating func end() {
        lines.append("\(body)")
        body = []
        if connection.role == .server {
            if connection.theirState == .mightSwitchProtocol {
                connection.switchProtocols(fields: [.upgrade: "websocket"], into: &out)
                trailing = connection.takeTrailingBytes()
                return
            }
            connection.respond(status: .notImplemented, fields: [:], body: [], into: &out)
        }
        isOver = connection.shouldClose
    }
}
