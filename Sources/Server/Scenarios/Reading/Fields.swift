import JSON

/// The members of a mapping whose keys are known.
struct Fields {
    let cursor: Cursor
    let kind: ObjectKind
    private var values: [ExactString: Cursor] = [:]
    private var keyPositions: [ExactString: Position] = [:]

    /// Takes a mapping apart; notes keys that are unknown or repeated.
    init?(_ cursor: Cursor, as kind: ObjectKind) {
        guard case .mapping(let members) = cursor.node.content else {
            cursor.refuse(expected: Messages.mapping(kind))
            return nil
        }
        self.cursor = cursor
        self.kind = kind
        for member in members {
            let path = Path.key(member.key, of: cursor.path)
            let position = member.keyPosition ?? member.value.position
            guard kind.keys.contains(member.key) else {
                cursor.diagnosis.note(
                    Messages.unknownKey(in: kind, nearest: Messages.nearest(member.key, kind.keys)), path: path,
                    position: position)
                continue
            }
            guard values[ExactString(member.key)] == nil else {
                cursor.diagnosis.note(Messages.repeatedKey, path: path, position: position)
                continue
            }
            values[ExactString(member.key)] = Cursor(node: member.value, path: path, diagnosis: cursor.diagnosis)
            keyPositions[ExactString(member.key)] = position
        }
    }

    /// The value of a key; nil where it is left out, or null.
    subscript(key: String) -> Cursor? {
        guard let value = including(key), value.node.content != .null else { return nil }
        return value
    }

    /// The value of a key, be it null; nil where it is left out.
    func including(_ key: String) -> Cursor? {
        precondition(kind.keys.contains(key), "the vocabulary of \(kind) lacks \(key)")
        return values[ExactString(key)]
    }

    /// The value of a key that must be there.
    func required(_ key: String, _ expected: String) -> Cursor? {
        if let value = self[key] { return value }
        cursor.diagnosis.note(
            Messages.missing(expected), path: .key(key, of: cursor.path), position: cursor.node.position)
        return nil
    }

    /// Notes something about a key that is there.
    func refuse(_ key: String, _ predicate: @autoclosure () -> String) {
        cursor.diagnosis.note(predicate(), path: .key(key, of: cursor.path), position: keyPositions[ExactString(key)])
    }

    /// Those of some keys that are there, in this order.
    func present(of keys: [String]) -> [String] { keys.filter { self[$0] != nil } }

    /// Which one of several keys is there; notes where it is none and one is due, or where there is another too.
    func one(of keys: [String], isRequired: Bool) -> String? {
        let present = present(of: keys)
        guard let first = present.first else {
            if isRequired { cursor.refuse(Messages.noneOf(keys)) }
            return nil
        }
        for other in present.dropFirst() { refuse(other, Messages.contradicts(first)) }
        return first
    }

    /// Notes the keys that mean nothing beside what is there.
    func refuse(_ keys: [String], unless condition: Bool, _ predicate: String) {
        guard !condition else { return }
        for key in present(of: keys) { refuse(key, predicate) }
    }
}
