import FitIQAPI
import JSON
import Text

/// What a client has to know of a value to read it, in words.
package struct ValueKind: Hashable, Sendable {
    package let words: String
    /// Whether it can stand where any text may be.
    package private(set) var isText = false
    private static let text = "a text"
    /// What is made up where words are expected and a text is none: any text may be there.
    package static let anyText = "any text"

    package init(_ value: JSONValue) {
        switch value {
        case .null: words = "null"
        case .bool: words = "true or false"
        case .number: words = "a number"
        case .object: words = "an object"
        case .array: words = "an array"
        case .string(let text): (words, isText) = (Self.words(of: text), true)
        }
    }

    private static func words(of text: String) -> String {
        if isID(text) { return text == text.lowercased() ? "an id in lower case" : "an id in upper case" }
        guard let time = RFC3339.time(text) else { return RFC3339.days(text) != nil ? "a date" : Self.text }
        return time.fractionDigits == 0
            ? "a time in whole seconds"
            : "a time with \(Words.counted(time.fractionDigits, "digit")) of a second's fraction"
    }

    fileprivate static func isID(_ text: String) -> Bool {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return groups.map(\.count) == [8, 4, 4, 4, 12] && groups.allSatisfy { $0.allSatisfy(\.isHexDigit) }
    }

    /// Whether a value of this kind can stand where that one is.
    package func isAlike(_ known: ValueKind) -> Bool { self == known || isText && known.words == Self.text }
}

extension JSONValue {
    /// The value in the kind and form of a sample: a time with as many digits, a number as text, an id in upper case.
    ///
    /// A value that cannot have that form becomes the sample.
    func inForm(of sample: JSONValue) -> JSONValue {
        if ValueKind(self) == ValueKind(sample) { return self }
        switch (self, sample) {
        case (.string(let text), .string(let form)):
            if ValueKind.isID(text), ValueKind.isID(form) {
                return .string(form == form.lowercased() ? text.lowercased() : text.uppercased())
            }
            guard let time = RFC3339.time(text) else { return sample }
            if RFC3339.days(form) != nil { return .string(String(text.prefix(10))) }
            guard let digits = RFC3339.time(form)?.fractionDigits else { return sample }
            let whole = RFC3339.text(secondsSinceEpoch: time.secondsSinceEpoch).dropLast()
            let nanoseconds = String(time.nanoseconds)
            let fraction = String(repeating: "0", count: 9 - nanoseconds.count) + nanoseconds
            let padded = fraction + String(repeating: "0", count: max(0, digits - 9))
            return .string(whole + (digits == 0 ? "" : "." + padded.prefix(digits)) + "Z")
        case (.string(let text), .number(let form)):
            if let number = JSONNumber(text) { return .number(number) }
            guard let time = RFC3339.time(text), let magnitude = form.double else { return sample }
            // Seconds since 1970, or milliseconds.
            return .number(JSONNumber(Int(time.secondsSinceEpoch) * (magnitude >= 100_000_000_000 ? 1000 : 1)))
        case (.number(let number), .string): return .string(number.text)
        case (.bool(let flag), .string): return .string(flag ? "true" : "false")
        default: return sample
        }
    }

    /// A value of the same kind and form that is made up: nothing that somebody wrote, no id, no time and no measure.
    ///
    /// - Parameter isWord: Whether a name's text may be a word, which stays if it looks like one.
    package func madeUp(under name: String = "", isWord: (String) -> Bool) -> JSONValue {
        switch self {
        case .null, .bool: return self
        case .number(let number):
            // The time of the other samples, if it may be one.
            let magnitude = number.double.map { abs($0) } ?? 0
            if (1e9..<1e10).contains(magnitude) { return 1_738_146_600 }
            if (1e12..<1e13).contains(magnitude) { return 1_738_146_600_000 }
            return number.int == nil ? 1.5 : 1
        case .array(let elements): return .array(elements.prefix(1).map { $0.madeUp(under: name, isWord: isWord) })
        case .object(let object):
            return .object(JSONObject(object.map { ($0.key, $0.value.madeUp(under: $0.key, isWord: isWord)) }))
        case .string(let text):
            if isWord(name) { return text.looksLikeWord ? self : .string(ValueKind.anyText) }
            if ValueKind.isID(text) {
                let id = "00000000-0000-4000-8000-00000000000a"
                return .string(text == text.lowercased() ? id : id.uppercased())
            }
            if RFC3339.days(text) != nil { return "2025-01-29" }
            return RFC3339.time(text) == nil
                ? "text" : JSONValue.string("2025-01-29T10:30:00Z").inForm(of: self)
        }
    }
}

extension String {
    /// Whether it is such as `not_started`, and not such as a code that somebody got: short, and without digits.
    fileprivate var looksLikeWord: Bool {
        utf8.count <= 40 && utf8.allSatisfy { $0.isLetter || $0 == UInt8(ascii: "_") }
    }
}
