import FitIQAPI
import JSON
import MockServer
import Scenarios
import Text

/// The shape of the JSON values in one place: their kinds, and the members that are always present.
///
/// Only data that a client must interpret counts; free text and numbers do not.
struct ValueShape: Sendable {
    private var kinds: Set<ValueKind> = []
    /// The strings, if they belong to a vocabulary.
    private var words: Set<ExactString> = []
    private var objectCount = 0
    private var members: [ExactString: Member] = [:]
    /// The combined shape of all array elements, or empty if there were none.
    private var elements: [ValueShape] = []
    /// Whether objects may have arbitrary members.
    private var isOpen = false

    private struct Member: Sendable {
        var shape = ValueShape()
        /// The number of objects that have the member.
        var count = 0
    }

    /// A value that differs: its path, the expected value and the actual value.
    struct Deviation: Hashable, Comparable, Sendable {
        var path: String
        let known: String
        let found: String
        /// The path to the value in the body.
        var member: [Overlay.Step] = []
        /// The actual value, or nil if the value is missing.
        var value: JSONValue?
        var aspect = Aspect.value

        enum Aspect { case value, word, kind, mediaType, body }

        // Many values can have the same deviation.
        static func == (one: Deviation, other: Deviation) -> Bool {
            (one.path, one.known, one.found) == (other.path, other.known, other.found)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(path)
            hasher.combine(known)
            hasher.combine(found)
        }

        static func < (one: Deviation, other: Deviation) -> Bool {
            (one.path, one.known, one.found) < (other.path, other.known, other.found)
        }
    }

    /// The members whose values are words that clients branch on.
    private static let vocabulary = ["type", "status", "role", "code", "persona"]

    /// A shape that every value has.
    static var anything: ValueShape {
        var shape = ValueShape()
        shape.kinds = [ValueKind(.null)]
        return shape
    }
    var isAnything: Bool { kinds == [ValueKind(.null)] }

    static func isWord(_ name: String) -> Bool { vocabulary.contains { name == $0 || name.hasSuffix("_" + $0) } }

    mutating func learn(_ value: JSONValue) {
        kinds.insert(ValueKind(value))
        switch value {
        case .string(let text): words.insert(ExactString(text))
        case .object(let object):
            objectCount += 1
            for (name, value) in object {
                members[ExactString(name), default: Member()].count += 1
                members[ExactString(name)]?.shape.learn(value)
            }
        case .array(let values):
            if elements.isEmpty { elements = [ValueShape()] }
            for value in values { elements[0].learn(value) }
        default: break
        }
    }

    /// How a value differs from all known values, in member order.
    func deviations(of value: JSONValue, at member: [Overlay.Step] = [], under name: String = "") -> [Deviation] {
        let kind = ValueKind(value)
        // The fake always sends null here, so any value is allowed.
        guard !isAnything else { return [] }
        guard kinds.contains(where: kind.isAlike) else {
            return [Deviation(path: member.path, known: described, found: kind.words, member: member, value: value)]
        }
        switch value {
        case .string(let text):
            // A description may allow any words.
            guard Self.isWord(name), !words.isEmpty, !words.contains(ExactString(text)),
                !words.contains(ExactString(ValueKind.anyText))
            else { return [] }
            let known = words.sorted().map { ConformMessages.quoted($0.text) }
            return [
                Deviation(
                    path: member.path, known: Words.list(known, last: "or"), found: ConformMessages.quoted(text),
                    member: member, value: value, aspect: .word)
            ]
        case .object(let object): return deviations(of: object, at: member)
        case .array(let values):
            guard let shape = elements.first else { return [] }
            // The fake always sends an empty array here, so the elements are unknown.
            guard !shape.kinds.isEmpty else { return [] }
            return values.flatMap { shape.deviations(of: $0, at: member + [.elements], under: name) }
        default: return []
        }
    }

    private func deviations(of object: JSONObject, at member: [Overlay.Step]) -> [Deviation] {
        var found: [Deviation] = []
        for (name, value) in object {
            let place = member + [.name(name)]
            if let known = members[ExactString(name)] {
                found += known.shape.deviations(of: value, at: place, under: name)
            } else if !isOpen {
                found.append(
                    Deviation(
                        path: place.path, known: ConformMessages.noMember, found: ValueKind(value).words, member: place,
                        value: value))
            }
        }
        for name in members.keys.sorted() where object[name.text] == nil {
            guard let known = members[name], known.count == objectCount else { continue }
            let place = member + [.name(name.text)]
            found.append(
                Deviation(
                    path: place.path, known: known.shape.described, found: ConformMessages.noMember, member: place))
        }
        return found
    }

    private var described: String { Words.list(kinds.map(\.words).sorted(), last: "or") }
}

// MARK: Descriptions

extension ValueShape {
    /// The shape of a schema's values; an empty schema permits any value.
    init(schema: JSONValue, in api: DescribedAPI) {
        let object = api.resolved(schema)
        for choice in (object["anyOf"]?.array ?? []) + (object["oneOf"]?.array ?? []) {
            add(ValueShape(schema: choice, in: api))
        }
        for value in object["enum"]?.array ?? object["const"].map({ [$0] }) ?? [] { learn(value) }
        for type in words.isEmpty ? object["type"]?.array ?? object["type"].map({ [$0] }) ?? [] : [] {
            kinds.insert(ValueKind(Self.sample(of: type, object)))
        }
        let names = object["properties"]?.object ?? [:]
        if !names.isEmpty || kinds.contains(ValueKind([:])), objectCount == 0 {
            kinds.insert(ValueKind([:]))
            objectCount = 1
            let required = object["required"]?.array ?? []
            for (name, schema) in names {
                members[ExactString(name)] = Member(
                    shape: ValueShape(schema: schema, in: api), count: required.contains(.string(name)) ? 1 : 0)
            }
            isOpen = names.isEmpty || ![nil, false].contains(object["additionalProperties"])
        }
        if let items = object["items"] { elements = [ValueShape(schema: items, in: api)] }
        if kinds.isEmpty { self = .anything }
    }

    private static func sample(of type: JSONValue, _ schema: JSONObject) -> JSONValue {
        switch type.string {
        case "boolean": return true
        case "number", "integer": return 1
        case "object": return [:]
        case "array": return []
        case "string":
            let isID = schema["format"] == "uuid" || schema["pattern"]?.string?.hasPrefix("^[0-9a-f]{8}-") == true
            if isID { return "00000000-0000-4000-8000-000000000000" }
            return ["date-time": "2025-01-29T10:30:00Z", "date": "2025-01-29"][schema["format"]?.string ?? ""] ?? "text"
        default: return .null
        }
    }

    /// Adds the values from another shape.
    private mutating func add(_ other: ValueShape) {
        kinds.formUnion(other.kinds)
        words.formUnion(other.words)
        objectCount += other.objectCount
        isOpen = isOpen || other.isOpen
        for (name, member) in other.members {
            members[name, default: Member()].count += member.count
            members[name]?.shape.add(member.shape)
        }
        addElements(of: other) { $0.add($1) }
    }

    private mutating func addElements(of other: ValueShape, _ join: (inout ValueShape, ValueShape) -> Void) {
        guard let theirs = other.elements.first else { return }
        if elements.first?.kinds.isEmpty ?? true { elements = [theirs] } else { join(&elements[0], theirs) }
    }

    /// Adds new members, words and kinds from a description; members that are always present stay required.
    mutating func widen(by described: ValueShape) {
        let hasText = kinds.contains(where: \.isText)
        kinds = described.isAnything ? described.kinds : kinds.union(described.kinds.filter { !hasText || !$0.isText })
        // A description that does not list words allows any text.
        let isFree = described.words.isEmpty && described.kinds.contains(where: \.isText)
        words = isFree ? [] : words.union(described.words)
        isOpen = isOpen || described.isOpen
        for (name, member) in described.members {
            if members[name] == nil {
                members[name] = Member(shape: member.shape)
            } else {
                members[name]?.shape.widen(by: member.shape)
            }
        }
        addElements(of: described) { $0.widen(by: $1) }
    }
}

// MARK: Overlays

extension ValueShape {
    /// Permits the values that a change produces, in addition to the unchanged values.
    mutating func permit(_ action: Overlay.Action, at member: ArraySlice<Overlay.Step>) {
        let rest = member.dropFirst()
        switch (member.first, action) {
        case (nil, .value(let value, _)): learn(value)
        case (nil, _): break
        case (.elements?, _):
            if elements.isEmpty { elements = [ValueShape()] }
            elements[0].permit(action, at: rest)
        case (.name(let name)?, .remove) where rest.isEmpty: members[ExactString(name)]?.count = 0
        case (.name(let name)?, .rename(let new)) where rest.isEmpty:
            members[ExactString(name)]?.count = 0
            if members[ExactString(new)] == nil { members[ExactString(new)] = members[ExactString(name)] }
        case (.name(let name)?, _): members[ExactString(name), default: Member()].shape.permit(action, at: rest)
        }
    }

    /// The vocabulary at a path.
    func words(at member: ArraySlice<Overlay.Step>) -> Set<ExactString> {
        switch member.first {
        case nil: words
        case .elements?: elements.first?.words(at: member.dropFirst()) ?? []
        case .name(let name)?: members[ExactString(name)]?.shape.words(at: member.dropFirst()) ?? []
        }
    }
}
