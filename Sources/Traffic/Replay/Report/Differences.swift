import JSON
import Text
import Traffic

/// Collects the first few differences between a request or frame and a recorded one.
struct Differences {
    let following: Following
    let vocabulary: Vocabulary
    private(set) var list: [ReplayDifference] = []

    init(following: Following, vocabulary: Vocabulary) {
        self.following = following
        self.vocabulary = vocabulary
    }

    private var isFull: Bool { list.count >= ReplayLimits.differences }

    mutating func note(_ place: String, _ expected: String?, _ actual: String?) {
        if !isFull { list.append(ReplayDifference(place: place, expected: expected, actual: actual)) }
    }

    /// Whether two texts are equal except for values that may differ.
    func isSame(_ expected: String, _ actual: String) -> Bool {
        let (recorded, sent) = (ExactString(expected), ExactString(actual))
        if recorded == sent { return true }
        if let number = vocabulary.number(of: recorded), following.bindings.actual[number] == sent { return true }
        var (left, right) = (Shape(), Shape())
        left.add(text: expected)
        right.add(text: actual)
        guard left.key == right.key else { return false }
        let numbers = left.values.compactMap { vocabulary.number(of: $0.text) }
        return numbers.count == left.values.count && following.fits(right.values, numbers, in: vocabulary)
    }

    // MARK: Requests

    mutating func compare(_ expected: RequestURL, _ actual: RequestURL) {
        let isSamePath =
            expected.segments.count == actual.segments.count
            && zip(expected.segments, actual.segments).allSatisfy { isSame($0, $1) }
        if !isSamePath { note("path", Excerpts.quoted(expected.path), Excerpts.quoted(actual.path)) }
        var left: [ExactString: [ExactString]] = [:]
        for item in expected.items { left[ExactString(item.name), default: []].append(ExactString(item.value)) }
        var right: [ExactString: [ExactString]] = [:]
        for item in actual.items { right[ExactString(item.name), default: []].append(ExactString(item.value)) }
        for name in Set(left.keys).union(right.keys).sorted() {
            let (values, others) = ((left[name] ?? []).sorted(), (right[name] ?? []).sorted())
            let isSecret = SecretNames.contains(name.text) && values.count == others.count
            if isSecret || (values.count == others.count && zip(values, others).allSatisfy { isSame($0.text, $1.text) })
            {
                continue
            }
            let isTold = !SecretNames.contains(name.text)
            let value = values.map { isTold ? $0.text : Excerpts.secret($0.text) }.joined(separator: ", ")
            let other = others.map { isTold ? $0.text : Excerpts.secret($0.text) }.joined(separator: ", ")
            note(
                "query.\(name.text.cut(toBytes: 60))", values.isEmpty ? nil : Excerpts.quoted(value),
                others.isEmpty ? nil : Excerpts.quoted(other))
        }
    }

    /// Compares two bodies or two messages.
    mutating func compare(body expected: [UInt8], _ actual: [UInt8], named name: String) {
        guard !isFull, expected != actual else { return }
        if expected.isEmpty || actual.isEmpty {
            return note(name, Excerpts.of(expected), Excerpts.of(actual))
        }
        guard max(expected.count, actual.count) <= ReplayLimits.comparedBody else {
            return note(name, Sentences.bytes(expected.count), Sentences.bytes(actual.count))
        }
        if let left = Shape.json(expected), let right = Shape.json(actual) {
            compare(left, right, at: name, under: "")
        } else if String(validating: expected, as: UTF8.self) == nil
            || !isSame(String(decoding: expected, as: UTF8.self), String(decoding: actual, as: UTF8.self))
        {
            note(name, Excerpts.of(expected), Excerpts.of(actual))
        }
    }

    /// Compares two values, whose depth the parser limits.
    private mutating func compare(_ expected: JSONValue, _ actual: JSONValue, at place: String, under name: String) {
        guard !isFull else { return }
        switch (expected, actual) {
        case (.object(let left), .object(let right)):
            for (key, value) in left {
                let inner = "\(place).\(key.cut(toBytes: 60))"
                guard let other = right[key] else {
                    note(inner, Excerpts.of(value, under: key), nil)
                    continue
                }
                compare(value, other, at: inner, under: key)
            }
            for (key, value) in right where left[key] == nil {
                note("\(place).\(key.cut(toBytes: 60))", nil, Excerpts.of(value, under: key))
            }
        case (.array(let left), .array(let right)):
            for (index, (value, other)) in zip(left, right).enumerated() {
                compare(value, other, at: "\(place)[\(index)]", under: name)
            }
            if left.count != right.count {
                note(place, Sentences.elements(left.count), Sentences.elements(right.count))
            }
        case (.string(let left), .string(let right)):
            if !SecretNames.contains(name), !isSame(left, right) { note(place, expected.excerpt(), actual.excerpt()) }
        case (.number(let left), .number(let right)):
            let areTimes = ValueScanner.isTime(left, under: name) && ValueScanner.isTime(right, under: name)
            if !areTimes, Shape.canonical(left) != Shape.canonical(right) {
                note(place, expected.excerpt(), actual.excerpt())
            }
        default:
            if expected != actual { note(place, expected.excerpt(), actual.excerpt()) }
        }
    }
}

/// Truncated texts for messages.
enum Excerpts {
    static func quoted(_ text: String) -> String { text.cut(toBytes: 300).quoted(limit: 100) }

    /// A body or a message: nil if it is empty, a byte count if it is not text.
    static func of(_ bytes: [UInt8]) -> String? {
        guard !bytes.isEmpty else { return nil }
        if bytes.count <= ReplayLimits.comparedBody, let value = Shape.json(bytes) { return value.excerpt(limit: 100) }
        guard let text = String(validating: bytes.prefix(400), as: UTF8.self) ?? lossy(bytes) else {
            return Sentences.bytes(bytes.count)
        }
        return quoted(text)
    }

    /// The beginning of a text that was truncated within a character.
    private static func lossy(_ bytes: [UInt8]) -> String? {
        guard bytes.count > 400 else { return nil }
        return (397...399).lazy.compactMap { String(validating: bytes.prefix($0), as: UTF8.self) }.first
    }

    // MARK: Secrets

    /// A path and query within a byte limit, with shortened secrets, because messages end up in logs.
    static func target(_ target: String, _ limit: Int = 500) -> String {
        guard let question = target.utf8.firstIndex(of: .questionMark) else { return target.cut(toBytes: limit) }
        let query = target[question...].utf8.dropFirst()
        let items = query.split(separator: .ampersand, omittingEmptySubsequences: false).map { item in
            guard let equals = item.firstIndex(of: .equals),
                SecretNames.contains(PercentCoding.string(item[..<equals], plusIsSpace: true))
            else { return String(Substring(item)) }
            return "\(Substring(item[...equals]))\(secret(String(Substring(item[equals...].dropFirst()))))"
        }
        return ("\(target[..<question])?" + items.joined(separator: "&")).cut(toBytes: limit)
    }

    /// A value, shortened if the name of its member marks it as a secret.
    static func of(_ value: JSONValue, under name: String) -> String {
        guard SecretNames.contains(name), let text = value.string else { return value.excerpt() }
        return secret(text).quoted()
    }

    /// The beginning of a secret, enough to distinguish it; a recording's placeholder reveals nothing and is kept.
    static func secret(_ text: String) -> String {
        text.cut(toBytes: text.hasPrefix("redacted-") ? 60 : 4)
    }
}
