import FitIQAPI
import HTTP1
import JSON
import WebSocket

/// A WebSocket's handshake that was accepted.
public struct RecordedOpening: Sendable {
    /// The request, with the path, the credentials and the protocol's fields.
    public var head: RequestHead
    /// When the request was complete; the entry's own time is when the last byte of the 101 was let go.
    public var requestedAt: Timestamp
    /// The operation; nil for a socket that is not of the API.
    public var endpoint: Endpoint?
    /// The user whose credentials were accepted.
    public var user: ExactString?
    /// The fields of the 101, save `Connection`.
    public var responseFields: RecordedFields
    /// The names of the faults that acted on the handshake.
    public var faults: [String]

    /// Describes an opening.
    public init(
        head: RequestHead, requestedAt: Timestamp, endpoint: Endpoint? = nil, user: ExactString? = nil,
        responseFields: RecordedFields = .none, faults: [String] = []
    ) {
        self.head = head
        self.requestedAt = requestedAt
        self.endpoint = endpoint
        self.user = user
        self.responseFields = responseFields
        self.faults = faults
    }
}

/// One of the two ends of a connection.
public enum Party: String, Sendable, CaseIterable {
    /// The app.
    case client
    /// This server.
    case server
}

/// A message or a control frame on an open WebSocket; fragments are joined.
public struct RecordedFrame: Sendable {
    /// Who sent it.
    public var sender: Party
    /// What it is; of a fragmented message what the first fragment was.
    public var opcode: Opcode
    /// The payload without mask, as it was sent.
    public var payload: RecordedBody
    /// Whether the other side can have it: what a fault lost or cut off is not delivered.
    public var delivery: Delivery
    /// The names of the faults that touched it.
    public var faults: [String]

    /// Describes a frame.
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
public struct RecordedClosing: Sendable {
    /// Who ended it first: by the first close frame, or without any, by ending the transport.
    public var party: Party
    /// What ended it.
    public var cause: Cause
    /// The close frames of both sides; "sent" is the server's, "received" the client's.
    public var summary: CloseSummary
    /// What more there is to say: what broke the protocol, which limit was passed.
    public var message: String?
    /// The names of the faults that ended it.
    public var faults: [String]

    /// What ends a WebSocket.
    public enum Cause: String, Sendable, CaseIterable {
        /// Close frames.
        case closeFrame = "close_frame"
        /// FIN without a close frame.
        case finish
        /// RST.
        case reset
        /// Nothing came in time.
        case timeOut = "time_out"
        /// A fault of the scenario.
        case fault
        /// The client broke the protocol.
        case violation
        /// A limit of the server was passed.
        case limit
        /// The server stops.
        case shutdown
    }

    /// Describes an end.
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

/// A fault that set in on an open WebSocket, apart from any frame: from here on the client cannot be judged as if all were well.
public struct RecordedFault: Sendable {
    /// The rule's name.
    public var name: String
    /// What set in.
    public var effect: Effect

    /// What a fault does to a whole connection.
    public enum Effect: String, Sendable, CaseIterable {
        /// Nothing is sent or read any more; the connection counts as gone.
        case silence
        /// Pings are not answered.
        case withholdPong = "withhold_pong"
        /// Nothing that the client sends is read.
        case stallReading = "stall_reading"
    }

    /// Describes the onset of a fault.
    public init(name: String, effect: Effect) {
        self.name = name
        self.effect = effect
    }
}
