import FitIQAPI
import WebSocket

/// The traffic between a client and a server: requests with their responses, and WebSockets with their frames.
public struct Session: Sendable, Equatable {
    /// All entries, in starting order.
    public var entries: [SessionEntry]

    public init(entries: [SessionEntry] = []) { self.entries = entries }
}

/// A request and its result.
public enum SessionEntry: Sendable, Equatable {
    /// A request and its response, including a refused WebSocket handshake.
    case exchange(SessionExchange)
    case socket(SessionSocket)

    public var request: SessionRequest {
        switch self {
        case .exchange(let exchange): exchange.request
        case .socket(let socket): socket.request
        }
    }

    public var started: Timestamp {
        switch self {
        case .exchange(let exchange): exchange.started
        case .socket(let socket): socket.started
        }
    }
}

/// A request and its response.
public struct SessionExchange: Sendable, Equatable {
    /// When the first byte of the request was seen.
    public var started: Timestamp
    /// Nanoseconds from the end of the request to the first byte of the response; 0 if unknown.
    public var waited: Int64
    /// Nanoseconds from the first byte of the request to the last byte of the response.
    public var lasted: Int64
    public var request: SessionRequest
    /// The response, or nil if the connection ended without one.
    public var response: SessionResponse?

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

/// A header field as sent; names keep their case and may repeat.
public struct SessionField: Sendable, Hashable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// A request as sent.
public struct SessionRequest: Sendable, Equatable {
    public var method: String
    /// The absolute URL, such as `https://host/api/v1/consultations?limit=2`; a WebSocket has the scheme `ws` or `wss`.
    public var url: String
    /// The fields in order.
    public var fields: [SessionField]
    /// The body without framing, or nil if there is none.
    public var body: RecordedBody?

    public init(method: String, url: String, fields: [SessionField] = [], body: RecordedBody? = nil) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
    }
}

/// A response as received.
public struct SessionResponse: Sendable, Equatable {
    public var status: Int
    /// The fields in order.
    public var fields: [SessionField]
    /// The body without framing; empty if there is none.
    ///
    /// If the fields name a content coding, the body is encoded: fields and body agree.
    public var body: RecordedBody
    /// Whether the last byte arrived before the connection ended.
    public var isComplete: Bool

    public init(
        status: Int, fields: [SessionField] = [], body: RecordedBody = RecordedBody(), isComplete: Bool = true
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.isComplete = isComplete
    }

    /// Whether the body has a content coding, such as gzip (RFC 9110 §8.4).
    public var isCoded: Bool { fields.contains(where: \.isContentEncoding) }
}
