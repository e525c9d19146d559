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
    /// When the request was complete; the entry's own time is when the response was written, unless a fault delayed it.
    public var requestedAt: Timestamp
    /// The requested operation, or nil if it is not part of the API.
    public var endpoint: Endpoint?
    /// The user whose credentials were accepted.
    public var user: ExactString?
    /// Why no operation matched.
    public var unmatched: Unmatched?
    /// The status of the response, or nil if none was sent.
    public var status: Int?
    /// The response's fields, except the framing fields, which the connection writes.
    public var responseFields: RecordedFields
    /// The body as sent, including faults; for HEAD, the body that a GET would have had.
    public var responseBody: RecordedBody
    /// How much of the response was sent.
    public var delivery: Delivery
    /// The names of the faults that acted, in order.
    public var faults: [String]
    /// The id of what the backend created although the client did not get that answer.
    public var created: ExactString?
    /// Who answered, in a world with an upstream; nil in every other.
    public var answeredBy: Answerer?

    public enum Answerer: String, Sendable, CaseIterable { case fake, real }

    /// Why a request matches no operation.
    public enum Unmatched: String, Sendable, CaseIterable {
        case unknownPath = "unknown_path"
        /// An operation has the path, but not with this method.
        case wrongMethod = "wrong_method"
        /// The operation exists, but not in the world's guide.
        case notInGuide = "not_in_guide"
        /// The world replays a session that has no such request.
        case notRecorded = "not_recorded"
    }

    var byteCount: Int { head.byteCount + body.bytes.count + responseFields.byteCount + responseBody.bytes.count }

    var largestBody: Int { max(body.bytes.count, responseBody.bytes.count) }

    /// Reduces the bodies to their beginnings.
    mutating func cut(to limit: Int) {
        body.cut(to: limit)
        responseBody.cut(to: limit)
    }
}

extension RecordedExchange {
    /// Creates an exchange.
    ///
    /// It delegates to the implicit initialiser, because setting the members one by one copies the whole value at the
    /// end.
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

    /// The id in an answer that says that something was created; nil in every other.
    package static func created(_ status: Int?, _ body: [UInt8]) -> ExactString? {
        guard status == 201, let answer = try? JSON.parse(body) else { return nil }
        return answer["data"]?["id"]?.exactString ?? answer["id"]?.exactString
    }
}

/// How much of one side's data was sent.
public enum Delivery: String, Sendable, CaseIterable {
    case complete
    /// Its beginning: it was truncated, or the connection ended before.
    case partial
    case none
}

/// The bytes of a body or a frame as received, and their number before truncation.
public struct RecordedBody: Sendable, Hashable {
    /// The bytes, which may be shared.
    public var bytes: [UInt8]
    /// The number of bytes before truncation.
    public var byteCount: Int

    /// Keeps bytes by reference.
    public init(_ bytes: [UInt8] = []) {
        self.bytes = bytes
        byteCount = bytes.count
    }

    /// Keeps the rest of a body that had more bytes.
    public init(_ bytes: [UInt8], of byteCount: Int) {
        precondition(byteCount >= bytes.count, "a part is no larger than the whole")
        (self.bytes, self.byteCount) = (bytes, byteCount)
    }

    /// Whether some of the bytes were not kept.
    public var isCut: Bool { bytes.count < byteCount }

    /// Copies the first bytes and releases the rest if there are more than the limit.
    ///
    /// It does not split a UTF-8 character: up to three bytes fewer are kept.
    public mutating func cut(to limit: Int) {
        guard bytes.count > limit else { return }
        bytes = Array(bytes[..<UTF8Sequence.boundary(in: bytes, at: limit)])
    }
}

/// The header fields of a response in the server's own form, converted only when read.
public enum RecordedFields: Sendable {
    /// Complete field lines, each with its CRLF, as `HTTP1.Connection` takes them.
    case encoded([UInt8])
    case fields(HTTPFields)

    public static let none = RecordedFields.encoded([])

    var byteCount: Int {
        switch self {
        case .encoded(let bytes): bytes.count
        // A colon, a space and a line end for each.
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

/// The credentials that a request carries.
package struct PresentedCredentials: Sendable, Hashable {
    /// The token of `Authorization: Bearer`.
    package var bearer: ExactString?
    package var apiKey: ExactString?
    package var queryToken: ExactString?

    /// The effective token: the header field takes precedence over the query.
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

/// The trace that a request belongs to, as its `traceparent` says (W3C Trace Context).
enum TraceID {
    private static let field = HTTPField.Name("traceparent")

    /// The id of the trace: 32 hexadecimal digits in lower case; nil if there is no field, or none that is valid.
    static func of(_ head: RequestHead) -> String? {
        guard let field, let text = head.fields[field] else { return nil }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 4, parts[0] != "ff", parts[0] != "00" || parts.count == 4,
            zip(parts, [2, 32, 16, 2]).allSatisfy({ isHexadecimal($0, count: $1) }), isNumber(parts[1]),
            isNumber(parts[2])
        else { return nil }
        return String(parts[1])
    }

    /// Whether a text can be the id of a trace.
    static func isValid(_ text: String) -> Bool { isHexadecimal(text, count: 32) && isNumber(text) }

    private static func isHexadecimal(_ text: some StringProtocol, count: Int) -> Bool {
        text.utf8.count == count && text.utf8.allSatisfy { $0.isDigit || (0x61...0x66).contains($0) }
    }

    /// Only zeros mean that there is none.
    private static func isNumber(_ text: some StringProtocol) -> Bool { text.utf8.contains { $0 != 0x30 } }
}

/// An accepted WebSocket handshake: an exchange without bodies whose status is 101.
///
/// Its entry's own time is when the last byte of the 101 was sent; the fields lack `Connection`.
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
    case client
    case server

    /// The direction of what this side sends.
    public var direction: String {
        switch self {
        case .client: "client_to_server"
        case .server: "server_to_client"
        }
    }
}

/// A message or a control frame on an open WebSocket; fragments are joined.
public struct RecordedFrame: Sendable, Equatable {
    public var sender: Party
    /// The opcode; for a fragmented message, that of the first fragment.
    public var opcode: Opcode
    /// The unmasked payload as sent.
    public var payload: RecordedBody
    /// The bytes of the payload on the wire, if it was compressed.
    public var compressedSize: Int?
    /// How much reached the other side; what a fault lost or truncated is not delivered.
    public var delivery: Delivery
    /// The names of the faults that touched it.
    public var faults: [String]

    public init(
        sender: Party, opcode: Opcode, payload: [UInt8], delivery: Delivery = .complete, faults: [String] = []
    ) {
        (self.sender, self.opcode) = (sender, opcode)
        self.payload = RecordedBody(payload)
        (self.delivery, self.faults) = (delivery, faults)
    }

    /// The content of a close frame, or nil for other frames and for an empty one.
    ///
    /// The code is not validated (RFC 6455 §5.5.1).
    public var closeFrame: CloseSummary.Frame? {
        guard opcode == .close, payload.bytes.count >= 2 else { return nil }
        return CloseSummary.Frame(
            code: CloseCode(rawValue: UInt16(payload.bytes[0]) << 8 | UInt16(payload.bytes[1])),
            reason: String(decoding: payload.bytes[2...], as: UTF8.self))
    }

    /// The `type` of a text frame, if the frame is a JSON object with one.
    public var type: String? {
        guard opcode == .text, let value = try? JSON.parse(payload.bytes) else { return nil }
        return value["type"]?.string
    }
}

/// The end of a connection that was a WebSocket.
public struct RecordedClosing: Sendable, Equatable {
    /// The side that ended it: by the first close frame or, without one, by ending the transport.
    public var party: Party
    public var cause: Cause
    /// The close frames of both sides; "sent" is the server's, "received" the client's.
    public var summary: CloseSummary
    /// Details, such as the protocol violation or the exceeded limit.
    public var message: String?
    /// The names of the faults that ended it.
    public var faults: [String]

    public enum Cause: String, Sendable, CaseIterable {
        case closeFrame = "close_frame"
        /// FIN without a close frame.
        case finish
        /// RST.
        case reset
        /// Nothing arrived in time.
        case timeOut = "time_out"
        case fault
        /// The client broke the protocol.
        case violation
        /// A limit of the server was exceeded.
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

/// A fault that started on an open WebSocket, independent of any frame.
///
/// From here on, the client cannot be judged as usual.
public struct RecordedFault: Sendable {
    public var name: String
    public var effect: Effect

    /// What a fault does to a whole connection.
    public enum Effect: String, Sendable, CaseIterable {
        /// Nothing is sent or read any more; the connection counts as lost.
        case silence
        /// Pings are not answered.
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

/// A breakpoint began to hold something back; the entry's number names what is held.
public struct RecordedHold: Sendable, Equatable {
    public var breakpoint: String
    public var place: Place
    /// The side that sent what is held.
    public var sender: Party
    /// When it continues by itself, by the world's clock.
    public var until: Timestamp
    /// What is held, on one line: `POST /api/v1/goals`, `201 POST /api/v1/goals` or `text stream_chunk`.
    public var subject: String

    public enum Place: String, Sendable, CaseIterable {
        case request
        case response
        case handshake
        case frame
    }

    public init(breakpoint: String, place: Place, sender: Party, until: Timestamp, subject: String) {
        (self.breakpoint, self.place, self.sender) = (breakpoint, place, sender)
        (self.until, self.subject) = (until, subject)
    }
}

/// What was held continued, or was lost.
///
/// The entry of its own follows on the same connection, with the breakpoint among its faults. Only a client's frame has
/// it before the hold, because the client sent it then.
public struct RecordedRelease: Sendable, Equatable {
    /// The number of the entry with the ``RecordedHold``.
    public var held: Int
    public var breakpoint: String
    public var action: Action
    /// When it would have continued without the breakpoint; the entry's own time is when it did.
    public var due: Timestamp
    /// What the other side received instead of a request's body or a client's frame; nil if nothing was changed.
    public var payload: RecordedBody?

    public enum Action: String, Sendable, CaseIterable {
        case continued
        case changed
        case dropped
        /// The client was answered in place of the backend.
        case answered
        /// Its time was over, or a limit was reached.
        case expired
        /// The connection is gone.
        case left
        /// The breakpoint was removed, or its controller left, or the world or the server came to an end.
        case ended
    }

    public init(
        held: Int, breakpoint: String, action: Action, due: Timestamp, payload: RecordedBody? = nil
    ) {
        (self.held, self.breakpoint, self.action) = (held, breakpoint, action)
        (self.due, self.payload) = (due, payload)
    }
}
