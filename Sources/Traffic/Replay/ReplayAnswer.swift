import Sessions

/// A request that a client makes of a session that is replayed.
public struct ReplayRequest: Sendable, Equatable {
    /// The method.
    public var method: String
    /// The path and query as they arrived, percent-encoded; a world's prefix `/w/{id}` does not count.
    public var target: String
    /// The fields in order.
    public var fields: [SessionField]
    /// The whole body without framing; empty where there was none.
    public var body: [UInt8]
    /// Whether it is a WebSocket's handshake.
    public var isHandshake: Bool
    /// What URLs in answers shall begin with, `http://localhost:8080`; nil for the player's own.
    public var origin: String?

    /// Describes a request.
    public init(
        method: String, target: String, fields: [SessionField] = [], body: [UInt8] = [], isHandshake: Bool = false,
        origin: String? = nil
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
        self.isHandshake = isHandshake
        self.origin = origin
    }
}

/// What a request gets.
public enum ReplayAnswer: Sendable, Equatable {
    /// The recorded answer.
    case response(ReplayResponse)
    /// 101: a recorded WebSocket opens; ``Player/opened(_:at:)`` begins it.
    case socket(ReplayOpening)
    /// No answer: the connection ends (FIN) after so many nanoseconds, as it did when it was recorded.
    case noAnswer(after: Int64)
    /// Nothing like it was recorded, or it is not its turn: 404 with the miss's message and details.
    case unexpected(ReplayMiss)
}

/// A recorded answer, made out to the client that asks now.
public struct ReplayResponse: Sendable, Equatable {
    /// The status, 200 to 999.
    public var status: Int
    /// The fields in order, without those of framing and of the connection: `Content-Length`, `Transfer-Encoding`,
    /// `Connection` and the like, `Date` and `Alt-Svc`.
    ///
    /// `Content-Encoding` is among them where the body is coded, as it was recorded.
    public var fields: [SessionField]
    /// The body; for HEAD that stands for a recorded GET its body, of which only the length goes.
    public var body: [UInt8]
    /// What `Content-Length` has to say where it is not the body's length: of a recorded HEAD or 304, or of a body that
    /// was cut off; nil where it is.
    public var declaredLength: Int?
    /// How many nanoseconds after the request it goes.
    public var after: Int64
    /// What comes after its last byte.
    public var then: Ending

    /// What comes after an answer.
    public enum Ending: Sendable, Equatable {
        /// The next request, as HTTP has it.
        case nothing
        /// The body is not whole: the connection ends here (FIN), and what frames the body must not say otherwise.
        case finish
    }

    /// Describes an answer.
    public init(
        status: Int, fields: [SessionField] = [], body: [UInt8] = [], declaredLength: Int? = nil, after: Int64 = 0,
        then: Ending = .nothing
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.declaredLength = declaredLength
        self.after = after
        self.then = then
    }
}

/// A WebSocket of a player.
public struct ReplaySocket: Sendable, Hashable, Comparable {
    /// Counts the sockets of a player from 1.
    public let number: UInt64

    init(number: UInt64) { self.number = number }

    /// The older socket comes first.
    public static func < (left: ReplaySocket, right: ReplaySocket) -> Bool { left.number < right.number }
}

/// The answer to a handshake that is accepted.
public struct ReplayOpening: Sendable, Equatable {
    /// The socket.
    public var socket: ReplaySocket
    /// The recorded fields of the 101 without those of the handshake itself; `Sec-WebSocket-Protocol` is among them.
    public var fields: [SessionField]
    /// How many nanoseconds after the request it goes.
    public var after: Int64
}

/// Something that a recorded server did on an open WebSocket.
public struct ReplayEffect: Sendable, Equatable {
    /// On which.
    public var socket: ReplaySocket
    /// What.
    public var action: Action

    /// What a server does.
    public enum Action: Sendable, Equatable {
        /// A text message: valid UTF-8.
        case text([UInt8])
        /// A binary message.
        case binary([UInt8])
        /// A ping with at most 125 bytes.
        case ping([UInt8])
        /// A close frame: a code that may be sent, or none, and a reason of at most 123 bytes.
        case close(code: UInt16?, reason: String)
        /// The connection ends with FIN and without a close frame; nothing follows.
        case finish
        /// The connection ends with RST; nothing follows.
        case reset
    }
}

/// What a client sends on an open WebSocket; pings and pongs need not be told.
public enum ReplayMessage: Sendable, Equatable {
    /// A text message.
    case text([UInt8])
    /// A binary message.
    case binary([UInt8])
    /// A close frame.
    case close
}
