import JSON
import Text

/// Collects the differences between two JSON values by path.
package protocol JSONComparison {
    /// Whether no more differences can be added.
    var isFull: Bool { get }

    /// The origins of each side, which may differ.
    var origins: (first: Origins, second: Origins) { get }

    func isSame(_ first: String, _ second: String) -> Bool

    func excerpt(_ value: JSONValue, under name: String) -> String

    /// The path step to a member, such as `.name`.
    func step(to name: String) -> String

    mutating func note(_ path: String, _ first: String?, _ second: String?)
}

extension JSONValue {
    /// The value of a body or message, or nil if it is not a JSON object or array.
    package static func container(_ bytes: [UInt8]) -> JSONValue? {
        guard let first = bytes.first(where: { $0 > 0x20 }), first == .leftBrace || first == .leftBracket else {
            return nil
        }
        return try? JSON.parse(bytes)
    }
}

extension JSONComparison {
    /// Compares two forms field by field; repeated names are compared in order.
    package mutating func compare(
        _ first: FormBody, _ second: FormBody, at path: String,
        contents: (inout Self, _ first: [UInt8], _ second: [UInt8], _ path: String) -> Void
    ) {
        for (name, index, field, other) in FormBody.pairs(first, second) where !isFull {
            let path = path + step(to: name) + (index.map { "[\($0)]" } ?? "")
            guard let field, let other else {
                note(path, field.map { excerpt($0) }, other.map { excerpt($0) })
                continue
            }
            if !field.kind.isExactly(other.kind) { note(path + step(to: "type"), field.kind, other.kind) }
            if !SecretName.isSecret(name) { contents(&self, field.content, other.content, path) }
        }
    }

    private func excerpt(_ field: FormBody.Field) -> String {
        guard let text = String(validating: field.content, as: UTF8.self) else {
            return Words.counted(field.content.count, "byte")
        }
        return excerpt(.string(text), under: field.name)
    }

    package func isSamePath(_ first: RequestURL, _ second: RequestURL) -> Bool {
        first.segments.count == second.segments.count && zip(first.segments, second.segments).allSatisfy(isSame)
    }

    /// The names of query items with different values, regardless of their order.
    package func differingItems(
        _ first: RequestURL, _ second: RequestURL
    ) -> [(name: String, first: [String], second: [String])] {
        typealias Item = (form: ExactString, name: String, value: String)
        func items(_ url: RequestURL, _ origins: Origins) -> [ExactString: [Item]] {
            let items = url.items.map { Item(VolatileText.normalised($0.value, origins: origins), $0.name, $0.value) }
            return Dictionary(grouping: items.sorted { $0.form < $1.form }) {
                VolatileText.normalised($0.name, origins: origins)
            }
        }
        let (left, right) = (items(first, origins.first), items(second, origins.second))
        return Set(left.keys).union(right.keys).sorted().compactMap { form in
            let (items, others) = (left[form] ?? [], right[form] ?? [])
            let name = (items.first ?? others[0]).name
            let isSecret = SecretName.isSecret(name)
            let isEqual = isSecret || zip(items, others).allSatisfy { isSame($0.value, $1.value) }
            return isEqual && items.count == others.count ? nil : (name, items.map(\.value), others.map(\.value))
        }
    }

    /// Compares two values.
    ///
    /// The parser limits the depth of both.
    ///
    /// Times and secrets, identified by members' names, never differ. 1 and 1.0 are equal.
    package mutating func compare(_ first: JSONValue, _ second: JSONValue, at path: String, under name: String = "") {
        guard !isFull else { return }
        let isEqual: Bool
        switch (first, second) {
        case (.object(let left), .object(let right)):
            // Everything below a secret's name is secret.
            let secret = SecretName.isSecret(name) ? name : nil
            // Names that are IDs are paired in the order in which they occur.
            var others = Dictionary(grouping: right.map(\.key).filter { left[$0] == nil }) {
                VolatileText.normalised($0, origins: origins.second)
            }.mapValues { $0[...] }
            for (key, value) in left {
                let form = VolatileText.normalised(key, origins: origins.first)
                if let other = right[key] ?? others[form]?.popFirst().flatMap({ right[$0] }) {
                    compare(value, other, at: path + step(to: key), under: secret ?? key)
                } else {
                    note(path + step(to: key), excerpt(value, under: secret ?? key), nil)
                }
            }
            for key in right.map(\.key) where left[key] == nil {
                let form = VolatileText.normalised(key, origins: origins.second)
                guard let rest = others[form]?.popFirst(), let value = right[rest] else { continue }
                note(path + step(to: rest), nil, excerpt(value, under: secret ?? rest))
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

struct ValueComparison: JSONComparison {
    private(set) var changes: [SessionChange] = []
    /// The number of changes that can still be listed, and the number omitted.
    private var room = Int.max
    private var unlisted = 0
    let origins: (first: Origins, second: Origins)

    init(_ first: [RequestURL], _ second: [RequestURL]) {
        let recorded = Origins(first)
        origins = (recorded, recorded.adding(second))
    }

    /// Always false, because additional changes are still counted.
    var isFull: Bool { false }

    mutating func note(_ path: String, _ first: String?, _ second: String?) {
        guard room > 0 else {
            unlisted += 1
            return
        }
        room -= 1
        changes.append(SessionChange(path: path, first: first, second: second))
    }

    /// Compares bodies as JSON, text or bytes, depending on what both are.
    mutating func compare(_ first: RecordedBody?, _ second: RecordedBody?, at path: String) {
        guard first != second else { return }
        let (left, right) = (first ?? RecordedBody(), second ?? RecordedBody())
        // A missing body counts as equal to an empty body. What a truncated body contained is unknown.
        guard left.bytes != right.bytes, !left.isCut, !right.isCut else { return }
        if let value = JSONValue.container(left.bytes), let other = JSONValue.container(right.bytes) {
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

    /// Compares the bodies of requests; forms are compared field by field.
    mutating func compare(_ first: SessionRequest, _ second: SessionRequest) {
        let path = "request.body"
        guard let left = first.body, let right = second.body, !left.isCut, !right.isCut,
            let form = FormBody(left.bytes, of: first.fields), let other = FormBody(right.bytes, of: second.fields)
        else { return compare(first.body, second.body, at: path) }
        compare(form, other, at: path) { $0.compare(RecordedBody($1), RecordedBody($2), at: $3) }
    }

    /// Compares queries by names and values, in any order.
    mutating func compareQueries(_ first: RequestURL, _ second: RequestURL) {
        for (name, left, right) in differingItems(first, second) {
            for index in 0..<max(left.count, right.count) {
                let (value, other) = (left.dropFirst(index).first, right.dropFirst(index).first)
                if let value, let other, isSame(value, other) { continue }
                note(query: name, value, other)
            }
        }
    }

    private mutating func note(query name: String, _ first: String?, _ second: String?) {
        note("query." + TerminalText.excerpt(name.utf8, width: 60), first.map(quoted), second.map(quoted))
    }

    /// Whether the strings are equal except for volatile values; the second string may contain its own origins or the
    /// first string's origins.
    func isSame(_ first: String, _ second: String) -> Bool {
        if first.isExactly(second) { return true }
        let form = VolatileText.normalised(first, origins: origins.first)
        return form == VolatileText.normalised(second, origins: origins.second)
            || form == VolatileText.normalised(second, origins: origins.first)
    }

    /// `.name`, or `["odd name"]`.
    func step(to name: String) -> String {
        let isPlain = (1...60).contains(name.utf8.count) && name.utf8.allSatisfy { $0.isVisible && $0 != .dot }
        return isPlain ? "." + name : "[" + quoted(name) + "]"
    }

    func quoted(_ text: String) -> String { excerpt(.string(text), under: "") }

    func excerpt(_ value: JSONValue, under name: String) -> String { TerminalText.escaped(value.excerpt()) }

    static func excerpt(_ body: RecordedBody) -> String {
        guard String(validating: body.bytes, as: UTF8.self) != nil else { return Messages.binary(body.byteCount) }
        return TerminalText.excerpt(body.bytes, width: 60)
    }
}
