import JSON
import Text

/// Collects the differences between two JSON values, by path.
package protocol JSONComparison {
    /// Whether nothing more can be noted.
    var isFull: Bool { get }

    func isSame(_ first: String, _ second: String) -> Bool

    func excerpt(_ value: JSONValue, under name: String) -> String

    /// The step of a path to a member: `.name`.
    func step(to name: String) -> String

    mutating func note(_ path: String, _ first: String?, _ second: String?)
}

extension JSONComparison {
    /// Compares two values, whose depth the parser limits.
    ///
    /// Neither times nor secrets differ, by the names of their members; 1 and 1.0 are the same value.
    package mutating func compare(
        _ first: JSONValue, _ second: JSONValue, at path: String, under name: String = ""
    ) {
        guard !isFull else { return }
        let isEqual: Bool
        switch (first, second) {
        case (.object(let left), .object(let right)):
            for (key, value) in left {
                if let other = right[key] {
                    compare(value, other, at: path + step(to: key), under: key)
                } else {
                    note(path + step(to: key), excerpt(value, under: key), nil)
                }
            }
            for (key, value) in right where left[key] == nil {
                note(path + step(to: key), nil, excerpt(value, under: key))
            }
            return
        case (.array(let left), .array(let right)):
            for (index, (value, other)) in zip(left, right).enumerated() {
                compare(value, other, at: "\(path)[\(index)]", under: name)
            }
            guard left.count != right.count else { return }
            return note(path, Words.counted(left.count, "element"), Words.counted(right.count, "element"))
        case (.number(let left), .number(let right)):
            isEqual =
                left.canonicalText == right.canonicalText
                || (ValueScanner.isTime(left, under: name) && ValueScanner.isTime(right, under: name))
        case (.string(let left), .string(let right)): isEqual = SecretName.isSecret(name) || isSame(left, right)
        default: isEqual = first == second
        }
        if !isEqual { note(path, excerpt(first, under: name), excerpt(second, under: name)) }
    }
}

/// Collects the differences between two entries of sessions, by path.
struct ValueComparison: JSONComparison {
    private(set) var changes: [SessionChange] = []
    /// How many more changes can be listed, and how many were not.
    private var room = Int.max
    private var unlisted = 0
    private let origins: (first: Substring, second: Substring)

    init(_ first: Substring, _ second: Substring) { origins = (first, second) }

    /// Changes beyond the room are counted.
    var isFull: Bool { false }

    mutating func note(_ path: String, _ first: String?, _ second: String?) {
        guard room > 0 else {
            unlisted += 1
            return
        }
        room -= 1
        changes.append(SessionChange(path: path, first: first, second: second))
    }

    /// Compares bodies: as JSON if both are, otherwise as text, otherwise as bytes.
    mutating func compare(_ first: SessionBody?, _ second: SessionBody?, at path: String) {
        guard first != second else { return }
        let (left, right) = (first ?? SessionBody(), second ?? SessionBody())
        // No body equals an empty one, and a truncated body is unknown.
        guard left.bytes != right.bytes, !left.isCut, !right.isCut else { return }
        if let value = try? JSON.parse(left.bytes), let other = try? JSON.parse(right.bytes) {
            room = SessionComparison.changeLimit
            compare(value, other, at: path)
            room = .max
            if unlisted > 0 { note(path, Messages.moreChanges(unlisted), Messages.moreChanges(unlisted)) }
            unlisted = 0
            return
        }
        let text = String(validating: left.bytes, as: UTF8.self)
        let other = String(validating: right.bytes, as: UTF8.self)
        if let text, let other, isSame(text, other) { return }
        note(path, left.bytes.isEmpty ? nil : Self.excerpt(left), right.bytes.isEmpty ? nil : Self.excerpt(right))
    }

    /// Compares queries by names and values, in any order.
    mutating func compareQueries(_ first: Substring?, _ second: Substring?) {
        let (left, right) = (Self.items(of: first), Self.items(of: second))
        var rest = Dictionary(grouping: right) { ExactString($0.name) }.mapValues { $0[...] }
        for item in left {
            let other = rest[ExactString(item.name)]?.popFirst()
            if let other, SecretName.isSecret(item.name) || isSame(item.value, other.value) { continue }
            note(query: item.name, item.value, other?.value)
        }
        for item in right where rest[ExactString(item.name)]?.popFirst() != nil {
            note(query: item.name, nil, item.value)
        }
    }

    private mutating func note(query name: String, _ first: String?, _ second: String?) {
        note("query." + TerminalText.excerpt(name.utf8, width: 60), first.map(quoted), second.map(quoted))
    }

    private static func items(of query: Substring?) -> [(name: String, value: String)] {
        (query ?? "").utf8.split(separator: .ampersand).map { item in
            let equals = item.firstIndex(of: .equals) ?? item.endIndex
            return (String(Substring(item[..<equals])), String(Substring(item[equals...].dropFirst())))
        }
    }

    func isSame(_ first: String, _ second: String) -> Bool {
        first.isExactly(second)
            || VolatileText.normalised(first, origin: origins.first)
                .isExactly(VolatileText.normalised(second, origin: origins.second))
    }

    /// `.name`, or `["odd name"]`.
    func step(to name: String) -> String {
        let isPlain = (1...60).contains(name.utf8.count) && name.utf8.allSatisfy { $0.isVisible && $0 != .dot }
        return isPlain ? "." + name : "[" + quoted(name) + "]"
    }

    private func quoted(_ text: String) -> String { excerpt(.string(text), under: "") }

    func excerpt(_ value: JSONValue, under name: String) -> String { TerminalText.escaped(value.excerpt()) }

    static func excerpt(_ body: SessionBody) -> String {
        guard String(validating: body.bytes, as: UTF8.self) != nil else { return Messages.binary(body.byteCount) }
        return TerminalText.excerpt(body.bytes, width: 60)
    }
}
