import FitIQAPI
import JSON
import Text
import Traffic

/// The result of replaying a session.
public struct ReplayReport: Sendable, Equatable {
    /// The number of recorded requests, including handshakes.
    public var recorded = 0
    /// The number of recorded requests that clients made.
    public var served = 0
    /// The number of responses that were repeated after the client had used up the recorded ones.
    public var repeats = 0
    public var neverAskedCount = 0
    /// The first recorded requests that no client made, at most ``ReplayLimits/misses``.
    public var neverAsked: [ReplayMiss.Nearest] = []
    public var unexpectedCount = 0
    /// The first unexpected requests, at most ``ReplayLimits/misses``.
    public var unexpected: [ReplayMiss] = []
    /// The number of server frames that were sent.
    ///
    /// A dropped connection counts as a frame.
    public var framesSent = 0
    /// The number of client frames that matched recorded frames.
    public var framesReceived = 0
    /// The number of recorded frames that the client did not send on the sockets it opened.
    public var framesNeverSent = 0
    /// The number of client frames that matched no recorded frame.
    public var frameMissCount = 0
    /// The first frame misses, at most ``ReplayLimits/misses``.
    public var frameMisses: [ReplayFrameMiss] = []
    /// The number of recorded values that are bound to a client's value.
    public var bindings = 0
    /// The number of values that are not followed because of ``ReplayLimits/bindings`` or unsafe characters.
    public var bindingsRefused = 0

    /// Whether the client's requests and frames match the recording exactly.
    public var isComplete: Bool {
        neverAskedCount == 0 && unexpectedCount == 0 && framesNeverSent == 0 && frameMissCount == 0
    }

    /// One line with the number of served requests and what went wrong.
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

/// An unexpected request, with the recorded request most similar to it.
public struct ReplayMiss: Sendable, Equatable {
    /// The world's date when the request arrived.
    public var time: Timestamp
    /// The method: `GET` for a WebSocket handshake.
    public var method: String
    /// The path and query as received, with shortened secrets, truncated after 500 bytes.
    public var target: String
    public var reason: Reason
    /// The most similar recorded request, or nil if none is similar.
    public var nearest: Nearest?
    /// The differences from the nearest request, at most ``ReplayLimits/differences``.
    public var differences: [ReplayDifference] = []

    /// Why a request has no recorded response.
    public enum Reason: Sendable, Equatable {
        /// No such request was recorded.
        case unknown
        /// The client has used up the recorded responses (this many) and must not repeat a request with this method.
        case runOut(Int)
        /// A different request is due (``ReplaySettings/Match/strict``).
        case notItsTurn
        /// All recorded requests have been made (``ReplaySettings/Match/strict``).
        case over
    }

    public struct Nearest: Sendable, Equatable {
        /// The entry's number in the recording, counted from 1 in the order in which entries started.
        public var entry: Int
        public var method: String
        /// The path and query, with shortened secrets, truncated after 500 bytes.
        public var target: String

        var json: JSONValue {
            ["entry": .number(JSONNumber(entry)), "method": .string(method), "target": .string(target)]
        }
    }

    /// The request, the nearest recorded request and the differences, in sentences for the client's developer.
    public var message: String { Messages.message(self) }

    /// The same information as data, for `error.details`.
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

/// A difference between a received request or frame and the recorded one.
public struct ReplayDifference: Sendable, Equatable {
    /// Where the difference is: `method`, `path`, `query.limit`, `body.items[2].name`, `text.content`.
    public var place: String
    /// The recorded value, shortened, or nil if the recording has no such value.
    public var expected: String?
    /// The received value, shortened, or nil if the client sent no such value.
    public var actual: String?

    /// The difference in words, such as `body.persona: expected "nutritionist", got "coach"`.
    public var description: String { Messages.difference(self) }

    var json: JSONValue {
        func value(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
        return ["place": .string(place), "expected": value(expected), "actual": value(actual)]
    }
}

public struct ReplayFrameMiss: Sendable, Equatable {
    /// The world's date when the frame arrived.
    public var time: Timestamp
    public var socket: ReplaySocket
    /// The socket's path and query as recorded, with shortened secrets, truncated after 500 bytes.
    public var target: String
    /// The frame as JSON or text, shortened.
    public var excerpt: String
    public var reason: Reason
    /// The differences from the recorded frame that was due, at most ``ReplayLimits/differences``.
    public var differences: [ReplayDifference] = []

    /// Why a frame has no match.
    public enum Reason: Sendable, Equatable {
        /// The frame differs from the next recorded frame or, on a triggered socket, from all recorded frames.
        case different
        /// The client has already sent all recorded frames.
        case noneLeft
        /// The frame would start more than ``ReplayLimits/runs`` runs.
        case tooMany
    }

    public var message: String { Messages.message(self) }

    fileprivate var json: JSONValue {
        [
            "time": .string(time.nanosecondText), "socket": .number(JSONNumber(Int(socket.number))),
            "target": .string(target), "frame": .string(excerpt), "message": .string(message),
            "differences": .array(differences.map(\.json)),
        ]
    }
}

extension Player {
    /// The result so far.
    ///
    /// Frames that the client has not sent so far count as never sent.
    public var report: ReplayReport {
        var report = tally
        report.recorded = isServed.count
        report.neverAskedCount = isServed.count - tally.served
        let neverAsked = isServed.indices.lazy.filter { !isServed[$0] }
        report.neverAsked = neverAsked.prefix(ReplayLimits.misses).map(plan.reference)
        report.framesNeverSent += sockets.values.reduce(0) { $0 + $1.missingCount }
        report.bindings = following.bindings.actual.count
        report.bindingsRefused = following.bindings.refusedCount
        return report
    }

    /// Describes and records a request that has no response.
    mutating func miss(
        _ reason: ReplayMiss.Reason, _ request: ReplayRequest, _ shapes: RequestShapes, at date: Timestamp
    ) -> ReplayMiss {
        var miss = ReplayMiss(
            time: date, method: request.method.cut(toBytes: 60), target: Excerpts.target(request.target),
            reason: reason)
        if let (entry, differences) = nearest(to: shapes, reason) {
            miss.nearest = plan.reference(to: entry)
            miss.differences = differences
        }
        tally.unexpectedCount += 1
        if tally.unexpected.count < ReplayLimits.misses { tally.unexpected.append(miss) }
        return miss
    }

    /// How many of a route's recorded requests are compared completely.
    private static let comparedEntries = 16
    private static let comparedRoutes = 1_000

    private func nearest(
        to shapes: RequestShapes, _ reason: ReplayMiss.Reason
    ) -> (entry: Int, differences: [ReplayDifference])? {
        var candidates = reason == .notItsTurn ? Array(turn.prefix(Self.comparedEntries)) : sameRoute(shapes)
        if candidates.isEmpty, reason != .notItsTurn { candidates = nearestRoute(shapes).map { [$0] } ?? [] }
        // Take the first request with the fewest differences.
        return candidates.map { ($0, differences(shapes, from: $0)) }.min { $0.1.count < $1.1.count }
    }

    private func differences(_ shapes: RequestShapes, from entry: Int) -> [ReplayDifference] {
        var differences = Differences(following: following, origins: (plan.origins, shapes.origins))
        let planned = plan.entries[entry]
        if !planned.method.isExactly(shapes.method) {
            differences.note("method", Messages.method(planned.method), Messages.method(shapes.method))
        }
        differences.compare(planned.url, shapes.url)
        let request = plan.session.entries[entry].request
        if request.body?.isCut == true { return differences.list }
        let body = request.body?.bytes ?? []
        if let form = shapes.form, let recorded = FormBody(body, of: request.fields) {
            differences.compare(recorded, form, at: "body") { $0.compare(body: $1, $2, named: $3) }
        } else {
            differences.compare(body: body, shapes.body, named: "body")
        }
        return differences.list
    }

    /// The recorded requests with the same route, unserved ones first.
    private func sameRoute(_ shapes: RequestShapes) -> [Int] {
        guard let bucket = plan.routes.bucket(of: shapes.route()) else { return [] }
        var (unserved, served): ([Int], [Int]) = ([], [])
        for variant in plan.routes.buckets[bucket].prefix(ReplayLimits.candidates) {
            for entry in plan.routes.variants[variant].entries.prefix(ReplayLimits.candidates) {
                if isServed[entry] { served.append(entry) } else { unserved.append(entry) }
                if unserved.count == Self.comparedEntries { return unserved }
            }
        }
        return Array((unserved + served).prefix(Self.comparedEntries))
    }

    /// The first entry with the most similar route, or nil if no path segment is equal or similar.
    private func nearestRoute(_ shapes: RequestShapes) -> Int? {
        guard shapes.url.segments.count <= 50 else { return nil }
        let common: Set = ["api", "v1", "v2", ""]
        var best: (entry: Int, cost: Int)?
        for bucket in plan.routes.buckets.prefix(Self.comparedRoutes) {
            let entry = plan.routes.variants[bucket[0]].entries[0]
            let segments = plan.entries[entry].url.segments
            var cost = plan.entries[entry].method.isExactly(shapes.method) ? 0 : 1
            var hasCommonWord = false
            for (left, right) in zip(segments, shapes.url.segments) {
                if left.isExactly(right) {
                    hasCommonWord = hasCommonWord || !common.contains(left)
                } else if NearestWord.find(left, among: [right]) != nil {
                    hasCommonWord = true
                    cost += 1
                } else {
                    cost += ValueScanner.isValue(left) && ValueScanner.isValue(right) ? 1 : 3
                }
            }
            cost += 2 * abs(segments.count - shapes.url.segments.count)
            if hasCommonWord, best.map({ cost < $0.cost }) ?? true { best = (entry, cost) }
        }
        return best?.entry
    }

    /// Records a client's frame that matches no recorded frame.
    mutating func note(
        frame bytes: [UInt8], isText: Bool, on socket: ReplaySocket, _ reason: ReplayFrameMiss.Reason,
        at date: Timestamp
    ) {
        tally.frameMissCount += 1
        guard tally.frameMisses.count < ReplayLimits.misses, let play = sockets[socket] else { return }
        var miss = ReplayFrameMiss(
            time: date, socket: socket, target: plan.reference(to: play.entry).target,
            excerpt: Excerpts.of(bytes) ?? "\"\"", reason: reason)
        if reason == .different, play.nextMessage < play.script.messages.count {
            let due = play.script.messages[play.nextMessage]
            var differences = Differences(following: following, origins: (plan.origins, origins(play.origin)))
            if due.isText == isText {
                differences.compare(body: due.payload, bytes, named: isText ? "text" : "binary")
            } else {
                differences.note("type", due.isText ? "text" : "binary", isText ? "text" : "binary")
            }
            miss.differences = differences.list
        } else if reason == .different, settings.frames != .triggered {
            miss.reason = .noneLeft
        }
        tally.frameMisses.append(miss)
    }
}

/// Collects the first few differences between a request or frame and its recorded counterpart.
struct Differences: JSONComparison {
    let following: Following
    let origins: (first: Origins, second: Origins)
    private(set) var list: [ReplayDifference] = []

    var isFull: Bool { list.count >= ReplayLimits.differences }

    mutating func note(_ place: String, _ expected: String?, _ actual: String?) {
        if !isFull { list.append(ReplayDifference(place: place, expected: expected, actual: actual)) }
    }

    /// Whether two strings are equal, apart from values that may differ.
    func isSame(_ expected: String, _ actual: String) -> Bool {
        let (recorded, sent) = (ExactString(expected), ExactString(actual))
        if recorded == sent { return true }
        let vocabulary = following.vocabulary
        if let number = vocabulary.number(of: recorded), following.bindings.actual[number] == sent { return true }
        var (left, right) = (Shape(origins: origins.first), Shape(origins: origins.second))
        left.add(text: expected)
        right.add(text: actual)
        guard left.key == right.key else { return false }
        let numbers = left.values.compactMap { vocabulary.number(of: $0.text) }
        return numbers.count == left.values.count && following.fits(right.values, numbers)
    }

    // MARK: Requests

    mutating func compare(_ expected: RequestURL, _ actual: RequestURL) {
        if !isSamePath(expected, actual) { note("path", Excerpts.quoted(expected.path), Excerpts.quoted(actual.path)) }
        for (name, values, others) in differingItems(expected, actual) {
            func excerpt(_ values: [String]) -> String? {
                guard !values.isEmpty else { return nil }
                let isSecret = SecretName.isSecret(name)
                return Excerpts.quoted(values.map { isSecret ? Excerpts.secret($0) : $0 }.joined(separator: ", "))
            }
            note("query.\(name.cut(toBytes: 60))", excerpt(values), excerpt(others))
        }
    }

    mutating func compare(body expected: [UInt8], _ actual: [UInt8], named name: String) {
        guard !isFull, expected != actual else { return }
        if expected.isEmpty || actual.isEmpty { return note(name, Excerpts.of(expected), Excerpts.of(actual)) }
        guard max(expected.count, actual.count) <= ReplayLimits.comparedBody else {
            return note(name, Words.counted(expected.count, "byte"), Words.counted(actual.count, "byte"))
        }
        if let left = JSONValue.container(expected), let right = JSONValue.container(actual) {
            compare(left, right, at: name)
        } else if String(validating: expected, as: UTF8.self) == nil
            || !isSame(String(decoding: expected, as: UTF8.self), String(decoding: actual, as: UTF8.self))
        {
            note(name, Excerpts.of(expected), Excerpts.of(actual))
        }
    }

    func step(to name: String) -> String { ".\(name.cut(toBytes: 60))" }

    /// A value for a message, shortened if its member's name marks it as a secret.
    func excerpt(_ value: JSONValue, under name: String) -> String {
        guard SecretName.isSecret(name), let text = value.string else { return value.excerpt() }
        return Excerpts.secret(text).quoted()
    }
}

/// Truncated texts for messages.
enum Excerpts {
    static func quoted(_ text: String) -> String { text.cut(toBytes: 300).quoted(limit: 100) }

    /// An excerpt of a body or message; nil if it is empty, and a byte count if it is not text.
    static func of(_ bytes: [UInt8]) -> String? {
        guard !bytes.isEmpty else { return nil }
        if bytes.count <= ReplayLimits.comparedBody, let value = JSONValue.container(bytes) {
            return value.excerpt(limit: 100)
        }
        let start = bytes[..<UTF8Sequence.boundary(in: bytes, at: 400)]
        return String(validating: start, as: UTF8.self).map(quoted) ?? Words.counted(bytes.count, "byte")
    }

    /// A path and query with shortened secrets, within a byte limit.
    ///
    /// Secrets are shortened because messages end up in logs.
    static func target(_ target: String, _ limit: Int = 500) -> String {
        guard let question = target.utf8.firstIndex(of: .questionMark) else { return target.cut(toBytes: limit) }
        var output = Array(target.utf8[..<question])
        var separator = UInt8.questionMark
        var query = Substring(target.utf8[question...].dropFirst())
        query.withUTF8 { query in
            PercentCoding.forEachItem(in: query) { name, value in
                output.append(separator)
                separator = .ampersand
                output += name
                guard let value else { return }
                let isSecret = SecretName.isSecret(PercentCoding.string(name, plusIsSpace: true))
                output.append(.equals)
                output += isSecret ? Array(secret(String(decoding: value, as: UTF8.self)).utf8) : Array(value)
            }
        }
        return String(decoding: output, as: UTF8.self).cut(toBytes: limit)
    }

    /// The first characters of a secret, enough to tell it from other secrets.
    ///
    /// A placeholder in a recording is not shortened, because it reveals nothing.
    static func secret(_ text: String) -> String { text.cut(toBytes: text.hasPrefix("redacted-") ? 60 : 4) }
}
