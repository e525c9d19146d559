import Traffic

public struct ReplaySettings: Sendable, Equatable {
    public var match: Match
    public var speed: Speed
    public var frames: FrameOrder

    /// Which requests the replay accepts, and when.
    public enum Match: String, Sendable, CaseIterable {
        /// Accepts each recorded request once, in the recorded order and with the recorded body; anything else makes
        /// the run fail.
        case strict
        /// Accepts each request as recorded, in any order; identical requests get their responses in turn.
        case ordered
        /// Requests match by method and route; IDs, query and body may differ.
        case route
    }

    public enum Speed: Sendable, Equatable {
        /// A multiple of the recorded speed, above 0.
        case factor(Double)
        /// Without any delay.
        case instant
    }

    /// When the replay sends the server's frames.
    ///
    /// The API's keep-alives, `{"type":"ping"}` with its `{"type":"pong"}`, follow the client's clock, so other frames
    /// wait for a ping only in `timed` mode. Each ping gets the next recorded pong; the last pong repeats.
    public enum FrameOrder: String, Sendable, CaseIterable {
        /// Frames are sent at their recorded times, regardless of the client.
        case timed
        /// Frames are sent once the client has sent all recorded frames that precede them, and after the recorded
        /// pauses.
        case lockStep = "lock-step"
        /// After a client's frame matches a recorded frame, the server sends the frames that followed the recorded
        /// frame.
        ///
        /// The client may send such frames in any order and repeatedly.
        case triggered
    }

    public init(match: Match = .ordered, speed: Speed = .factor(1), frames: FrameOrder = .lockStep) {
        (self.match, self.speed, self.frames) = (match, speed, frames)
    }

    /// A recorded duration at the replay's speed, in nanoseconds.
    func played(_ nanoseconds: Int64) -> Int64 {
        guard nanoseconds > 0 else { return 0 }
        switch speed {
        case .instant: return 0
        case .factor(1): return min(nanoseconds, ReplayLimits.longestWait)
        case .factor(let factor):
            let span = Double(nanoseconds) / factor
            return span < Double(ReplayLimits.longestWait) ? Int64(span) : ReplayLimits.longestWait
        }
    }
}

/// The limits on a replay.
///
/// A session that exceeds certain limits is refused; for the other limits, the excess is omitted and reported.
public enum ReplayLimits {
    /// The maximum number of entries in a session.
    ///
    /// A session with more entries is refused.
    public static let entries = 100_000
    /// The maximum number of frames on all sockets in a session.
    ///
    /// A session with more frames is refused.
    public static let frames = 1_000_000
    /// The maximum number of bytes in fields, bodies and frames, including a fixed overhead per entry and frame: 512
    /// MiB.
    ///
    /// A session with more bytes is refused.
    public static let bytes = 512 * 1_024 * 1_024
    /// The maximum number of recorded IDs, dates and tokens.
    ///
    /// Later values are not followed, and the plan reports this.
    public static let recordedValues = 1_000_000
    /// The maximum length of an ID or e-mail address that the replay follows, in bytes.
    ///
    /// Longer strings are compared literally.
    public static let valueLength = ValueScanner.longestValue
    /// The maximum length of a token that the replay follows, in bytes.
    public static let tokenLength = ValueScanner.longestToken
    /// The maximum number of bindings at a time.
    ///
    /// Additional values are only counted in the report.
    public static let bindings = 10_000
    /// How many recorded requests to search among those that differ only in their IDs.
    public static let candidates = 256
    /// The maximum number of concurrent recorded requests, which may come in any order in `strict` mode.
    public static let concurrentRequests = 256
    /// In lock-step mode, how many messages early a client's frame may arrive.
    public static let framesAhead = 64
    /// The maximum number of concurrent frame runs on a triggered socket.
    ///
    /// A frame that would start another run is a miss.
    public static let runs = 64
    /// The maximum number of misses of each kind in a report.
    ///
    /// Additional misses are only counted.
    public static let misses = 100
    public static let differences = 8
    /// The maximum size, in bytes, of a JSON text whose differences are listed individually.
    public static let comparedBody = 64 * 1_024
    /// The maximum wait between two events, 24 h.
    ///
    /// Longer waits are shortened to this limit.
    public static let longestWait: Int64 = 24 * 3_600 * 1_000_000_000
}

extension Int64 {
    /// The sum, or the largest possible number on overflow.
    func advanced(capped span: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(span)
        return overflow ? .max : sum
    }
}

/// A client's request to a replayed session.
public struct ReplayRequest: Sendable, Equatable {
    public var method: String
    /// The path and query as received, percent-encoded and without a world's prefix `/w/{id}`.
    public var target: String
    public var fields: [SessionField]
    /// The whole body without framing, which may be empty.
    public var body: [UInt8]
    public var isHandshake: Bool
    /// The prefix of URLs in responses, such as `http://localhost:8080`, or nil to use the player's prefix.
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
    /// 101: a recorded WebSocket opens.
    ///
    /// Start it with ``Player/opened(_:at:)``.
    case socket(ReplayOpening)
    /// No response; the connection ends (FIN) after this many nanoseconds, as recorded.
    case noAnswer(after: Int64)
    /// 404 with the miss's message and details, because no such request was recorded or another request is due.
    case unexpected(ReplayMiss)
}

/// A recorded response, adapted to the current client.
public struct ReplayResponse: Sendable, Equatable {
    /// The status, 200 to 999.
    public var status: Int
    /// The fields without framing and connection fields, but with `Content-Encoding` if the body is encoded.
    public var fields: [SessionField] = []
    /// The body.
    ///
    /// For a HEAD that matched a GET, this is the body of the GET; only its length is sent.
    public var body: [UInt8] = []
    /// The value of `Content-Length` if it differs from the body's length: for a recorded HEAD or 304, or a truncated
    /// body.
    public var declaredLength: Int?
    /// The delay after the request, in nanoseconds.
    public var after: Int64 = 0
    public var then = Ending.nothing

    /// What happens after the last byte of a response.
    public enum Ending: Sendable, Equatable {
        /// The connection continues with the next request, as usual in HTTP.
        case nothing
        /// The connection ends here (FIN); the body is incomplete, and the framing must show this.
        case finish
    }
}

/// A WebSocket that belongs to a player.
///
/// Older sockets sort first.
public struct ReplaySocket: Sendable, Hashable, Comparable {
    /// The number of the socket, counted from 1 per player.
    public let number: UInt64

    public static func < (left: ReplaySocket, right: ReplaySocket) -> Bool { left.number < right.number }
}

/// The response to an accepted handshake.
public struct ReplayOpening: Sendable, Equatable {
    public var socket: ReplaySocket
    /// The recorded fields of the 101 response, without the handshake fields.
    ///
    /// `Sec-WebSocket-Protocol` is included only if the client offers its value.
    public var fields: [SessionField]
    /// The delay after the request, in nanoseconds.
    public var after: Int64
}

/// An action that the recorded server takes on an open WebSocket.
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

/// A client's message on an open WebSocket.
///
/// The codec handles control frames.
public enum ReplayMessage: Sendable, Equatable {
    case text([UInt8])
    case binary([UInt8])
}

/// Selects the recorded fields to send again.
enum ReplayedFields {
    /// Connection and framing fields, and fields that would be wrong or would lead to a different server.
    private static let dropped: Set = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
        "content-length", "date", "alt-svc",
    ]

    static func ofAnswer(_ fields: [SessionField]) -> [SessionField] {
        fields.filter { !$0.name.isEmpty && !$0.name.hasPrefix(":") && !dropped.contains($0.name.lowercased()) }
    }

    /// The fields of a 101 response.
    ///
    /// The fields contain a subprotocol only if the client offers it, because otherwise the client would fail the
    /// connection (RFC 6455 §4.1).
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
            field.value.split(separator: ",").contains { $0.filter { $0 != " " && $0 != "\t" }.isExactly(subprotocol) }
        }
    }
}
