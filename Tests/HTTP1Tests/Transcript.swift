import HTTPTypes

@testable import HTTP1

/// The events that a connection reads from bytes, as a line of text that does not depend on how the bytes are split.
struct Transcript: Equatable, CustomStringConvertible {
    var description = ""
    var error: RemoteError?
    /// The maximum number of bytes buffered after reading a piece's events.
    var peakBuffered = 0

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.description == rhs.description && lhs.error == rhs.error }

    /// Feeds the pieces and then the end of the stream.
    ///
    /// A server answers each request with an empty 204; a client has sent one request with the given method.
    static func of(
        _ pieces: some Sequence<ArraySlice<UInt8>>, role: Role = .server, method: HTTPRequest.Method = .get,
        limits: Limits = .standard
    ) -> Transcript {
        var reader = Reader(connection: Connection(role: role, limits: limits))
        if role == .client { reader.request(method) }
        for piece in pieces {
            reader.receive(piece)
            reader.transcript.peakBuffered = max(
                reader.transcript.peakBuffered, reader.connection.bufferedByteCount)
        }
        reader.endOfStream()
        return reader.transcript
    }

    static func of(whole bytes: [UInt8], role: Role = .server, limits: Limits = .standard) -> Transcript {
        of(CollectionOfOne(bytes[...]), role: role, limits: limits)
    }
}

/// Drives a connection as a simple caller does, and records its events.
private struct Reader {
    var connection: Connection
    var transcript = Transcript()
    var out: [UInt8] = []
    var line = ""
    var bodyCount = 0
    var trailing: Int?
    var isOver = false
    var isConnect = false

    mutating func request(_ method: HTTPRequest.Method) {
        var fields: HTTPFields = [.hostField: "a"]
        if method == .patch { (fields[.connection], fields[.upgrade]) = ("upgrade", "websocket") }
        connection.sendRequest(method: method, target: "/", fields: fields, body: nil, into: &out)
    }

    mutating func receive(_ piece: ArraySlice<UInt8>) {
        if let count = trailing {
            trailing = count + piece.count
        } else if !isOver {
            connection.receive(piece)
            drain()
        }
    }

    mutating func endOfStream() {
        if let trailing {
            write("switched with \(trailing) bytes")
        } else if !isOver {
            connection.receiveEndOfStream()
            drain()
        }
    }

    mutating func drain() {
        while !isOver && trailing == nil {
            do {
                switch try connection.nextEvent() {
                case .needsData: return
                case .paused:
                    if connection.ourState == .switchedProtocol { trailing = connection.takeTrailingBytes().count }
                    return
                case .connectionClosed: isOver = true
                case .request(let head): begin(head)
                case .response(let head):
                    begin("\(head.status.code)", head.fields)
                    if connection.theirState == .switchedProtocol { write(line) }
                case .informational(let head): write("\(head.status.code) [\(head.fields.count) fields]")
                case .body(let piece): bodyCount += piece.count
                case .end: end()
                }
            } catch {
                transcript.error = error
                write("\(line.isEmpty ? "" : line + " ")! \(error.status.code) \(error.message)")
                isOver = true
            }
        }
    }

    mutating func begin(_ head: RequestHead) {
        let target = head.target
        isConnect = head.method == .connect
        let form = target.form == .origin ? "" : " (\(target.form))"
        begin("\(head.method.rawValue) \(target)\(form)", head.fields)
        if head.version == .http10 { line += " 1.0" }
        if head.expectsContinue {
            line += " expects-continue"
            connection.sendContinue(into: &out)
        }
    }

    mutating func begin(_ start: String, _ fields: FieldBlock) {
        line = "\(start) [\(fields.count) fields]"
        bodyCount = 0
    }

    mutating func end() {
        if bodyCount > 0 { line += " body=\(bodyCount)" }
        if connection.ourState == .sendResponse {
            if connection.theirState == .mightSwitchProtocol {
                connection.switchProtocols(fields: [.upgrade: "websocket"], into: &out)
                write(line)
                trailing = connection.takeTrailingBytes().count
                return
            }
            if isConnect { line += " refused" }
            connection.respond(status: isConnect ? .notImplemented : .noContent, fields: [:], body: [], into: &out)
        }
        write(line + (connection.shouldClose ? " close" : " keep-alive"))
        if connection.shouldClose { isOver = true }
    }

    mutating func write(_ text: String) {
        transcript.description += transcript.description.isEmpty ? text : " | " + text
        line = ""
    }
}
