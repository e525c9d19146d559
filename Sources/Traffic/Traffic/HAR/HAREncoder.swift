import Deflate
import Digests
import FitIQAPI
import HTTPTypes
import JSON
import Text

/// Writes sessions as HAR 1.2: whole files, or the pieces of a growing file.
///
/// A file consists of `header`, one line per entry (with `separator` before each except the first), and `footer`. Times
/// are truncated to whole microseconds, because that is the precision of HAR readers. Data that HAR does not define is
/// stored under `_fitiq`. Source: HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/) and, for WebSockets, the
/// output of Chrome's exporter.
public enum HAREncoder {
    static let creatorName = "fitiq-mock"

    /// The first bytes of every file, regardless of the version that wrote it.
    static let beginning = Array(#"{"log":{"version":"1.2","creator":{"name":"\#(creatorName)""#.utf8)

    /// Returns the start of a file, up to its first entry.
    public static func header(creatorVersion: String) -> [UInt8] {
        var writer = JSONWriter(reserving: 128)
        writer.object { writer in
            writer.member("name", creatorName)
            writer.member("version", creatorVersion)
        }
        return Array(#"{"log":{"version":"1.2","creator":"#.utf8) + writer.takeBytes()
            + Array(",\"pages\":[],\"entries\":[\n".utf8)
    }

    public static let separator = Array(",\n".utf8)

    public static let footer = footer(notes: [])

    /// Returns the end of a file.
    ///
    /// The notes are sentences about missing parts of the recording.
    public static func footer(notes: [String]) -> [UInt8] {
        guard !notes.isEmpty else { return Array("\n]}}\n".utf8) }
        let ours = JSONWriter.object { $0.strings("notes", notes) }
        return Array("\n],\"_fitiq\":".utf8) + ours + Array("}}\n".utf8)
    }

    public static func file(_ session: Session, creatorVersion: String, notes: [String] = []) -> [UInt8] {
        var bytes = header(creatorVersion: creatorVersion)
        for (index, entry) in session.entries.enumerated() {
            if index > 0 { bytes += separator }
            bytes += line(entry)
        }
        return bytes + footer(notes: notes)
    }

    /// Returns, on one line, the entry for a request and its response, or for a WebSocket with its frames.
    public static func line(_ exchange: SessionExchange) -> [UInt8] {
        exchange.isSocket ? Self.socket(exchange).bytes : entry(exchange)
    }

    public static func entry(_ exchange: SessionExchange) -> [UInt8] {
        let body = exchange.response?.body.bytes.count ?? 0
        var writer = JSONWriter(reserving: 2048 + body + body / 2 + (exchange.request.body?.bytes.count ?? 0))
        let received = exchange.lasted.subtractingReportingOverflow(exchange.waited).partialValue
        begin(exchange, lasted: exchange.lasted, waited: exchange.waited, received: max(received, 0), to: &writer)
        let ours = extras(exchange.request, exchange.response)
        if !ours.isEmpty { writer.object("_fitiq") { writer in write(ours, to: &writer) } }
        writer.endObject()
        return writer.takeBytes()
    }

    // MARK: The parts of entries

    /// Begins an entry with the members that all entries have.
    ///
    /// Durations are in nanoseconds; `received` is nil for a handshake.
    static func begin(
        _ exchange: SessionExchange, lasted: Int64, waited: Int64, received: Int64?, to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.member("startedDateTime", microsecondText(exchange.started))
        writeMilliseconds("time", lasted, to: &writer)
        write(exchange.request, to: &writer)
        write(exchange.response, to: &writer)
        writer.object("cache") { _ in }
        writer.object("timings") { writer in
            writer.member("send", 0)
            writeMilliseconds("wait", waited, to: &writer)
            if let received { writeMilliseconds("receive", received, to: &writer) } else { writer.member("receive", 0) }
        }
    }

    static func write(_ request: SessionRequest, to writer: inout JSONWriter) {
        writer.object("request") { writer in
            writer.member("method", request.method)
            writer.member("url", request.url)
            writer.member("httpVersion", "HTTP/1.1")
            writeCookies(of: request, to: &writer)
            writeFields(request.fields, request.coding, to: &writer)
            writer.fields("queryString", URLParts(request.url).items)
            if let body = request.body {
                writer.object("postData") { writer in
                    writer.member("mimeType", mediaType(request.fields))
                    // `_fitiq` contains content that is not text.
                    writer.member("text", String(validating: body.bytes, as: UTF8.self) ?? "")
                }
            }
            writer.member("headersSize", -1)
            writer.member("bodySize", request.coding?.byteCount ?? request.body?.byteCount ?? 0)
        }
    }

    static func write(_ response: SessionResponse?, to writer: inout JSONWriter) {
        let response = response ?? SessionResponse(status: 0)
        writer.object("response") { writer in
            writer.member("status", response.status)
            writer.member("statusText", reasonPhrase(response.status))
            writer.member("httpVersion", "HTTP/1.1")
            writeCookies(of: response, to: &writer)
            writeFields(response.fields, response.coding, to: &writer)
            writer.object("content") { writer in
                writer.member("size", response.body.byteCount)
                if let coding = response.coding {
                    writer.member("compression", response.body.byteCount - coding.byteCount)
                }
                writer.member("mimeType", mediaType(response.fields))
                if let text = String(validating: response.body.bytes, as: UTF8.self) {
                    writer.member("text", text)
                } else {
                    writer.member("text", Base64.encode(response.body.bytes))
                    writer.member("encoding", "base64")
                }
            }
            writer.member("redirectURL", response.fields.value(of: "location") ?? "")
            writer.member("headersSize", -1)
            writer.member("bodySize", response.coding?.byteCount ?? response.body.byteCount)
        }
    }

    /// Writes data that HAR cannot represent as members of "_fitiq".
    static func extras(_ request: SessionRequest, _ response: SessionResponse?) -> [JSONObject.Element] {
        var members: [JSONObject.Element] = []
        if let body = request.body, String(validating: body.bytes, as: UTF8.self) == nil {
            members.append(("bodyBase64", .string(Base64.encode(body.bytes))))
        }
        var cut = JSONObject()
        if let body = request.body, body.isCut { cut["request"] = .number(JSONNumber(body.byteCount)) }
        if let body = response?.body, body.isCut { cut["response"] = .number(JSONNumber(body.byteCount)) }
        if !cut.isEmpty { members.append(("cut", .object(cut))) }
        if request.coding != nil { members.append(("decoded", true)) }
        guard let response else { return members }
        if response.isCoded { members.append(("coded", true)) }
        if !response.isComplete { members.append(("incomplete", true)) }
        return members
    }

    private static func writeFields(_ fields: [SessionField], _ coding: SessionCoding?, to writer: inout JSONWriter) {
        let coding = coding.map { [SessionField("Content-Encoding", $0.name)] } ?? []
        writer.fields("headers", (fields + coding).lazy.map { ($0.name, $0.value) })
    }

    static func write(_ members: [JSONObject.Element], to writer: inout JSONWriter) {
        for member in members {
            writer.key(escaping: member.key)
            writer.value(member.value)
        }
    }

    static func writeMilliseconds(_ name: StaticString, _ nanoseconds: Int64, to writer: inout JSONWriter) {
        writer.key(name)
        writer.value(Int(nanoseconds / 1000), fractionDigits: 3)
    }

    /// ISO 8601 to the microsecond, which Python and JavaScript can parse.
    static func microsecondText(_ time: Timestamp) -> String { time.nanosecondText.dropLast(4) + "Z" }

    private static func reasonPhrase(_ status: Int) -> String {
        statuses.first { $0.code == status }?.reasonPhrase ?? ""
    }

    private static let statuses: [HTTPResponse.Status] = [
        .ok, .created, .accepted, .noContent, .switchingProtocols, .badRequest, .unauthorized, .forbidden, .notFound,
        .methodNotAllowed, .conflict, .gone, .contentTooLarge, .unsupportedMediaType, .unprocessableContent,
        .upgradeRequired, .tooManyRequests, .internalServerError, .badGateway, .serviceUnavailable, .gatewayTimeout,
        .movedPermanently, .found, .seeOther, .notModified, .temporaryRedirect, .permanentRedirect,
    ]

    /// The media type in the fields, or Chrome's name for an unknown type if there is none.
    private static func mediaType(_ fields: [SessionField]) -> String {
        fields.value(of: "content-type") ?? "x-unknown"
    }

    // MARK: Cookies, which tools show separately from the fields

    /// Writes the cookies of a request: `Cookie`, RFC 6265 §4.2.1.
    static func writeCookies(of request: SessionRequest, to writer: inout JSONWriter) {
        writer.array("cookies") { writer in
            for field in request.fields where field.name.lowercased() == "cookie" {
                for pair in field.value.split(separator: ";") where !trimmed(pair).isEmpty {
                    writer.object { writer in write(pair, to: &writer) }
                }
            }
        }
    }

    /// Writes a response's cookies: `Set-Cookie`, RFC 6265 §4.1.1.
    ///
    /// `Expires` remains only in the header field, because HAR does not accept dates in its format.
    static func writeCookies(of response: SessionResponse, to writer: inout JSONWriter) {
        writer.array("cookies") { writer in
            for field in response.fields where field.name.lowercased() == "set-cookie" {
                let parts = field.value.split(separator: ";", omittingEmptySubsequences: false)
                if trimmed(parts[0]).isEmpty { continue }
                writer.object { writer in
                    write(parts[0], to: &writer)
                    write(attributes: parts.dropFirst().map(nameAndValue), to: &writer)
                }
            }
        }
    }

    private static func write(attributes: [(name: Substring, value: Substring)], to writer: inout JSONWriter) {
        // If several attributes have the same name, the last one wins (RFC 6265 §5.3).
        func value(of name: String) -> String? {
            attributes.last { $0.name.lowercased() == name }.map { String($0.value) }
        }
        writer.member("path", ifPresent: value(of: "path"))
        writer.member("domain", ifPresent: value(of: "domain"))
        writer.member("httpOnly", value(of: "httponly") != nil)
        writer.member("secure", value(of: "secure") != nil)
    }

    private static func write(_ pair: Substring, to writer: inout JSONWriter) {
        let (name, value) = nameAndValue(pair)
        writer.member("name", String(name))
        writer.member("value", String(value))
    }

    /// The strings before and after the first `=`, without surrounding spaces.
    private static func nameAndValue(_ pair: Substring) -> (name: Substring, value: Substring) {
        guard let sign = pair.firstIndex(of: "=") else { return (trimmed(pair), "") }
        return (trimmed(pair[..<sign]), trimmed(pair[pair.index(after: sign)...]))
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }

    // MARK: WebSockets, as Chrome's exporter writes them

    /// The maximum number of bytes that ``ending(_:)`` returns.
    public static let endingRoom = 128

    /// Returns the entry for a WebSocket.
    ///
    /// The number identifies the socket in the file and links the entry to its continuations. If there is no `room`,
    /// the entry is complete.
    static func `socket`(
        _ socket: SessionExchange, number: Int? = nil, room: HARSocketRoom = HARSocketRoom()
    ) -> HARSocketText {
        // The name is in backticks because the style rules take `socket` before a parenthesis for the system call.
        var writer = JSONWriter(reserving: 4096 + 160 * socket.frames.count + room.messages + room.controlFrames)
        let opened = microseconds(socket.opened ?? socket.started)
        let waited = max(opened - microseconds(socket.started), 0) * 1000
        begin(socket, lasted: waited, waited: waited, received: nil, to: &writer)
        let messages = socket.frames.filter { !$0.opcode.isControl }
        writer.member("_resourceType", "websocket")
        writer.array("_webSocketMessages") { writer in for message in messages { writer.raw(Self.message(message)) } }
        // The writer emits no white space and has just closed the array, so insert the reserved space before the last
        // byte.
        var bytes = writer.takeBytes()
        let messageRoom = addRoom(room.messages, before: 1, to: &bytes)
        var ours = JSONWriter()
        ours.beginObject()
        if let number { ours.member("socket", number) }
        write(extras(socket.request, socket.response), to: &ours)
        ours.array("controlFrames") { writer in
            var count = 0
            for frame in socket.frames {
                if frame.opcode.isControl { writer.raw(controlFrame(frame, after: count)) } else { count += 1 }
            }
        }
        bytes += Array(",\"_fitiq\":".utf8) + ours.bytes
        let controlRoom = addRoom(room.controlFrames, before: 1, to: &bytes)
        if let ending = socket.ending { bytes += Self.ending(ending) }
        let endingRoom = addRoom(room.ending, before: 0, to: &bytes)
        bytes += Array("}}".utf8)
        return HARSocketText(bytes: bytes, messages: messageRoom, controlFrames: controlRoom, ending: endingRoom)
    }

    /// Returns the entry that continues a full entry; the URL is repeated for tools that do not support continuations.
    static func continuation(of number: Int, url: String, started: Timestamp, room: HARSocketRoom) -> HARSocketText {
        Self.socket(
            SessionExchange(
                started: started, opened: started, request: SessionRequest(method: "GET", url: url),
                response: SessionResponse(status: 101)), number: number, room: room)
    }

    /// Returns an element of `_webSocketMessages`: a text or binary message.
    ///
    /// Text that is not UTF-8, or was truncated in the middle of a character, is marked and written in base64.
    public static func message(_ frame: SessionFrame) -> [UInt8] {
        precondition(!frame.opcode.isControl, "a control frame must not be written as a message")
        var writer = JSONWriter(reserving: 96 + frame.payload.bytes.count * 3 / 2)
        writer.beginObject()
        writeStart(of: frame, to: &writer)
        let text = frame.opcode == .text ? String(validating: frame.payload.bytes, as: UTF8.self) : nil
        writer.member("data", text ?? Base64.encode(frame.payload.bytes))
        let isOddText = frame.opcode == .text && text == nil
        if isOddText || frame.payload.isCut || frame.compressedSize != nil {
            writer.object("_fitiq") { writer in
                if isOddText { writer.member("encoding", "base64") }
                if frame.payload.isCut { writer.member("cut", frame.payload.byteCount) }
                writer.member("compressed", ifPresent: frame.compressedSize)
            }
        }
        writer.endObject()
        return writer.takeBytes()
    }

    /// Returns an element of `_fitiq.controlFrames`.
    ///
    /// `messages` is the number of messages before the control frame, including messages in earlier entries.
    public static func controlFrame(_ frame: SessionFrame, after messages: Int) -> [UInt8] {
        precondition(frame.opcode.isControl, "a message must not be written as a control frame")
        var writer = JSONWriter(reserving: 128 + frame.payload.bytes.count * 4 / 3)
        writer.beginObject()
        writeStart(of: frame, to: &writer)
        writer.member("data", Base64.encode(frame.payload.bytes))
        if frame.payload.isCut { writer.member("cut", frame.payload.byteCount) }
        writer.member("after", messages)
        writer.endObject()
        return writer.takeBytes()
    }

    /// Returns the member `ending` of a socket's `_fitiq`, including the comma before it.
    public static func ending(_ ending: SessionEnding) -> [UInt8] {
        let value = JSONWriter.object { writer in
            writeTime(ending.time, to: &writer)
            writer.member("by", ending.party.rawValue)
            writer.member("cause", ending.cause.rawValue)
        }
        let bytes = Array(",\"ending\":".utf8) + value
        precondition(bytes.count <= endingRoom, "an ending must fit its reserved space")
        return bytes
    }

    /// Inserts white space before the last bytes, and returns the white space's position.
    private static func addRoom(_ count: Int, before last: Int, to bytes: inout [UInt8]) -> Range<Int> {
        let start = bytes.count - last
        bytes.insert(contentsOf: repeatElement(UInt8(ascii: " "), count: count), at: start)
        return start..<(start + count)
    }

    private static func writeStart(of frame: SessionFrame, to writer: inout JSONWriter) {
        writer.member("type", frame.sender == .client ? "send" : "receive")
        writeTime(frame.time, to: &writer)
        writer.member("opcode", Int(frame.opcode.rawValue))
    }

    /// Seconds since 1970 with six decimal places.
    private static func writeTime(_ time: Timestamp, to writer: inout JSONWriter) {
        writer.key("time")
        writer.value(Int(microseconds(time)), fractionDigits: 6)
    }

    /// Whole microseconds since 1970, rounded down.
    static func microseconds(_ time: Timestamp) -> Int64 {
        let (quotient, remainder) = time.nanosecondsSinceEpoch.quotientAndRemainder(dividingBy: 1000)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

extension [SessionField] {
    /// The value of the first field with this name, which must be in lower case.
    package func value(of name: String) -> String? { first { $0.name.lowercased() == name }?.value }
}

extension SessionField {
    var isContentEncoding: Bool { name.lowercased() == "content-encoding" && value.lowercased() != "identity" }
    /// The format of a content coding that we decode, or nil for other codings and fields.
    var codingFormat: ZlibFormat? {
        guard isContentEncoding else { return nil }
        return ["gzip": .gzip, "x-gzip": .gzip, "deflate": .zlib][value.lowercased()]
    }
}

/// A WebSocket's entry as text, with the positions for later additions.
///
/// Offsets count from the entry's first byte. The reserved space is white space, so the text is always valid between
/// writes of complete elements.
struct HARSocketText: Sendable, Equatable {
    /// The entry, on one line.
    public var bytes: [UInt8]
    /// The space reserved at the end of `_webSocketMessages`.
    ///
    /// Every element except the first starts with a comma.
    public var messages: Range<Int>
    /// The space reserved at the end of `_fitiq.controlFrames`.
    ///
    /// Every element except the first starts with a comma.
    public var controlFrames: Range<Int>
    /// The space reserved for the result of ``HAREncoder/ending(_:)``.
    public var ending: Range<Int>
}

/// The space reserved in a socket's entry for later additions, in bytes.
struct HARSocketRoom: Sendable, Equatable {
    public var messages = 0
    public var controlFrames = 0
    /// The space reserved for the ending, which needs at most ``HAREncoder/endingRoom``.
    public var ending = 0
}
