import Traffic

public struct ReplaySettings: Sendable, Equatable {
    public var match: Match
    public var speed: Speed
    public var frames: FrameOrder

    /// Which requests are accepted, and when.
    public enum Match: String, Sendable, CaseIterable {
        /// Each recorded request once, in the recorded order, with the recorded body; anything else fails the run.
        case strict
        /// Each request as recorded, in any order; equal requests get their responses in turn.
        case ordered
        /// By method and route alone: IDs, query and body may differ.
        case route
    }

    public enum Speed: Sendable, Equatable {
        /// A multiple of the recorded speed, over 0.
        case factor(Double)
        /// Without any delay.
        case instant
    }

    /// When the server's frames are sent.
    ///
    /// Keep-alives of the API, `{"type":"ping"}` with its `{"type":"pong"}`, follow a client's own clock. Except in
    /// `timed` they are separate: nothing waits for a ping, and each gets the recorded pong in turn, repeating the last
    /// one.
    public enum FrameOrder: String, Sendable, CaseIterable {
        /// At their recorded times, regardless of what the client sends.
        case timed
        /// After the client's recorded frames before them, and then the recorded pauses.
        case lockStep = "lock-step"
        /// A client's frame that matches a recorded one triggers the frames that followed it, in any order and
        /// repeatedly.
        case triggered
    }

    public init(match: Match = .ordered, speed: Speed = .factor(1), frames: FrameOrder = .lockStep) {
        (self.match, self.speed, self.frames) = (match, speed, frames)
    }

    /// A recorded time span at the replay's speed, in nanoseconds.
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

/// The limits of a replay: sessions over some of them are refused, over others the excess is omitted and noted.
public enum ReplayLimits {
    /// The maximum entries of a session; more are refused (``ReplayError/tooManyEntries(_:)``).
    public static let entries = 100_000
    /// The maximum frames of a session's sockets together; more are refused (``ReplayError/tooManyFrames(_:)``).
    public static let frames = 1_000_000
    /// The maximum bytes of fields, bodies and frames together, with what entries and frames count besides, 512 MiB;
    /// more are refused (``ReplayError/tooManyBytes(_:)``).
    public static let bytes = 512 * 1_024 * 1_024
    /// The maximum recorded IDs, dates and tokens; later ones are not followed, which the plan notes.
    public static let recordedValues = 1_000_000
    /// The maximum bytes of an ID or e-mail address that is followed; a longer text is compared literally.
    public static let valueLength = ValueScanner.longestValue
    /// The maximum bytes of a token that is followed.
    public static let tokenLength = ValueScanner.longestToken
    /// The maximum number of bindings at once; a value beyond is not followed, which the report counts.
    public static let bindings = 10_000
    /// How many recorded requests that differ only in their IDs are searched for one with new IDs.
    public static let candidates = 256
    /// The maximum concurrent recorded requests, which may come in any order in `strict`.
    public static let concurrentRequests = 256
    /// How far ahead of its turn a client's frame is recognised in lock-step, in messages of the client.
    public static let framesAhead = 64
    /// The maximum concurrent runs of frames on a triggered socket; a frame that would start another one is a miss.
    public static let runs = 64
    /// The maximum misses of each kind in a report; more are only counted.
    public static let misses = 100
    public static let differences = 8
    /// The maximum bytes of a JSON text whose differences are listed one by one.
    public static let comparedBody = 64 * 1_024
    /// The maximum wait between two events, 24 h; a longer one is shortened to it.
    public static let longestWait: Int64 = 24 * 3_600 * 1_000_000_000
}

/// Why a session cannot be replayed.
public enum ReplayError: Error, Equatable, Sendable, CustomStringConvertible {
    case empty
    /// The server answers all of its requests, of this number, itself.
    case nothingToPlay(Int)
    case tooManyEntries(Int)
    case tooManyFrames(Int)
    case tooManyBytes(Int)

    /// What is wrong and how to fix it.
    public var description: String { Messages.refusal(self) }
}

extension Int64 {
    /// The sum, capped at the largest number.
    func advanced(capped span: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(span)
        return overflow ? .max : sum
    }
}

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

/// A client's message on an open WebSocket; control frames belong to the codec.
public enum ReplayMessage: Sendable, Equatable {
    case text([UInt8])
    case binary([UInt8])
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
            field.value.split(separator: ",").contains { $0.filter { $0 != " " && $0 != "\t" }.isExactly(subprotocol) }
        }
    }
}
