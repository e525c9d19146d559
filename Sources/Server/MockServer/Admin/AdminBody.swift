import Digests
import FitIQAPI
import FitIQBackend
import JSON
import Scenarios

/// The JSON body of an admin request; no body at all counts as an empty object.
///
/// Stricter than the API: an unknown key is refused, since here it is a typing mistake.
struct AdminBody {
    private let fields: BodyReader?
    private let byteCount: Int
    /// How many of its bytes a world has to keep: all if they hold a scenario rather than its name.
    var scenarioBytes: Int { self["scenario"]?.object == nil ? 0 : byteCount }

    /// Reads a body; 400 for anything but a JSON object, or for other keys.
    init(_ body: [UInt8], keys: [String], limits: JSON.Limits = BodyReader.limits) throws(APIError) {
        byteCount = body.count
        fields = body.isEmpty ? nil : try BodyReader(body, limits: limits)
        for member in fields?.object ?? [:] where !keys.contains(member.key) {
            throw .unknownAdminKey(member.key, allowed: keys)
        }
    }

    /// Parses JSON that need not be an object.
    static func parse(_ body: [UInt8], limits: JSON.Limits) throws(APIError) -> JSONValue {
        do { return try JSON.parse(body, limits: limits) } catch { throw .invalidJSON(error) }
    }

    /// The value of a key; nil if it is absent or null.
    subscript(_ key: String) -> JSONValue? { fields?[key] }

    /// An object in it, with keys of its own; empty if the key is absent.
    func part(_ key: String, keys: [String]) throws(APIError) -> AdminBody {
        guard let value = self[key] else { return try AdminBody([], keys: keys) }
        guard value.object != nil else { throw .wrongType(key, expected: "an object", got: value) }
        return try AdminBody(value.encoded(), keys: keys)
    }

    /// A text, or nil if the key is absent.
    func text(_ key: String, expected: String) throws(APIError) -> String? {
        try fields?.string(key, expected: expected)
    }

    /// A Boolean, or nil if the key is absent.
    func flag(_ key: String) throws(APIError) -> Bool? {
        guard let value = self[key] else { return nil }
        guard let flag = value.bool else { throw .wrongType(key, expected: "true or false", got: value) }
        return flag
    }

    /// A span of time in nanoseconds, or nil if the key is absent.
    func duration(_ key: String) throws(APIError) -> Int64? {
        let expected = "a duration of at most 366 days such as \"26s\", \"1.5m\" or \"250ms\""
        guard let text = try text(key, expected: expected) else { return nil }
        guard let nanoseconds = ScenarioLimits.duration(text) else {
            throw .wrongType(key, expected: expected, got: .string(text))
        }
        return nanoseconds
    }

    /// A whole number in a range, or nil if the key is absent.
    func number(_ key: String, in range: ClosedRange<Int>) throws(APIError) -> Int? {
        guard let value = self[key] else { return nil }
        guard let number = value.int, range.contains(number) else {
            let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
            throw .wrongType(key, expected: expected, got: value)
        }
        return number
    }

    /// The keys of ``payload()``.
    static let payloadKeys = ["text", "json", "base64"]

    /// What one of the keys `text`, `json` and `base64` says byte by byte; nil if all are absent, 400 if several are not.
    func payload() throws(APIError) -> (bytes: [UInt8], isText: Bool)? {
        guard Self.payloadKeys.count(where: { self[$0] != nil }) <= 1 else { throw .severalPayloads }
        if let json = self["json"] { return (json.encoded(), true) }
        if let text = try text("text", expected: "a text") { return (Array(text.utf8), true) }
        guard let text = try text("base64", expected: "bytes in base64") else { return nil }
        guard let bytes = Base64.decode(text) else {
            throw .wrongType("base64", expected: "bytes in base64", got: .string(text))
        }
        return (bytes, false)
    }

    /// A scenario: the name of a built-in one, or an object like a scenario file; nil if the key is absent.
    func scenario() throws(APIError) -> Scenario? {
        guard let value = self["scenario"] else { return nil }
        guard let name = value.string else { return try Scenario(json: value) }
        guard let scenario = Scenario.builtIn(named: name) else { throw .invalid(Scenario.unknownBuiltIn(name)) }
        return scenario
    }

    /// A seed, or nil if the key is absent; text is accepted too, since not every reader of JSON keeps 64 bits.
    func seed() throws(APIError) -> UInt64? {
        guard let value = self["seed"] else { return nil }
        guard let seed = value.string.flatMap(UInt64.init) ?? value.number.flatMap({ UInt64($0.text) }) else {
            throw .wrongType("seed", expected: "a whole number from 0 to 18446744073709551615", got: value)
        }
        return seed
    }

    /// A guide, or nil if the key is absent.
    func guide() throws(APIError) -> GuideMode? {
        let allowed = GuideMode.allCases.map(\.rawValue)
        guard let name = try text("guide", expected: "one of " + allowed.joined(separator: ", ")) else { return nil }
        guard let mode = GuideMode(rawValue: name) else { throw .unknownChoice("guide", got: name, allowed: allowed) }
        return mode
    }

    /// A clock, or nil if the key is absent: `real`, `manual`, or `{"manual": "2025-01-29T10:30:00Z"}`.
    func clock() throws(APIError) -> ClockMode? {
        guard let value = self["clock"] else { return nil }
        switch value.string {
        case "real": return .real
        case "manual": return .manual
        case let name?: throw .unknownChoice("clock", got: name, allowed: ["real", "manual"])
        case nil: break
        }
        let expected = "\"real\", \"manual\" or {\"manual\": \"2025-01-29T10:30:00Z\"}"
        guard let object = value.object, object.count == 1, let text = object["manual"]?.string,
            let start = DateTime(text)?.timestamp
        else { throw .wrongType("clock", expected: expected, got: value) }
        return .manual(start: start)
    }
}

extension Scenario {
    /// Reads a scenario that came in a request; 400 with all its mistakes.
    init(json value: JSONValue) throws(APIError) {
        do throws(ScenarioErrors) { self = try Scenario.read(json: value) } catch { throw .invalid(error.description) }
    }
}
