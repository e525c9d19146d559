import JSON
import Text
import Traffic

/// Collects the first few differences between a request or frame and a recorded one.
struct Differences: JSONComparison {
    let following: Following
    let origins: (first: Origins, second: Origins)
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
        var (left, right) = (Shape(origins: origins.first), Shape(origins: origins.second))
        left.add(text: expected)
        right.add(text: actual)
        guard left.key == right.key else { return false }
        let numbers = left.values.compactMap { vocabulary.number(of: $0.text) }
        return numbers.count == left.values.count && following.fits(right.values, numbers)
    }

    // MARK: Requests

    mutating func compare(_ expected: RequestURL, _ actual: RequestURL) {
        if !isSamePath(expected, actual) { note("path", Excerpts.quoted(expected.path), Excerpts.quoted(actual.path)) }
        for (name, values, others) in differingItems(expected, actual) {
            func excerpt(_ values: [String]) -> String? {
                guard !values.isEmpty else { return nil }
                let isSecret = SecretName.isSecret(name)
                return Excerpts.quoted(values.map { isSecret ? Excerpts.secret($0) : $0 }.joined(separator: ", "))
            }
            note("query.\(name.cut(toBytes: 60))", excerpt(values), excerpt(others))
        }
    }

    /// Compares two bodies or two messages.
    mutating func compare(body expected: [UInt8], _ actual: [UInt8], named name: String) {
        guard !isFull, expected != actual else { return }
        if expected.isEmpty || actual.isEmpty { return note(name, Excerpts.of(expected), Excerpts.of(actual)) }
        guard max(expected.count, actual.count) <= ReplayLimits.comparedBody else {
            return note(name, Words.counted(expected.count, "byte"), Words.counted(actual.count, "byte"))
        }
        if let left = JSONValue.container(expected), let right = JSONValue.container(actual) {
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
        if bytes.count <= ReplayLimits.comparedBody, let value = JSONValue.container(bytes) {
            return value.excerpt(limit: 100)
        }
        let start = bytes[..<UTF8Sequence.boundary(in: bytes, at: 400)]
        return String(validating: start, as: UTF8.self).map(quoted) ?? Words.counted(bytes.count, "byte")
    }

    /// A path and query within a byte limit, with shortened secrets, because messages end up in logs.
    static func target(_ target: String, _ limit: Int = 500) -> String {
        guard let question = target.utf8.firstIndex(of: .questionMark) else { return target.cut(toBytes: limit) }
        var output = Array(target.utf8[..<question])
        var separator = UInt8.questionMark
        var query = Substring(target.utf8[question...].dropFirst())
        query.withUTF8 { query in
            PercentCoding.forEachItem(in: query) { name, value in
                output.append(separator)
                separator = .ampersand
                output += name
                guard let value else { return }
                let isSecret = SecretName.isSecret(PercentCoding.string(name, plusIsSpace: true))
                output.append(.equals)
                output += isSecret ? Array(secret(String(decoding: value, as: UTF8.self)).utf8) : Array(value)
            }
        }
        return String(decoding: output, as: UTF8.self).cut(toBytes: limit)
    }

    /// The beginning of a secret, enough to distinguish it; a recording's placeholder reveals nothing and is kept.
    static func secret(_ text: String) -> String { text.cut(toBytes: text.hasPrefix("redacted-") ? 60 : 4) }
}
