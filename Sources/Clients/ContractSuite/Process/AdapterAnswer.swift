import FitIQAPI
import JSON

/// What an adapter answers, read from its line: an error says what is wrong with it.
enum AdapterAnswer {
    /// How deep and large an answer may be.
    static let limits = JSON.Limits(depth: 16, bytes: AdapterLimits.lineBytes, values: 100_000)

    /// What stands for a point in time: RFC 3339, to the nanosecond.
    static let time = "a time such as 2025-01-29T10:30:01.500000000Z"

    /// Whose clock the client follows.
    static func clock(_ line: [UInt8]) throws(AnswerError) -> ClientClock {
        let answer = try members(line, allowed: ["clock"])
        return try answer.choice("clock", ClientClock.self)
    }

    /// That it was done.
    static func done(_ line: [UInt8]) throws(AnswerError) {
        _ = try members(line, allowed: [])
    }

    /// What the client's user sees.
    static func report(_ line: [UInt8]) throws(AnswerError) -> ClientReport {
        let answer = try members(line, allowed: ["report"])
        return try ClientReport(answer.object("report", allowed: ClientReport.adapterMembers))
    }

    /// When the client's next timer is due; nil where none is set.
    static func next(_ line: [UInt8]) throws(AnswerError) -> Timestamp? {
        let answer = try members(line, allowed: ["next"])
        guard let text = try answer.optionalText("next") else { return nil }
        guard let next = Timestamp(text) else {
            throw answer.wrong("next", expected: time)
        }
        return next
    }

    /// The members of an answer that says `"ok":true`.
    private static func members(_ line: [UInt8], allowed: [String]) throws(AnswerError) -> AnswerMembers {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSON.parse(line, limits: limits)
        } catch {
            throw .notJSON(error.message, column: error.column)
        }
        guard case .object(let object) = value else { throw .notAnObject(value.typeName) }
        let answer = AnswerMembers(object: object, path: "")
        if object["unsupported"] == .bool(true) { throw .unsupported }
        switch object["ok"] {
        case .bool(true): break
        case .bool(false): throw .refused(object["error"]?.string ?? "")
        default: throw answer.wrong("ok", expected: "true or false")
        }
        try answer.allow(["ok", "unsupported", "error"] + allowed)
        return answer
    }
}

/// Why an answer cannot be taken.
enum AnswerError: Error, Sendable, Hashable {
    /// The adapter does not do such a thing.
    case unsupported
    /// It says that it could not do it.
    case refused(String)
    /// The line is not JSON.
    case notJSON(String, column: Int)
    /// It is JSON, but not an object.
    case notAnObject(String)
    /// A member is missing or is something else.
    case wrong(path: String, found: String, expected: String)
    /// A member that nobody knows, and what it was probably meant to be.
    case unknown(path: String, nearest: String?)
}
