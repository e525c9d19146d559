import FitIQAPI
import HTTP1
import HTTPTypes
import JSON
import Text
import WebSocket

/// A request and its result, including a refused WebSocket handshake.
public struct RecordedExchange: Sendable {
    /// The request line and the fields, as received.
    public var head: RequestHead
    public var body: RecordedBody
    /// When the last byte of the request arrived.
    ///
    /// The entry's own time is when the response was written, unless a fault delayed the response.
    public var requestedAt: Timestamp
    /// The requested operation, or nil if the API has no operation for the request.
    public var endpoint: Endpoint?
    /// The user whose credentials the server accepted.
    public var user: ExactString?
    /// Why no operation matched.
    public var unmatched: Unmatched?
    /// The response's status, or nil if the server sent no response.
    public var status: Int?
    /// The response's fields without the framing fields, which the connection adds.
    public var responseFields: RecordedFields
    /// The body as sent, including the effects of faults.
    ///
    /// For HEAD, this is the body that a GET would return.
    public var responseBody: RecordedBody
    /// How much of the response the server sent.
    public var delivery: Delivery
    /// The names of the applied faults, in order.
    public var faults: [String]
    /// The ID of the entity that the backend created, if a fault replaced the response that reports it.
    public var created: ExactString?
    /// Who answered the request, in a world with an upstream.
    ///
    /// The value is nil in worlds without an upstream.
    public var answeredBy: Answerer?

    public enum Answerer: String, Sendable, CaseIterable { case fake, real }

    /// Why a request matches no operation.
    public enum Unmatched: String, Sendable, CaseIterable {
        case unknownPath = "unknown_path"
        /// The path exists, but not with this method.
        case wrongMethod = "wrong_method"
        /// The operation exists, but the world's guide does not include it.
        case notInGuide = "not_in_guide"
        /// The world is replaying a session that does not contain the request.
        case notRecorded = "not_recorded"
    }

    var byteCount: Int { head.byteCount + body.bytes.count + responseFields.byteCount + responseBody.bytes.count }

    var largestBody: Int { max(body.bytes.count, responseBody.bytes.count) }

    /// Truncates the bodies.
    mutating func cut(to limit: Int) {
        body.cut(to: limit)
        responseBody.cut(to: limit)
    }
}

extension RecordedExchange {
    /// Creates an exchange.
    ///
    /// This initialiser delegates to the implicit one, because setting members one by one would copy the whole value at
    /// the end.
    public init(
        head: RequestHead, body: [UInt8] = [], requestedAt: Timestamp, endpoint: Endpoint? = nil,
        user: ExactString? = nil,
        unmatched: Unmatched? = nil, status: Int?, responseFields: RecordedFields = .none, responseBody: [UInt8] = [],
        delivery: Delivery = .complete, faults: [String] = [], created: ExactString? = nil, answeredBy: Answerer? = nil
    ) {
        self.init(
            head: head, body: RecordedBody(body), requestedAt: requestedAt, endpoint: endpoint, user: user,
            unmatched: unmatched, status: status, responseFields: responseFields,
            responseBody: RecordedBody(responseBody), delivery: delivery, faults: faults, created: created,
            answeredBy: answeredBy)
    }

    /// The ID in a response that reports a creation, or nil for other responses.
    package static func created(_ status: Int?, _ body: [UInt8]) -> ExactString? {
        guard status == 201, let answer = try? JSON.parse(body) else { return nil }
        return answer["data"]?["id"]?.exactString ?? answer["id"]?.exactString
    }
}

/// How much of the data from one side was sent.
public enum Delivery: String, Sendable, CaseIterable {
    case complete
    /// Only the start was sent, because a fault truncated the data or the connection ended.
    case partial
    case none
}

/// The bytes of a body or frame as received, and their number before truncation.
public struct RecordedBody: Sendable, Hashable {
    /// The bytes, which may be shared.
    public var bytes: [UInt8]
    /// The number of bytes before truncation.
    public var byteCount: Int

    /// Creates a body that refers to bytes.
    public init(_ bytes: [UInt8] = []) {
        self.bytes = bytes
        byteCount = bytes.count
    }

    /// Creates a body from the part that was not dropped.
    public init(_ bytes: [UInt8], of byteCount: Int) {
        precondition(byteCount >= bytes.count, "a part must not be larger than the whole")
        (self.bytes, self.byteCount) = (bytes, byteCount)
    }

    /// Whether some of the bytes were dropped.
    public var isCut: Bool { bytes.count < byteCount }

    /// Truncates the bytes to the limit and releases the rest.
    ///
    /// UTF-8 characters are not split, so up to three more bytes may be dropped.
    public mutating func cut(to limit: Int) {
        guard bytes.count > limit else { return }
        bytes = Array(bytes[..<UTF8Sequence.boundary(in: bytes, at: limit)])
    }
}

/// A response's header fields in the server's representation, which is converted only when the fields are read.
public enum RecordedFields: Sendable {
    /// Complete field lines, each with its CRLF, as `HTTP1.Connection` accepts them.
    case encoded([UInt8])
    case fields(HTTPFields)

    public static let none = RecordedFields.encoded([])

    var byteCount: Int {
        switch self {
        case .encoded(let bytes): bytes.count
        // Each field has a colon, a space and a line end.
        case .fields(let fields): fields.reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 4 }
        }
    }

    /// Names and values in order.
    public var nameValuePairs: [(name: String, value: String)] {
        switch self {
        case .encoded(let bytes):
            bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
                guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
                let value = line[(colon + 1)...].drop { $0 == UInt8(ascii: " ") }.prefix { $0 != UInt8(ascii: "\r") }
                return (String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self))
            }
        case .fields(let fields): fields.map { ($0.name.rawName, $0.value) }
        }
    }
}

/// The credentials that a request contains.
package struct PresentedCredentials: Sendable, Hashable {
    /// The token from `Authorization: Bearer`.
    package var bearer: ExactString?
    package var apiKey: ExactString?
    package var queryToken: ExactString?

    /// The token that counts; the header field takes precedence over the query.
    package var token: ExactString? { bearer ?? queryToken }

    package init(_ head: RequestHead) {
        let scheme = "bearer "
        if let field = head.fields[.authorization], field.prefix(scheme.count).lowercased() == scheme {
            bearer = ExactString(field.dropFirst(scheme.count))
        }
        apiKey = Self.apiKeyName.flatMap { head.fields[$0].map(ExactString.init(_:)) }
        if head.target.query != nil {
            queryToken = head.target.queryItems().first { $0.name == "token" }.map { ExactString($0.value) }
        }
    }

    private static let apiKeyName = HTTPField.Name("X-API-Key")
}

/// The trace of a request, from its `traceparent` (W3C Trace Context).
enum TraceID {
    private static let field = HTTPField.Name("traceparent")

    /// The trace's ID, 32 hexadecimal digits in lower case, or nil if the field is missing or invalid.
    static func of(_ head: RequestHead) -> String? {
        guard let field, let text = head.fields[field] else { return nil }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 4, parts[0] != "ff", parts[0] != "00" || parts.count == 4,
            zip(parts, [2, 32, 16, 2]).allSatisfy({ isHexadecimal($0, count: $1) }), isNumber(parts[1]),
            isNumber(parts[2])
        else { return nil }
        return String(parts[1])
    }

    /// Whether a string can be a trace's ID.
    static func isValid(_ text: String) -> Bool { isHexadecimal(text, count: 32) && isNumber(text) }

    private static func isHexadecimal(_ text: some StringProtocol, count: Int) -> Bool {
        text.utf8.count == count && text.utf8.allSatisfy { $0.isDigit || (0x61...0x66).contains($0) }
    }

    /// An ID that contains only zeros is invalid.
    private static func isNumber(_ text: some StringProtocol) -> Bool { text.utf8.contains { $0 != 0x30 } }
}

/// An accepted WebSocket handshake: an exchange with status 101 and without bodies.
///
/// The entry's own time is when the last byte of the 101 was sent. The fields lack `Connection`.
public typealias RecordedOpening = RecordedExchange

extension RecordedOpening {
    public init(
        head: RequestHead, requestedAt: Timestamp, endpoint: Endpoint? = nil, user: ExactString? = nil,
        responseFields: RecordedFields = .none, faults: [String] = []
    ) {
        self.init(
            head: head, requestedAt: requestedAt, endpoint: endpoint, user: user, status: 101,
            responseFields: responseFields, faults: faults)
    }
}

/// One of the two ends of a connection.
public enum Party: String, Sendable, CaseIterable {
    case client, server

    /// The direction in which this side sends.
    public var direction: String {
        switch self {
        case .client: "client_to_server"
        case .server: "server_to_client"
        }
    }
}

/// A message, with its fragments joined, or a control frame on an open WebSocket.
public struct RecordedFrame: Sendable, Equatable {
    public var sender: Party
    /// The opcode.
    ///
    /// A fragmented message has the opcode of its first fragment.
    public var opcode: Opcode
    /// The unmasked payload as sent.
    public var payload: RecordedBody
    /// The size of the payload on the wire, if it was compressed.
    public var compressedSize: Int?
    /// How much of the message reached the other side despite faults.
    public var delivery: Delivery
    /// The names of the faults applied to the frame.
    public var faults: [String]

    public init(
        sender: Party, opcode: Opcode, payload: [UInt8], delivery: Delivery = .complete, faults: [String] = []
    ) {
        (self.sender, self.opcode) = (sender, opcode)
        self.payload = RecordedBody(payload)
        (self.delivery, self.faults) = (delivery, faults)
    }

    /// The code and reason of a close frame.
    ///
    /// The value is nil for an empty close frame and for other frames.
    ///
    /// The code is not validated (RFC 6455 §5.5.1).
    public var closeFrame: CloseSummary.Frame? {
        guard opcode == .close, payload.bytes.count >= 2 else { return nil }
        return CloseSummary.Frame(
            code: CloseCode(rawValue: UInt16(payload.bytes[0]) << 8 | UInt16(payload.bytes[1])),
            reason: String(decoding: payload.bytes[2...], as: UTF8.self))
    }

    /// The `type` of a text frame, if the frame is a JSON object with a `type`.
    public var type: String? {
        guard opcode == .text, let value = try? JSON.parse(payload.bytes) else { return nil }
        return value["type"]?.string
    }
}

/// How a WebSocket's connection ended.
public struct RecordedClosing: Sendable, Equatable {
    /// The side that sent the first close frame, or that ended the transport if there were no close frames.
    public var party: Party
    public var cause: Cause
    /// The close frames: "sent" is the server's close frame, and "received" is the client's close frame.
    public var summary: CloseSummary
    /// Details, such as which rule of the protocol was violated or which limit was exceeded.
    public var message: String?
    /// The names of the faults that ended the connection.
    public var faults: [String]

    public enum Cause: String, Sendable, CaseIterable {
        case closeFrame = "close_frame"
        /// FIN without a close frame.
        case finish
        /// RST.
        case reset
        /// One side waited too long for bytes from the other side.
        case timeOut = "time_out"
        case fault
        /// The client violated the protocol.
        case violation
        /// The client exceeded one of the server's limits.
        case limit
        case shutdown
    }

    public init(
        by party: Party, cause: Cause, summary: CloseSummary = CloseSummary(), message: String? = nil,
        faults: [String] = []
    ) {
        (self.party, self.cause, self.summary) = (party, cause, summary)
        (self.message, self.faults) = (message, faults)
    }
}

/// A fault that started on an open WebSocket, independently of any frame.
///
/// After the fault has started, the usual rules for judging the client do not apply.
public struct RecordedFault: Sendable {
    public var name: String
    public var effect: Effect

    /// The effect of a fault on a whole connection.
    public enum Effect: String, Sendable, CaseIterable {
        /// The server stops sending and reading; the connection counts as lost.
        case silence
        /// The server does not answer pings.
        case withholdPong = "withhold_pong"
        /// The server stops reading from the client.
        case stallReading = "stall_reading"
    }

    public init(name: String, effect: Effect) { (self.name, self.effect) = (name, effect) }
}

extension Opcode {
    package var name: String {
        switch self {
        case .continuation: "continuation"
        case .text: "text"
        case .binary: "binary"
        case .close: "close"
        case .ping: "ping"
        case .pong: "pong"
        }
    }
}

extension RequestTarget {
    /// The percent-decoded path segments, without the leading `/w/{world}`.
    package var segmentsInWorld: [String] {
        let segments = segments
        return segments.count > 2 && segments[0] == "w" ? Array(segments.dropFirst(2)) : segments
    }
}

/// A breakpoint started holding a request, response or frame.
///
/// The entry's number identifies the hold.
public struct RecordedHold: Sendable, Equatable {
    public var breakpoint: String
    public var place: Place
    /// The side that sent the held message.
    public var sender: Party
    /// When the hold expires, according to the world's clock.
    public var until: Timestamp
    /// The held message on one line: `POST /api/v1/goals`, `201 POST /api/v1/goals` or `text stream_chunk`.
    public var subject: String

    public enum Place: String, Sendable, CaseIterable { case request, response, handshake, frame }

    public init(breakpoint: String, place: Place, sender: Party, until: Timestamp, subject: String) {
        (self.breakpoint, self.place, self.sender) = (breakpoint, place, sender)
        (self.until, self.subject) = (until, subject)
    }
}

/// A hold ended: the held message was forwarded or lost.
///
/// The message's entry follows on the same connection, with the breakpoint among its faults. Only a client's frame is
/// recorded before the hold.
public struct RecordedRelease: Sendable, Equatable {
    /// The number of the entry with the ``RecordedHold``.
    public var held: Int
    public var breakpoint: String
    public var action: Action
    /// When the message would have been sent if there had been no breakpoint.
    ///
    /// The entry's time is when the message was sent.
    public var due: Timestamp
    /// The replacement for a request's body or a client's frame, or nil if it was not changed.
    public var payload: RecordedBody?

    public enum Action: String, Sendable, CaseIterable {
        case continued, changed, dropped
        /// A controller answered the client in place of the backend.
        case answered
        /// The hold expired, or a limit was reached.
        case expired
        /// The connection ended.
        case left
        /// The breakpoint was removed, its controller left, or the world or the server ended.
        case ended
    }

    public init(held: Int, breakpoint: String, action: Action, due: Timestamp, payload: RecordedBody? = nil) {
        (self.held, self.breakpoint, self.action) = (held, breakpoint, action)
        (self.due, self.payload) = (due, payload)
    }
}
