import FitIQAPI
import JSON

/// A request that was not expected, with what came nearest to it.
public struct ReplayMiss: Sendable, Equatable {
    /// When it came, in the world's time.
    public var time: Timestamp
    /// Its method; of a WebSocket's handshake `GET`.
    public var method: String
    /// Its path and query as they arrived, secrets shortened, cut after 500 bytes.
    public var target: String
    /// Why it has no answer.
    public var reason: Reason
    /// The recorded request that is nearest; nil where none is near.
    public var nearest: Nearest?
    /// What differs from the nearest one, at most ``ReplayLimits/differences``.
    public var differences: [ReplayDifference]

    /// Why a request has no answer.
    public enum Reason: Sendable, Equatable {
        /// None like it was recorded.
        case unknown
        /// It was recorded so many times, and that many answers have been given; its method is not one to be repeated.
        case runOut(Int)
        /// Another one is due (``ReplaySettings/Match/strict``).
        case notItsTurn
        /// All that was recorded has been asked for (``ReplaySettings/Match/strict``).
        case over
    }

    /// A recorded request.
    public struct Nearest: Sendable, Equatable {
        /// Which entry of the recording it is, counted from 1 in the order in which they began.
        public var entry: Int
        /// Its method.
        public var method: String
        /// Its path and query, secrets shortened, cut after 500 bytes.
        public var target: String
    }

    /// The sentences for the person at the client: what came, what was nearest, and how it differs.
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

/// One thing in which a request or a frame differs from the recorded one.
public struct ReplayDifference: Sendable, Equatable {
    /// Where: `method`, `path`, `query.limit`, `body.items[2].name`, `text.content`.
    public var place: String
    /// What was recorded, shortened; nil where there was nothing.
    public var expected: String?
    /// What came, shortened; nil where nothing did.
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
    /// On which socket.
    public var socket: ReplaySocket
    /// The socket's path and query as recorded, secrets shortened, cut after 500 bytes.
    public var target: String
    /// The frame as JSON or text, shortened.
    public var excerpt: String
    /// Why it is a miss.
    public var reason: Reason
    /// What differs from the recorded frame that was due, at most ``ReplayLimits/differences``.
    public var differences: [ReplayDifference]

    /// Why a frame is a miss.
    public enum Reason: Sendable, Equatable {
        /// It is not like the recorded frame that is due, or in a triggered socket like any.
        case different
        /// All the client's recorded frames have come.
        case noneLeft
        /// More frames than ``ReplayLimits/runs`` have their answers under way.
        case tooMany
    }

    /// What came, and what was expected.
    public var message: String { Sentences.message(self) }
}
