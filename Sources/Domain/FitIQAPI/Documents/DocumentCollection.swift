import JSON
import Text
import Texts

/// A per-user list of JSON objects that the apps sync in the background.
///
/// A row of `Fixtures/data/collections.json` defines the members and the lists. The raw value is the name of the row
/// and of the list in scenario files.
public enum DocumentCollection: String, CaseIterable, Sendable, Hashable {
    case moodEntries = "mood_entries"
    case journal, insights, progress, sleep, workouts
    case profileMetrics = "profile_metrics"
    case workoutTemplates = "workout_templates"

    private static let rows = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0, CollectionRow.builtIn($0.rawValue)) })

    public var row: CollectionRow {
        guard let row = Self.rows[self] else { preconditionFailure("Every collection must have a row.") }
        return row
    }

    /// The members that the server sets; it ignores them in requests.
    public var reservedMembers: [String] {
        switch self {
        case .workoutTemplates: row.reservedMembers + ["shared_with"]
        // For search results.
        case .journal: row.reservedMembers + ["relevance_score"]
        default: row.reservedMembers
        }
    }
}

/// A row of the collection table.
public final class CollectionRow: Sendable {
    /// An object's name in messages, such as `mood entry`.
    public let item: String
    /// The path below `/api/v1`.
    let path: String
    /// The list's name in a response; nil if `data` is the list.
    let list: String?
    /// The default number of items on a page.
    let pageSize: Int
    /// The member by whose time the list is sorted; nil sorts by creation time.
    let time: String?
    /// Whether times have milliseconds, `2025-01-29T10:30:00.000Z`, as one of the apps requires.
    let hasFractions: Bool
    let members: [MemberRule]
    /// The filters in the order of the table.
    let filters: [FilterRule]

    /// The members that the world sets or computes in every object.
    let reservedMembers: [String]

    /// Reads a row of the embedded table; crashes if the row is missing or malformed; a test rules this out.
    static func builtIn(_ name: String) -> CollectionRow {
        guard let row = CollectionTable.builtIn[name]?.object else {
            preconditionFailure("The table must have a row \(name).")
        }
        return CollectionRow(row)
    }

    private init(_ row: JSONObject) {
        item = row.text("item")
        (path, list) = (row["path"]?.string ?? "", row["list"]?.string)
        (pageSize, time) = (row["limit"]?.int ?? 20, row["time"]?.string)
        hasFractions = row["fractions"] == true
        members = MemberRule.list(row["members"])
        filters = (row["filters"]?.object ?? [:]).map { FilterRule(name: $0.key, $0.value.object ?? [:]) }
        reservedMembers = ["id", "user_id", "created_at", "updated_at"] + members.filter(\.isComputed).map(\.name)
    }

    func member(_ name: String) -> MemberRule? { members.first { $0.name == name } }
}

/// `Fixtures/data/collections.json`, which describes members with the JSON Schema keywords that `MemberRule` supports.
enum CollectionTable {
    static let builtIn: JSONObject = {
        let text = EmbeddedText(path: "Fixtures/data/collections.json")
        let bytes = UnsafeBufferPointer(start: text.start, count: text.count)
        guard let table = (try? JSON.parse(bytes))?.object else {
            preconditionFailure("The table must be a JSON object.")
        }
        return table
    }()
}

extension JSONObject {
    /// A string member of the table.
    func text(_ name: String) -> String {
        guard let text = self[name]?.string else { preconditionFailure("The table lacks \(name): \(self)") }
        return text
    }
}

/// The collection table's rule for one member of an object.
struct MemberRule: Sendable {
    let name: String
    let isRequired: Bool
    /// Whether only scenarios can set the member.
    let isReadOnly: Bool
    /// Whether the world computes the member from other members.
    let isComputed: Bool
    /// The value of a member that the client does not send; nil omits it.
    ///
    /// A time may be `"now"`.
    private let defaultValue: JSONValue?
    private let type: ValueType

    private indirect enum ValueType: Sendable {
        case any, bool, time
        case string(length: ClosedRange<Int>)
        case choice([String])
        case integer(ClosedRange<Int>)
        case number(ClosedRange<Double>)
        case array(of: MemberRule?, count: ClosedRange<Int>)
        case object([MemberRule])
    }

    /// The rules for an object's members in the table.
    static func list(_ members: JSONValue?) -> [MemberRule] {
        (members?.object ?? [:]).map { MemberRule(name: $0.key, $0.value.object ?? [:]) }
    }

    private init(name: String, _ rule: JSONObject) {
        self.name = name
        isRequired = rule["required"] == true
        isReadOnly = rule["readOnly"] == true
        isComputed = rule["computed"] == true
        defaultValue = rule["default"]
        type =
            switch rule["type"]?.string {
            case nil: .any
            case "boolean": .bool
            case "date-time": .time
            case "string":
                if let choices = rule["enum"]?.array {
                    .choice(choices.compactMap(\.string))
                } else {
                    .string(length: (rule["minLength"]?.int ?? 0)...(rule["maxLength"]?.int ?? .max))
                }
            case "integer": .integer((rule["minimum"]?.int ?? .min)...(rule["maximum"]?.int ?? .max))
            case "number":
                .number(
                    (rule["minimum"]?.double ?? -.greatestFiniteMagnitude)...(rule["maximum"]?.double
                        ?? .greatestFiniteMagnitude))
            case "array":
                .array(
                    of: rule["items"]?.object.map { MemberRule(name: "", $0) },
                    count: (rule["minItems"]?.int ?? 0)...(rule["maxItems"]?.int ?? .max))
            case "object": .object(Self.list(rule["members"]))
            case let type?: preconditionFailure("\(name) has an unknown type: \(type)")
            }
    }

    /// The context in which an object is read: a request, a scenario or a saved world.
    struct Reading {
        /// The time for `"now"`.
        var now: Timestamp
        /// The world's start, only for seeded objects.
        ///
        /// Seeded times may be relative to the world's start (`3d ago`), and seeded objects may have members that
        /// requests cannot set.
        var start: Timestamp?
        /// See ``CollectionRow/hasFractions``.
        var hasFractions = false

        func text(_ time: DateTime) -> String { hasFractions ? time.millisecondText : time.wireText }
    }

    /// Reads an object's members in table order, with defaults; unknown members follow unchanged.
    ///
    /// - Throws: A 400 with the member's path, such as `stages[2].start_time`.
    static func read(
        _ object: JSONObject, _ rules: [MemberRule], at path: String = "", _ reading: Reading
    ) throws(APIError) -> JSONObject {
        var members: [JSONObject.Element] = []
        for rule in rules where !rule.isComputed {
            if let value = try rule.read(in: object, at: path, reading) { members.append((rule.name, value)) }
        }
        for member in object where !rules.contains(where: { $0.name.isExactly(member.key) }) { members.append(member) }
        return JSONObject(members)
    }

    private func read(in object: JSONObject, at path: String, _ reading: Reading) throws(APIError) -> JSONValue? {
        let path = path.isEmpty ? name : "\(path).\(name)"
        if let value = object[name], value != .null, !isReadOnly || reading.start != nil {
            return try read(value, at: path, reading)
        }
        if isRequired { throw .missingField(path, expected: expected) }
        return defaultValue == "now" ? .string(reading.text(DateTime(reading.now))) : defaultValue
    }

    private func read(_ value: JSONValue, at path: String, _ reading: Reading) throws(APIError) -> JSONValue {
        switch type {
        case .any: return value
        case .bool: if value.bool != nil { return value }
        case .time:
            guard let time = value.string.flatMap({ self.time($0, reading) }) else {
                throw .dateTimeExpected(path, got: value)
            }
            return .string(reading.text(time))
        case .string(let length):
            if let text = value.string {
                guard length.contains(text.count) else { throw .wrongLength(path, allowed: length, got: text.count) }
                return value
            }
        case .choice(let choices):
            if let text = value.string {
                guard choices.contains(where: text.isExactly) else {
                    throw .unknownChoice(path, got: text, allowed: choices)
                }
                return value
            }
        case .integer(let range):
            if let number = value.int, range.contains(number) { return .number(JSONNumber(number)) }
        case .number(let range): if let number = value.double, range.contains(number) { return value }
        case .array(let rule, let count):
            if let elements = value.array, count.contains(elements.count) {
                guard let rule else { return value }
                var read: [JSONValue] = []
                for (index, element) in elements.enumerated() {
                    read.append(try rule.read(element, at: "\(path)[\(index)]", reading))
                }
                return .array(read)
            }
        case .object(let rules):
            if let object = value.object { return .object(try Self.read(object, rules, at: path, reading)) }
        }
        throw .wrongType(path, expected: expected, got: value)
    }

    private func time(_ text: String, _ reading: Reading) -> DateTime? {
        guard let start = reading.start, text.hasSuffix(" ago"),
            let age = Durations.nanoseconds(String(text.dropLast(4)), atMost: .max)
        else { return DateTime(text) }
        let (time, overflow) = start.nanosecondsSinceEpoch.subtractingReportingOverflow(age)
        return overflow ? nil : DateTime(Timestamp(nanosecondsSinceEpoch: time))
    }

    /// The allowed values; nil if any value is allowed.
    var choices: [String]? { if case .choice(let choices) = type { choices } else { nil } }

    /// Reads a query value; throws 400 if it is not one of the member's choices.
    func choice(_ text: String, of parameter: String) throws(APIError) -> JSONValue {
        if let choices, !choices.contains(where: text.isExactly) {
            throw .unknownChoice(parameter, got: text, allowed: choices)
        }
        return .string(text)
    }

    /// The expected value, for messages.
    private var expected: String {
        switch type {
        case .any: return "any value"
        case .bool: return "true or false"
        case .time: return BodyReader.expectedDateTime
        case .string(let length):
            if length.upperBound == .max { return length.lowerBound == 0 ? "a string" : "a non-empty string" }
            return BodyReader.text(of: length)
        case .choice(let choices): return "one of " + choices.map { quoted($0) }.joined(separator: ", ")
        case .integer(let range): return "a whole number" + Self.words(range, unlimited: (.min, .max))
        case .number(let range):
            return "a number" + Self.words(range, unlimited: (-.greatestFiniteMagnitude, .greatestFiniteMagnitude))
        case .array(let rule, let count):
            let limits = Self.words(count, unlimited: (0, .max))
            let values = rule.map { " whose elements are each \($0.expected)" } ?? ""
            return "a list" + (limits.isEmpty ? "" : " with a length" + limits) + values
        case .object: return "an object"
        }
    }

    /// The range in words: ` from 1 to 10`, ` of at least 0`, or empty.
    private static func words<Bound>(_ range: ClosedRange<Bound>, unlimited: (Bound, Bound)) -> String {
        func text(_ bound: Bound) -> String {
            let text = "\(bound)"
            return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
        }
        switch (range.lowerBound == unlimited.0, range.upperBound == unlimited.1) {
        case (true, true): return ""
        case (false, true): return " of at least \(text(range.lowerBound))"
        case (true, false): return " of at most \(text(range.upperBound))"
        case (false, false): return " from \(text(range.lowerBound)) to \(text(range.upperBound))"
        }
    }
}
