import JSON
import Text
import Traffic

/// Collects the first few differences between a request or frame and a recorded one.
struct Differences: JSONComparison {
    let following: Following
    private(set) var list: [ReplayDifference] = []

    var isFull: Bool { list.count >= ReplayLimits.differences }

    mutating func note(_ place: String, _ expected: String?, _ actual: String?) {
        if !isFull { list.append(ReplayDifference(place: place, expected: expected, actual: actual)) }
    }

    /// Whether two texts are equal except for values that may differ.
    func isSame(_ expected: String, _ actual: String) -> Bool {
        let (recorded, sent) = (ExactString(expected), ExactString(actual))
        if recorded == sent { return true }
        let vocabulary = following.vocabulary
        if let number = vocabulary.number(of: recorded), following.bindings.actual[number] == sent { return true }
        var (left, right) = (Shape(), Shape())
        left.add(text: expected)
        right.add(text: actual)
        guard left.key == right.key else { return false }
        let numbers = left.values.compactMap { vocabulary.number(of: $0.text) }
        return numbers.count == left.values.count && following.fits(right.values, numbers)
    }

    // MARK: Requests

    mutating func compare(_ expected: RequestURL, _ actual: RequestURL) {
        let isSamePath =
            expected.segments.count == actual.segments.count
            && zip(expected.segments, actual.segments).allSatisfy { isSame($0, $1) }
        if !isSamePath { note("path", Excerpts.quoted(expected.path), Excerpts.quoted(actual.path)) }
        let left = Dictionary(grouping: expected.items) { ExactString($0.name) }
        let right = Dictionary(grouping: actual.items) { ExactString($0.name) }
        for name in Set(left.keys).union(right.keys).sorted() {
            let values = (left[name] ?? []).map(\.value).sorted { $0.isExactlyBefore($1) }
            let others = (right[name] ?? []).map(\.value).sorted { $0.isExactlyBefore($1) }
            let isSecret = SecretName.isSecret(name.text)
            if values.count == others.count, isSecret || zip(values, others).allSatisfy({ isSame($0, $1) }) { continue }
            func excerpt(_ values: [String]) -> String? {
                guard !values.isEmpty else { return nil }
                return Excerpts.quoted(values.map { isSecret ? Excerpts.secret($0) : $0 }.joined(separator: ", "))
            }
            note("query.\(name.text.cut(toBytes: 60))", excerpt(values), excerpt(others))
        }
    }

    /// Compares two bodies or two messages.
    mutating func compare(body expected: [UInt8], _ actual: [UInt8], named name: String) {
        guard !isFull, expected != actual else { return }
        if expected.isEmpty || actual.isEmpty { return note(name, Excerpts.of(expected), Excerpts.of(actual)) }
        guard max(expected.count, actual.count) <= ReplayLimits.comparedBody else {
            return note(name, Words.counted(expected.count, "byte"), Words.counted(actual.count, "byte"))
        }
        if let left = Shape.json(expected), let right = Shape.json(actual) {
            compare(left, right, at: name)
        } else if String(validating: expected, as: UTF8.self) == nil
            || !isSame(String(decoding: expected, as: UTF8.self), String(decoding: actual, as: UTF8.self))
        {
            note(name, Excerpts.of(expected), Excerpts.of(actual))
        }
    }

    func step(to name: String) -> String { ".\(name.cut(toBytes: 60))" }

    /// A value, shortened if the name of its member marks it as a secret.
    func excerpt(_ value: JSONValue, under name: String) -> String {
        guard SecretName.isSecret(name), let text = value.string else { return value.excerpt() }
        return Excerpts.secret(text).quoted()
    }
}

/// Truncated texts for messages.
enum Excerpts {
    static func quoted(_ text: String) -> String { text.cut(toBytes: 300).quoted(limit: 100) }

    /// A body or a message: nil if it is empty, a byte count if it is not text.
    static func of(_ bytes: [UInt8]) -> String? {
        guard !bytes.isEmpty else { return nil }
        if bytes.count <= ReplayLimits.comparedBody, let value = Shape.json(bytes) { return value.excerpt(limit: 100) }
        let start = bytes[..<UTF8Sequence.boundary(in: bytes, at: 400)]
        return String(validating: start, as: UTF8.self).map(quoted) ?? Words.counted(bytes.count, "byte")
    }

    /// A path and query within a byte limit, with shortened secrets, because messages end up in logs.
    static func target(_ target: String, _ limit: Int = 500) -> String {
        guard let question = target.utf8.firstIndex(of: .questionMark) else { return target.cut(toBytes: limit) }
        let query = target[question...].utf8.dropFirst()
        let items = query.split(separator: .ampersand, omittingEmptySubsequences: false).map { item in
            guard let equals = item.firstIndex(of: .equals),
                SecretName.isSecret(PercentCoding.string(item[..<equals], plusIsSpace: true))
            else { return String(Substring(item)) }
            return "\(Substring(item[...equals]))\(secret(String(Substring(item[equals...].dropFirst()))))"
        }
        return ("\(target[..<question])?" + items.joined(separator: "&")).cut(toBytes: limit)
    }

    /// The beginning of a secret, enough to distinguish it; a recording's placeholder reveals nothing and is kept.
    static func secret(_ text: String) -> String { text.cut(toBytes: text.hasPrefix("redacted-") ? 60 : 4) }
}
