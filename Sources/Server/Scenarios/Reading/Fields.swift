import JSON
import Text

struct Fields {
    let cursor: Cursor
    private let kind: ObjectKind
    private let keys: [String]
    private var values: [ExactString: Cursor] = [:]
    private var keyPositions: [ExactString: Position] = [:]

    /// Reads a mapping; reports unknown and repeated keys.
    init?(_ cursor: Cursor, as kind: ObjectKind) {
        guard case .mapping(let members) = cursor.node.content else {
            cursor.refuse(expected: Messages.mapping(kind))
            return nil
        }
        self.cursor = cursor
        self.kind = kind
        keys = kind.keys
        for member in members {
            let path = Path.key(member.key, of: cursor.path)
            let position = member.keyPosition ?? member.value.position
            if !keys.contains(member.key) {
                cursor.diagnosis.note(
                    "is not a key of \(kind.description).\(NearestWord.hint(Messages.nearest(member.key, kind.keys))) "
                        + "Known keys: \(kind.keys.joined(separator: ", ")).", path: path, position: position)
            } else if values[ExactString(member.key)] != nil {
                cursor.diagnosis.note(Messages.repeatedKey, path: path, position: position)
            } else {
                values[ExactString(member.key)] = Cursor(node: member.value, path: path, diagnosis: cursor.diagnosis)
                keyPositions[ExactString(member.key)] = position
            }
        }
    }

    /// The value of a key; nil if it is omitted or null.
    subscript(key: String) -> Cursor? {
        guard let value = including(key), value.node.content != .null else { return nil }
        return value
    }

    /// The value of a key, even if it is null; nil if the key is omitted.
    func including(_ key: String) -> Cursor? {
        assert(keys.contains(key), "the vocabulary of \(kind) lacks \(key)")
        return values[ExactString(key)]
    }

    /// The readable elements of a list; empty if it is omitted or null.
    func list<Element>(_ key: String, limit: Int, of what: String, _ read: (Cursor) -> Element?) -> [Element] {
        self[key]?.elements(limit: limit, of: what)?.compactMap(read) ?? []
    }

    func required(_ key: String, _ expected: String) -> Cursor? {
        if let value = self[key] { return value }
        cursor.diagnosis.note(
            "is missing: \(expected).", path: .key(key, of: cursor.path), position: cursor.node.position)
        return nil
    }

    func refuse(_ key: String, _ predicate: @autoclosure () -> String) {
        cursor.diagnosis.note(predicate(), path: .key(key, of: cursor.path), position: keyPositions[ExactString(key)])
    }

    func present(of keys: [String]) -> [String] { keys.filter { self[$0] != nil } }

    /// Whichever one of several keys is present; reports an error if a required key is missing or two keys are present.
    func one(of keys: [String], isRequired: Bool) -> String? {
        let present = present(of: keys)
        guard let first = present.first else {
            if isRequired { cursor.refuse("needs one of these keys: \(keys.joined(separator: ", ")).") }
            return nil
        }
        for other in present.dropFirst() { refuse(other, Messages.contradicts(first)) }
        return first
    }

    func refuse(_ keys: [String], unless condition: Bool, _ predicate: String) {
        guard !condition else { return }
        for key in present(of: keys) { refuse(key, predicate) }
    }
}

/// The mappings in a scenario file: the reader accepts them, and scenario.schema.json describes them and their keys.
enum ObjectKind: String, CaseIterable {
    case scenario, clock, token, accounts, consultations, user, profile, preferences, goal, consultation, message
    case mealLog = "meal_log"
    case item, food, documents, share
    case refreshToken = "refresh_token"
    case template
    case answer
    case answerCondition = "answer_condition"
    case timing, jitter, chunk, step
    case meal
    case mealCondition = "meal_condition"
    case replay
    case fault, selection, quota, dribble, truncate, reset, close, cut, end, hold, point
    case network, outages, stub, upstream, exception, overlay, change

    /// The keys in the schema's order.
    var keys: [String] { Self.keys[self] ?? [] }

    private static let keys: [ObjectKind: [String]] = {
        guard let schema = try? JSON.parse(Scenario.schema) else { preconditionFailure("The schema must be JSON.") }
        let kinds = allCases.map { kind in
            let object = kind == .scenario ? schema : schema["$defs"]?[kind.rawValue]
            return (kind, object?["properties"]?.object?.keys ?? [])
        }
        return Dictionary(uniqueKeysWithValues: kinds)
    }()

    /// The kind in messages: "a goal".
    var description: String {
        switch self {
        case .mealLog: "a meal log"
        case .refreshToken: "a refresh token"
        case .accounts: "rules for accounts"
        case .consultations: "rules for consultations"
        case .preferences: "preferences"
        case .item: "a food"
        case .documents: "a user's documents"
        case .share: "a share of a workout template"
        case .answer: "an answer"
        case .upstream: "an upstream"
        case .exception: "an exception"
        case .answerCondition, .mealCondition: "a condition"
        case .truncate: "a truncation"
        case .end: "an end"
        case .outages: "outages"
        case .overlay: "an overlay"
        case .point: "a point in a connection"
        default: "a \(rawValue)"
        }
    }
}
