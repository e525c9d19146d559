import Traffic

/// A client's request to a replayed session.
public struct ReplayRequest: Sendable, Equatable {
    public var method: String
    /// The path and query as received, percent-encoded; a world's prefix `/w/{id}` does not count.
    public var target: String
    public var fields: [SessionField]
    /// The whole body without framing; empty if there is none.
    public var body: [UInt8]
    public var isHandshake: Bool
    /// The prefix of URLs in responses, such as `http://localhost:8080`, or nil for the player's own.
    public var origin: String?

    public init(
        method: String, target: String, fields: [SessionField] = [], body: [UInt8] = [], isHandshake: Bool = false,
        origin: String? = nil
    ) {
        (self.method, self.target, self.fields) = (method, target, fields)
        (self.body, self.isHandshake, self.origin) = (body, isHandshake, origin)
    }
}

/// The reply to a request.
public enum ReplayAnswer: Sendable, Equatable {
    case response(ReplayResponse)
    /// 101: a recorded WebSocket opens; ``Player/opened(_:at:)`` starts it.
    case socket(ReplayOpening)
    /// No response: the connection ends (FIN) after this many nanoseconds, as recorded.
    case noAnswer(after: Int64)
    /// No such request was recorded, or it is not its turn: 404 with the miss's message and details.
    case unexpected(ReplayMiss)
}

/// A recorded response, rewritten for the current client.
public struct ReplayResponse: Sendable, Equatable {
    /// The status, 200 to 999.
    public var status: Int
    /// The fields, except those of framing and of the connection; `Content-Encoding` if the body is encoded.
    public var fields: [SessionField] = []
    /// The body; for HEAD in place of a recorded GET, its body, of which only the length is sent.
    public var body: [UInt8] = []
    /// The value of `Content-Length` if it is not the body's length: for a recorded HEAD or 304 and a truncated body.
    public var declaredLength: Int?
    /// The delay after the request, in nanoseconds.
    public var after: Int64 = 0
    public var then = Ending.nothing

    /// What follows the last byte of a response.
    public enum Ending: Sendable, Equatable {
        /// The next request, as usual in HTTP.
        case nothing
        /// The body is incomplete: the connection ends here (FIN), and the framing must not claim otherwise.
        case finish
    }
}

/// A WebSocket of a player; the older one comes first.
public struct ReplaySocket: Sendable, Hashable, Comparable {
    /// The number of the socket, counted from 1 per player.
    public let number: UInt64

    public static func < (left: ReplaySocket, right: ReplaySocket) -> Bool { left.number < right.number }
}

/// The response to an accepted handshake.
public struct ReplayOpening: Sendable, Equatable {
    public var socket: ReplaySocket
    /// The recorded fields of the 101, except those of the handshake itself; `Sec-WebSocket-Protocol` is included if the
    /// client offers its value.
    public var fields: [SessionField]
    /// The delay after the request, in nanoseconds.
    public var after: Int64
}

/// An action of the recorded server on an open WebSocket.
public struct ReplayEffect: Sendable, Equatable {
    public var socket: ReplaySocket
    public var action: Action

    public enum Action: Sendable, Equatable {
        /// A text message of valid UTF-8.
        case text([UInt8])
        case binary([UInt8])
        /// A ping with at most 125 bytes.
        case ping([UInt8])
        /// A close frame with a valid code or none, and a reason of at most 123 bytes.
        case close(code: UInt16?, reason: String)
        /// The connection ends with FIN and without a close frame; nothing follows.
        case finish
        /// The connection ends with RST; nothing follows.
        case reset
    }
}

/// A client's message on an open WebSocket; pings and pongs need not be reported.
public enum ReplayMessage: Sendable, Equatable {
    case text([UInt8])
    case binary([UInt8])
    case close
}

/// Selects the recorded fields that are sent again.
enum ReplayedFields {
    /// Fields of a connection or of body framing, and those that would be untrue or lead elsewhere.
    private static let dropped: Set = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
        "content-length", "date", "alt-svc",
    ]

    static func ofAnswer(_ fields: [SessionField]) -> [SessionField] {
        fields.filter { !$0.name.isEmpty && !$0.name.hasPrefix(":") && !dropped.contains($0.name.lowercased()) }
    }

    /// The fields of a 101; with a subprotocol only if the client offers it, because it would fail the connection
    /// otherwise (RFC 6455 §4.1).
    static func ofOpening(_ fields: [SessionField], to offer: [SessionField]) -> [SessionField] {
        ofAnswer(fields).filter { field in
            switch field.name.lowercased() {
            case "sec-websocket-accept", "sec-websocket-extensions": false
            case "sec-websocket-protocol": isOffered(field.value, in: offer)
            default: true
            }
        }
    }

    private static func isOffered(_ subprotocol: String, in offer: [SessionField]) -> Bool {
        offer.filter { $0.name.lowercased() == "sec-websocket-protocol" }.contains { field in
            field.value.split(separator: ",").contains {
                $0.filter { $0 != " " && $0 != "\t" }.isExactly(subprotocol)
            }
        }
    }
}
