import JSON
import Text

final class Fields {
    let cursor: Cursor
    private let kind: ObjectKind
    private let keys: [String]
    private let members: [ExactString: (value: Cursor, keyPosition: Position?)]

    /// Reads a mapping; reports unknown and repeated keys.
    init?(_ cursor: Cursor, as kind: ObjectKind) {
        guard case .mapping(let members) = cursor.node.content else {
            cursor.refuse(expected: Messages.mapping(kind))
            return nil
        }
        self.cursor = cursor
        self.kind = kind
        keys = kind.keys
        var known: [ExactString: (value: Cursor, keyPosition: Position?)] = [:]
        for member in members {
            let path = Path.key(member.key, of: cursor.path)
            let position = member.keyPosition ?? member.value.position
            if !keys.contains(member.key) {
                cursor.diagnosis.note(
                    "is not a key of \(kind.description).\(NearestWord.hint(Messages.nearest(member.key, kind.keys))) "
                        + "Known keys: \(kind.keys.joined(separator: ", ")).", path: path, position: position)
            } else if known[ExactString(member.key)] != nil {
                cursor.diagnosis.note(Messages.repeatedKey, path: path, position: position)
            } else {
                let value = Cursor(node: member.value, path: path, diagnosis: cursor.diagnosis)
                known[ExactString(member.key)] = (value, position)
            }
        }
        self.members = known
    }

    /// The value of a key; nil if it is omitted or null.
    subscript(key: String) -> Cursor? {
        guard let value = including(key), value.node.content != .null else { return nil }
        return value
    }

    /// The value of a key, even if it is null; nil if the key is omitted.
    func including(_ key: String) -> Cursor? {
        assert(keys.contains(key), "the vocabulary of \(kind) lacks \(key)")
        return members[ExactString(key)]?.value
    }

    /// The readable elements of a list; empty if it is omitted or null.
    func list<Element>(_ key: String, limit: Int, of what: String, _ read: (Cursor) -> Element?) -> [Element] {
        self[key]?.elements(limit: limit, of: what)?.compactMap(read) ?? []
    }

    func required(_ key: String, _ expected: @autoclosure () -> String) -> Cursor? {
        if let value = self[key] { return value }
        cursor.diagnosis.note(
            "is missing: \(expected()).", path: .key(key, of: cursor.path), position: cursor.node.position)
        return nil
    }

    func refuse(_ key: String, _ predicate: @autoclosure () -> String) {
        let position = members[ExactString(key)]?.keyPosition
        cursor.diagnosis.note(predicate(), path: .key(key, of: cursor.path), position: position)
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
    var keys: [String] { Self.all[self]?.keys ?? [] }
    /// The kind in messages: "a goal".
    var description: String { Self.all[self]?.title ?? "" }

    private static let all: [ObjectKind: (title: String, keys: [String])] = {
        guard let schema = try? JSON.parse(Scenario.schema) else { preconditionFailure("The schema must be JSON.") }
        let kinds = allCases.map { kind in
            let object = kind == .scenario ? schema : schema["$defs"]?[kind.rawValue]
            let title = kind == .scenario ? nil : object?["title"]?.string
            return (kind, (title ?? "a \(kind.rawValue)", object?["properties"]?.object?.keys ?? []))
        }
        return Dictionary(uniqueKeysWithValues: kinds)
    }()
}
