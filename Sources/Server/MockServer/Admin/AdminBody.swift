import Digests
import FitIQAPI
import FitIQBackend
import JSON
import Scenarios

/// The JSON body of an admin request; an absent body counts as an empty object.
///
/// Unlike an API body, an admin body must not have unknown keys, because they are probably typos.
struct AdminBody {
    private let fields: BodyReader?
    private let byteCount: Int
    /// The number of bytes that a world stores: the whole body if it contains a scenario, or 0 if it contains only a
    /// scenario's name.
    var scenarioBytes: Int { self["scenario"]?.object == nil ? 0 : byteCount }

    /// The limits for most bodies; bodies that contain scenarios or frames may have more values.
    static let limits = BodyReader.limits

    /// Reads a body.
    ///
    /// - Parameter keys: The permitted keys; nil permits any key.
    /// - Throws: A 400 for a body that is not a JSON object or has other keys.
    init(_ body: [UInt8], keys: [String]?, limits: JSON.Limits = limits) throws(APIError) {
        byteCount = body.count
        fields = body.isEmpty ? nil : try BodyReader(body, limits: limits)
        if let keys { try check(keys: keys) }
    }

    /// Refuses any other key with 400.
    func check(keys: [String]) throws(APIError) {
        for member in object where !keys.contains(member.key) {
            throw .unknownAdminKey(member.key, allowed: keys)
        }
    }

    /// Parses JSON that need not be an object.
    static func parse(_ body: [UInt8], limits: JSON.Limits) throws(APIError) -> JSONValue {
        do { return try JSON.parse(body, limits: limits) } catch { throw .invalidJSON(error) }
    }

    var object: JSONObject { fields?.object ?? [:] }

    /// The value of a key; nil if it is absent or null.
    subscript(_ key: String) -> JSONValue? { fields?[key] }

    /// A nested object with its own keys; empty if the key is absent.
    func part(_ key: String, keys: [String]) throws(APIError) -> AdminBody {
        guard let value = self[key] else { return try AdminBody([], keys: keys) }
        guard value.object != nil else { throw .wrongType(key, expected: "an object", got: value) }
        return try AdminBody(value.encoded(), keys: keys)
    }

    /// The value that `read` returns, or nil if the key is absent; throws 400 if `read` returns nil.
    func value<Value>(
        _ key: String, expected: @autoclosure () -> String, _ read: (JSONValue) -> Value?
    ) throws(APIError) -> Value? {
        try fields?.value(key, expected: expected(), read)
    }

    /// A string, or nil if the key is absent.
    func text(_ key: String, expected: String) throws(APIError) -> String? {
        try value(key, expected: expected, \.string)
    }

    /// A Boolean, or nil if the key is absent.
    func flag(_ key: String) throws(APIError) -> Bool? { try value(key, expected: "true or false", \.bool) }

    /// A duration in nanoseconds, or nil if the key is absent.
    func duration(_ key: String) throws(APIError) -> Int64? {
        try value(key, expected: "a duration of at most 366 days such as \"26s\", \"1.5m\" or \"250ms\"") {
            $0.string.flatMap { ScenarioLimits.duration($0) }
        }
    }

    /// A whole number in a range, or nil if the key is absent.
    func number(_ key: String, in range: ClosedRange<Int>) throws(APIError) -> Int? {
        try value(key, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)") { value in
            value.int.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// One of the allowed names; if the key is absent, returns the default name, or throws 400 if there is no default.
    func choice(_ key: String, of allowed: [String], usually usual: String? = nil) throws(APIError) -> String {
        let expected = "one of " + allowed.map { "\"\($0)\"" }.joined(separator: ", ")
        let name = try (text(key, expected: expected) ?? usual).required(key, expected: expected)
        guard allowed.contains(name) else { throw .unknownChoice(key, got: name, allowed: allowed) }
        return name
    }

    /// A string whose length in bytes is in the range, or nil if the key is absent.
    func text(_ key: String, bytes: ClosedRange<Int>) throws(APIError) -> String? {
        let text = try text(key, expected: "a string of \(bytes.lowerBound) to \(bytes.upperBound) bytes")
        guard let text, !bytes.contains(text.utf8.count) else { return text }
        throw text.isEmpty
            ? .wrongLength(key, allowed: bytes, got: 0)
            : .tooManyBytes(key, limit: bytes.upperBound, got: text.utf8.count)
    }

    /// The content of a frame or a body.
    struct Payload {
        let bytes: [UInt8]
        /// The key of the content: `text`, `json` or `base64`.
        let key: String

        var isText: Bool { key != "base64" }
        /// The media type of an answer; nil means JSON.
        var contentType: String? {
            key == "json" ? nil : isText ? "text/plain; charset=utf-8" : "application/octet-stream"
        }
    }

    /// The keys of ``payload()``.
    static let payloadKeys = ["text", "json", "base64"]

    /// The bytes under one of the ``payloadKeys``; nil if all of these keys are absent.
    ///
    /// - Throws: A 400 if the body has several of the keys or exceeds the limit.
    func payload(limit: Int) throws(APIError) -> Payload? {
        let keys = Self.payloadKeys.filter { self[$0] != nil }
        guard let key = keys.first else { return nil }
        guard keys.count == 1 else { throw .severalPayloads(keys) }
        let bytes = try value(key, expected: key == "text" ? "a string" : "bytes in base64 (RFC 4648, section 4)") {
            switch key {
            case "json": $0.encoded()
            case "text": $0.string.map { Array($0.utf8) }
            default: $0.string.flatMap { Base64.decode($0) }
            }
        }
        guard let bytes else { return nil }
        guard bytes.count <= limit else { throw .tooManyBytes(key, limit: limit, got: bytes.count) }
        return Payload(bytes: bytes, key: key)
    }

    /// A built-in scenario by name, or a scenario as an object with the members of a scenario file; nil if the key is
    /// absent.
    func scenario() throws(APIError) -> Scenario? {
        guard let value = self["scenario"] else { return nil }
        return try Scenario(requested: value)
    }

    /// A real server that answers in the world, like `upstream:` in a scenario file; nil if the key is absent.
    func upstream() throws(APIError) -> Upstream? {
        guard let value = self["upstream"] else { return nil }
        return try Scenario(json: .object(["name": "upstream", "upstream": value])).upstream
    }

    /// A world's label, or nil if the key is absent.
    func label() throws(APIError) -> String? { try text("label", bytes: 1...ServerLimits.labelBytes) }

    /// A seed, or nil if the key is absent; the seed may be a string, because some JSON libraries lose 64-bit
    /// precision.
    func seed() throws(APIError) -> UInt64? {
        try value("seed", expected: "a whole number from 0 to 18446744073709551615") { value in
            value.string.flatMap(UInt64.init) ?? value.number.flatMap { UInt64($0.text) }
        }
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
        guard let object = value.object, object.count == 1, let time = object["manual"] else {
            let expected = "\"real\", \"manual\" or {\"manual\": \"2025-01-29T10:30:00Z\"}"
            throw .wrongType("clock", expected: expected, got: value)
        }
        guard let start = time.string.flatMap({ DateTime($0)?.timestamp }) else {
            let expected = "a time such as \"2025-01-29T10:30:00Z\", from 1970 to 2199"
            throw .dateTimeExpected("clock.manual", expected: expected, got: time)
        }
        return .manual(start: start)
    }
}

extension Scenario {
    /// A built-in scenario by name, or a scenario from a request.
    init(requested value: JSONValue) throws(APIError) {
        guard let name = value.string else {
            self = try Scenario(json: value)
            return
        }
        guard let scenario = Scenario.builtIn(named: name) else { throw .invalid(Scenario.unknownBuiltIn(name)) }
        self = scenario
    }

    /// Reads a scenario from a request; throws a 400 that lists all its mistakes.
    init(json value: JSONValue) throws(APIError) {
        do throws(ScenarioErrors) { self = try Scenario.read(json: value) } catch { throw .invalid(error.description) }
    }
}
