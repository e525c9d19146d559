import FitIQAPI
import JSON
import Scenarios
import Text

/// What JSON values at one place look like: their kinds, and the members that objects always have.
///
/// Free texts and numbers are of no account: only what a client has to be able to read.
struct ValueShape: Sendable {
    private var kinds: Set<ValueKind> = []
    /// The texts, if they are words of a vocabulary.
    private var words: Set<ExactString> = []
    private var objectCount = 0
    private var members: [ExactString: Member] = [:]
    /// The shape of all elements of arrays; empty if there were none.
    private var elements: [ValueShape] = []

    private struct Member: Sendable {
        var shape = ValueShape()
        /// How many objects have it.
        var count = 0
    }

    /// A value that differs: where it is, what the learnt values are, and what it is.
    struct Deviation: Hashable, Comparable, Sendable {
        var path: String
        var known: String
        var found: String

        static func < (one: Deviation, other: Deviation) -> Bool {
            (one.path, one.known, one.found) < (other.path, other.known, other.found)
        }
    }

    /// The members whose values are words that a client branches on.
    private static let vocabulary = ["type", "status", "role", "code", "persona"]

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

    /// How a value differs from all that were learnt, in the order of its members.
    func deviations(of value: JSONValue, at path: String = "", under name: String = "") -> [Deviation] {
        let kind = ValueKind(value)
        // What the fake leaves null in all it says may be anything.
        guard kinds != [ValueKind(.null)] else { return [] }
        guard kinds.contains(where: kind.isAlike) else {
            return [Deviation(path: path, known: described, found: kind.words)]
        }
        switch value {
        case .string(let text):
            let isVocabulary = Self.vocabulary.contains { name == $0 || name.hasSuffix("_" + $0) }
            guard isVocabulary, !words.contains(ExactString(text)) else { return [] }
            let known = words.sorted().map { ConformMessages.quoted($0.text) }
            return [Deviation(path: path, known: Words.list(known, last: "or"), found: ConformMessages.quoted(text))]
        case .object(let object): return deviations(of: object, at: path)
        case .array(let values):
            guard let shape = elements.first else { return [] }
            // An array that the fake leaves empty says nothing about elements.
            guard !shape.kinds.isEmpty else { return [] }
            return values.flatMap { shape.deviations(of: $0, at: path + "[]", under: name) }
        default: return []
        }
    }

    private func deviations(of object: JSONObject, at path: String) -> [Deviation] {
        let prefix = path.isEmpty ? "" : path + "."
        var found: [Deviation] = []
        for (name, value) in object {
            if let member = members[ExactString(name)] {
                found += member.shape.deviations(of: value, at: prefix + name, under: name)
            } else {
                found.append(
                    Deviation(path: prefix + name, known: ConformMessages.noMember, found: ValueKind(value).words))
            }
        }
        for name in members.keys.sorted() where object[name.text] == nil {
            guard let member = members[name], member.count == objectCount else { continue }
            found.append(
                Deviation(path: prefix + name.text, known: member.shape.described, found: ConformMessages.noMember))
        }
        return found
    }

    private var described: String { Words.list(kinds.map(\.words).sorted(), last: "or") }
}
