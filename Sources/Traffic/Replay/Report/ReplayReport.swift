import FitIQAPI
import JSON

/// The result of a replayed session.
public struct ReplayReport: Sendable, Equatable {
    /// The number of recorded requests, including handshakes.
    public var recorded = 0
    /// The number of recorded requests that were made.
    public var served = 0
    /// The number of repeated responses, given after all of their kind had been used.
    public var repeats = 0
    /// The number of recorded requests that were never made.
    public var neverAskedCount = 0
    /// The first requests that were never made, at most ``ReplayLimits/misses``.
    public var neverAsked: [ReplayMiss.Nearest] = []
    public var unexpectedCount = 0
    /// The first unexpected requests, at most ``ReplayLimits/misses``.
    public var unexpected: [ReplayMiss] = []
    /// The number of the server's frames that were sent, including drops.
    public var framesSent = 0
    /// The number of the client's frames that matched recorded ones.
    public var framesReceived = 0
    /// The number of recorded frames that the client did not send on the sockets that it opened.
    public var framesNeverSent = 0
    /// The number of the client's frames that matched no recorded one.
    public var frameMissCount = 0
    /// The first frame misses, at most ``ReplayLimits/misses``.
    public var frameMisses: [ReplayFrameMiss] = []
    /// The number of recorded values that stand for others.
    public var bindings = 0
    /// The number of values not followed: over ``ReplayLimits/bindings``, or with quotes, blanks or control characters.
    public var bindingsRefused = 0

    /// Whether everything recorded was requested and sent, and nothing else.
    public var isComplete: Bool {
        neverAskedCount == 0 && unexpectedCount == 0 && framesNeverSent == 0 && frameMissCount == 0
    }

    /// One line: how many of the requests were served, and what was not.
    public var summary: String { Messages.summary(self) }

    /// The report as data, for the admin API.
    public var json: JSONValue {
        func count(_ number: Int) -> JSONValue { .number(JSONNumber(number)) }
        let frames: JSONValue = [
            "sent": count(framesSent), "received": count(framesReceived), "never_sent": count(framesNeverSent),
            "unexpected_count": count(frameMissCount), "unexpected": .array(frameMisses.map(\.json)),
        ]
        return [
            "complete": .bool(isComplete), "summary": .string(summary), "recorded": count(recorded),
            "served": count(served), "repeats": count(repeats), "never_asked_count": count(neverAskedCount),
            "never_asked": .array(neverAsked.map(\.json)), "unexpected_count": count(unexpectedCount),
            "unexpected": .array(unexpected.map(\.json)), "frames": frames, "bindings": count(bindings),
            "bindings_refused": count(bindingsRefused),
        ]
    }
}

/// An unexpected request, with the nearest recorded one.
public struct ReplayMiss: Sendable, Equatable {
    /// The world's date when it came.
    public var time: Timestamp
    /// Its method; `GET` for a WebSocket handshake.
    public var method: String
    /// Its path and query as received, with shortened secrets, truncated after 500 bytes.
    public var target: String
    public var reason: Reason
    /// The nearest recorded request, or nil if none is near.
    public var nearest: Nearest?
    /// The differences from the nearest request, at most ``ReplayLimits/differences``.
    public var differences: [ReplayDifference] = []

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

        var json: JSONValue {
            ["entry": .number(JSONNumber(entry)), "method": .string(method), "target": .string(target)]
        }
    }

    /// The sentences for the client's developer: what came, what was nearest, and how it differs.
    public var message: String { Messages.message(self) }

    /// The same as data, for `error.details`.
    public var details: JSONObject {
        var details: JSONObject = ["reason": .string(Messages.name(reason))]
        if let nearest { details["nearest"] = nearest.json }
        details["differences"] = .array(differences.map(\.json))
        return details
    }

    fileprivate var json: JSONValue {
        [
            "time": .string(time.nanosecondText), "method": .string(method), "target": .string(target),
            "message": .string(message), "details": .object(details),
        ]
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
    public var description: String { Messages.difference(self) }

    var json: JSONValue {
        func value(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
        return ["place": .string(place), "expected": value(expected), "actual": value(actual)]
    }
}

/// A client's frame that is not the recorded one.
public struct ReplayFrameMiss: Sendable, Equatable {
    /// The world's date when it came.
    public var time: Timestamp
    public var socket: ReplaySocket
    /// The socket's path and query as recorded, with shortened secrets, truncated after 500 bytes.
    public var target: String
    /// The frame as JSON or text, shortened.
    public var excerpt: String
    public var reason: Reason
    /// The differences from the recorded frame that was due, at most ``ReplayLimits/differences``.
    public var differences: [ReplayDifference] = []

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
    public var message: String { Messages.message(self) }

    fileprivate var json: JSONValue {
        [
            "time": .string(time.nanosecondText), "socket": .number(JSONNumber(Int(socket.number))),
            "target": .string(target), "frame": .string(excerpt), "message": .string(message),
            "differences": .array(differences.map(\.json)),
        ]
    }
}
