import FitIQAPI
import JSON

/// An unexpected request, with the nearest recorded one.
public struct ReplayMiss: Sendable, Equatable {
    /// When it came, in the world's time.
    public var time: Timestamp
    /// Its method; `GET` for a WebSocket handshake.
    public var method: String
    /// Its path and query as received, with shortened secrets, truncated after 500 bytes.
    public var target: String
    public var reason: Reason
    /// The nearest recorded request, or nil if none is near.
    public var nearest: Nearest?
    /// The differences from the nearest request, at most ``ReplayLimits/differences``.
    public var differences: [ReplayDifference]

    /// Why a request has no response.
    public enum Reason: Sendable, Equatable {
        /// No such request was recorded.
        case unknown
        /// All recorded responses, of this number, were given, and its method may not be repeated.
        case runOut(Int)
        /// Another request is due (``ReplaySettings/Match/strict``).
        case notItsTurn
        /// Every recorded request was made (``ReplaySettings/Match/strict``).
        case over
    }

    /// A recorded request.
    public struct Nearest: Sendable, Equatable {
        /// The number of its entry in the recording, counted from 1 in starting order.
        public var entry: Int
        public var method: String
        /// Its path and query, with shortened secrets, truncated after 500 bytes.
        public var target: String
    }

    /// The sentences for the client's developer: what came, what was nearest, and how it differs.
    public var message: String { Sentences.message(self) }

    /// The same as data, for `error.details`.
    public var details: JSONObject {
        var details: JSONObject = ["reason": .string(Sentences.name(reason))]
        if let nearest {
            details["nearest"] = [
                "entry": .number(JSONNumber(nearest.entry)), "method": .string(nearest.method),
                "target": .string(nearest.target),
            ]
        }
        details["differences"] = .array(differences.map(\.json))
        return details
    }
}

/// One difference between a request or a frame and the recorded one.
public struct ReplayDifference: Sendable, Equatable {
    /// The place: `method`, `path`, `query.limit`, `body.items[2].name`, `text.content`.
    public var place: String
    /// The recorded value, shortened, or nil if there was none.
    public var expected: String?
    /// The received value, shortened, or nil if there was none.
    public var actual: String?

    /// `body.persona: expected "nutritionist", got "coach"`.
    public var description: String { Sentences.difference(self) }

    var json: JSONValue {
        [
            "place": .string(place), "expected": expected.map { .string($0) } ?? .null,
            "actual": actual.map { .string($0) } ?? .null,
        ]
    }
}

/// A client's frame that is not the recorded one.
public struct ReplayFrameMiss: Sendable, Equatable {
    /// When it came, in the world's time.
    public var time: Timestamp
    public var socket: ReplaySocket
    /// The socket's path and query as recorded, with shortened secrets, truncated after 500 bytes.
    public var target: String
    /// The frame as JSON or text, shortened.
    public var excerpt: String
    public var reason: Reason
    /// The differences from the recorded frame that was due, at most ``ReplayLimits/differences``.
    public var differences: [ReplayDifference]

    /// Why a frame is a miss.
    public enum Reason: Sendable, Equatable {
        /// It does not match the recorded frame that is due or, on a triggered socket, any.
        case different
        /// All the client's recorded frames have come.
        case noneLeft
        /// More than ``ReplayLimits/runs`` runs would be active.
        case tooMany
    }

    /// What came, and what was expected.
    public var message: String { Sentences.message(self) }
}
