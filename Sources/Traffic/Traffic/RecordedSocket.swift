import FitIQAPI
import HTTP1
import JSON
import WebSocket

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
        self.sender = sender
        self.opcode = opcode
        self.payload = RecordedBody(payload)
        self.delivery = delivery
        self.faults = faults
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
        /// A fault of the scenario.
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
        self.party = party
        self.cause = cause
        self.summary = summary
        self.message = message
        self.faults = faults
    }
}

/// A fault that started on an open WebSocket, independent of any frame.
///
/// From here on, the client cannot be judged as usual.
public struct RecordedFault: Sendable {
    /// The rule's name.
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

    public init(name: String, effect: Effect) {
        self.name = name
        self.effect = effect
    }
}

extension Party {
    /// The direction of what this side sends.
    public var direction: String {
        switch self {
        case .client: "client_to_server"
        case .server: "server_to_client"
        }
    }
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

extension RecordedFrame {
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

extension RequestTarget {
    /// The percent-decoded path segments, without the leading `/w/{world}`.
    package var segmentsInWorld: [String] {
        let segments = segments
        return segments.count > 2 && segments[0] == "w" ? Array(segments.dropFirst(2)) : segments
    }
}
