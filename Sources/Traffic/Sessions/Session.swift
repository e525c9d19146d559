import FitIQAPI
import Recording
import WebSocket

/// What went over the wire between a client and a server: requests with their answers, and WebSockets with their frames.
public struct Session: Sendable, Equatable {
    /// Everything, in the order in which it began.
    public var entries: [SessionEntry]

    /// Makes a session.
    public init(entries: [SessionEntry] = []) { self.entries = entries }
}

/// A request with what came of it.
public enum SessionEntry: Sendable, Equatable {
    /// A request and its answer; a WebSocket's handshake too, where it was refused.
    case exchange(SessionExchange)
    /// A WebSocket.
    case socket(SessionSocket)

    /// What was asked.
    public var request: SessionRequest {
        switch self {
        case .exchange(let exchange): exchange.request
        case .socket(let socket): socket.request
        }
    }

    /// When it began.
    public var started: Timestamp {
        switch self {
        case .exchange(let exchange): exchange.started
        case .socket(let socket): socket.started
        }
    }
}

/// A request and its answer.
public struct SessionExchange: Sendable, Equatable {
    /// When the first byte of the request was seen.
    public var started: Timestamp
    /// Nanoseconds from the end of the request to the first byte of the answer; 0 where that is not known.
    public var waited: Int64
    /// Nanoseconds from the first byte of the request to the last of the answer.
    public var lasted: Int64
    /// What was asked.
    public var request: SessionRequest
    /// What was answered; nil where the connection ended without an answer.
    public var response: SessionResponse?

    /// Describes an exchange.
    public init(
        started: Timestamp, waited: Int64 = 0, lasted: Int64 = 0, request: SessionRequest, response: SessionResponse?
    ) {
        self.started = started
        self.waited = waited
        self.lasted = lasted
        self.request = request
        self.response = response
    }
}

/// A header field as it was sent; names keep their case, and names may come more than once.
public struct SessionField: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The value.
    public var value: String

    /// Describes a field.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// A request as it was sent.
public struct SessionRequest: Sendable, Equatable {
    /// The method.
    public var method: String
    /// The absolute URL, `https://host/api/v1/consultations?limit=2`; of a WebSocket with the scheme `ws` or `wss`.
    public var url: String
    /// The fields in order.
    public var fields: [SessionField]
    /// The body without framing; nil where there was none.
    public var body: SessionBody?

    /// Describes a request.
    public init(method: String, url: String, fields: [SessionField] = [], body: SessionBody? = nil) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
    }
}

/// An answer as it was received.
public struct SessionResponse: Sendable, Equatable {
    /// The status.
    public var status: Int
    /// The fields in order.
    public var fields: [SessionField]
    /// The body without framing; empty where there was none.
    ///
    /// Where the fields name a content coding it is coded: fields and body agree.
    public var body: SessionBody
    /// Whether the last byte came; else the connection ended before.
    public var isComplete: Bool

    /// Describes an answer.
    public init(
        status: Int, fields: [SessionField] = [], body: SessionBody = SessionBody(), isComplete: Bool = true
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.isComplete = isComplete
    }

    /// Whether the body has a content coding, as by gzip (RFC 9110 §8.4).
    public var isCoded: Bool { fields.contains(where: \.isContentEncoding) }
}

/// The bytes of a body, and how many there were before a limit cut them.
public struct SessionBody: Sendable, Equatable {
    /// The bytes that were kept.
    public var bytes: [UInt8]
    /// How many there were.
    public var byteCount: Int

    /// Describes a body that is whole.
    public init(_ bytes: [UInt8] = []) {
        self.bytes = bytes
        byteCount = bytes.count
    }

    /// Describes what is left of a body that had more bytes.
    public init(_ bytes: [UInt8], of byteCount: Int) {
        precondition(byteCount >= bytes.count, "a part is no larger than the whole")
        self.bytes = bytes
        self.byteCount = byteCount
    }

    /// Whether some of the bytes were not kept.
    public var isCut: Bool { bytes.count < byteCount }
}
