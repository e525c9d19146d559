import JSON
import Text

/// Collects the differences between two values, by path.
struct ValueComparison {
    private(set) var changes: [SessionChange] = []
    /// How many more changes can be listed, and how many were not.
    private var room = Int.max
    private var unlisted = 0
    private let origins: (first: Substring, second: Substring)

    init(_ first: Substring, _ second: Substring) { origins = (first, second) }

    mutating func note(_ path: String, _ first: String?, _ second: String?) {
        guard room > 0 else {
            unlisted += 1
            return
        }
        room -= 1
        changes.append(SessionChange(path, first, second))
    }

    /// Compares bodies: as JSON if both are, otherwise as text, otherwise as bytes.
    mutating func compare(_ first: SessionBody?, _ second: SessionBody?, at path: String) {
        guard first != second else { return }
        let (left, right) = (first ?? SessionBody(), second ?? SessionBody())
        // No body equals an empty one, and a truncated body is unknown.
        guard left.bytes != right.bytes, !left.isCut, !right.isCut else { return }
        if let value = try? JSON.parse(left.bytes), let other = try? JSON.parse(right.bytes) {
            room = SessionComparison.changeLimit
            compare(value, other, at: path, name: "")
            room = .max
            if unlisted > 0 { note(path, Messages.moreChanges(unlisted), Messages.moreChanges(unlisted)) }
            unlisted = 0
            return
        }
        if let text = String(validating: left.bytes, as: UTF8.self),
            let other = String(validating: right.bytes, as: UTF8.self), isSame(text, other)
        {
            return
        }
        note(path, left.bytes.isEmpty ? nil : Self.excerpt(left), right.bytes.isEmpty ? nil : Self.excerpt(right))
    }

    private mutating func compare(_ first: JSONValue, _ second: JSONValue, at path: String, name: String) {
        switch (first, second) {
        case (.object(let left), .object(let right)):
            for member in left {
                let path = path + Self.step(member.key)
                if let other = right[member.key] {
                    compare(member.value, other, at: path, name: member.key)
                } else {
                    note(path, Self.excerpt(member.value), nil)
                }
            }
            for member in right where left[member.key] == nil {
                note(path + Self.step(member.key), nil, Self.excerpt(member.value))
            }
        case (.array(let left), .array(let right)):
            for index in 0..<min(left.count, right.count) {
                compare(left[index], right[index], at: "\(path)[\(index)]", name: name)
            }
            if left.count != right.count {
                note(path, Words.counted(left.count, "element"), Words.counted(right.count, "element"))
            }
        case (.number(let left), .number(let right)):
            // 1 and 1.0 are the same value, written differently.
            if left != right, left.double == nil || left.double != right.double,
                !(ValueScanner.isTime(left, under: name) && ValueScanner.isTime(right, under: name))
            {
                note(path, Self.excerpt(first), Self.excerpt(second))
            }
        case (.string(let left), .string(let right)):
            if !SecretName.isSecret(name), !isSame(left, right) {
                note(path, Self.excerpt(first), Self.excerpt(second))
            }
        default:
            if first != second { note(path, Self.excerpt(first), Self.excerpt(second)) }
        }
    }

    /// Compares queries by names and values, in any order.
    mutating func compareQueries(_ first: Substring?, _ second: Substring?) {
        guard first.map(ExactString.init(_:)) != second.map(ExactString.init(_:)) else { return }
        let (left, right) = (Self.items(of: first), Self.items(of: second))
        var rest = Dictionary(grouping: right) { ExactString($0.name) }.mapValues { $0[...] }
        for item in left {
            guard let other = rest[ExactString(item.name)]?.popFirst() else {
                note("query." + TerminalText.excerpt(item.name.utf8, width: 60), Self.quoted(item.value), nil)
                continue
            }
            if !SecretName.isSecret(item.name), !isSame(item.value, other.value) {
                note(
                    "query." + TerminalText.excerpt(item.name.utf8, width: 60), Self.quoted(item.value),
                    Self.quoted(other.value))
            }
        }
        for item in right where rest[ExactString(item.name)]?.popFirst() != nil {
            note("query." + TerminalText.excerpt(item.name.utf8, width: 60), nil, Self.quoted(item.value))
        }
    }

    private static func items(of query: Substring?) -> [(name: String, value: String)] {
        (query ?? "").utf8.split(separator: UInt8(ascii: "&")).map { item in
            let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                .map { String(Substring($0)) }
            return (parts[0], parts.count > 1 ? parts[1] : "")
        }
    }

    private func isSame(_ first: String, _ second: String) -> Bool {
        first.isExactly(second)
            || VolatileText.normalised(first, origin: origins.first)
                .isExactly(VolatileText.normalised(second, origin: origins.second))
    }

    /// `.name`, or `["odd name"]`.
    private static func step(_ name: String) -> String {
        let isPlain =
            !name.isEmpty && name.utf8.count <= 60
            && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ".") }
        return isPlain ? "." + name : "[" + quoted(name) + "]"
    }

    private static func quoted(_ text: String) -> String { excerpt(.string(text)) }

    static func excerpt(_ value: JSONValue) -> String { TerminalText.escaped(value.excerpt()) }

    static func excerpt(_ body: SessionBody) -> String {
        guard String(validating: body.bytes, as: UTF8.self) != nil else { return Messages.binary(body.byteCount) }
        return TerminalText.excerpt(body.bytes, width: 60)
    }
}
