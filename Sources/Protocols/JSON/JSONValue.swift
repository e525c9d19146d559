import Text

/// Any JSON value (RFC 8259, section 3).
///
/// Strings and names are compared by their bytes, objects without regard to member order, and numbers by their text.
public enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    /// Keeps the number's text.
    case number(JSONNumber)
    /// Contains the decoded text.
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    public var isNull: Bool { self == .null }

    // Each accessor returns nil if the value is of a different kind.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    public var object: JSONObject? { if case .object(let value) = self { value } else { nil } }
    public var number: JSONNumber? { if case .number(let value) = self { value } else { nil } }
    /// The exact integer, or nil if this has a fraction or does not fit; `1.0` and `1e2` are integers.
    public var int: Int? { number?.int }
    /// The number as a double, or nil if this is not a number or too large for a double.
    public var double: Double? { number?.double }
    /// The member with the name, or nil if this is not an object or has no such member.
    public subscript(name: String) -> JSONValue? { object?[name] }

    /// The element at the index, or nil if this is not an array or has no such element.
    public subscript(index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.isExactly(right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .number(let value): hasher.combine(value)
        case .string(let value): hasher.combine(ExactString(value))
        case .array(let value): hasher.combine(value)
        case .object(let value): hasher.combine(value)
        }
    }

    /// The value as compact JSON in UTF-8.
    public func encoded() -> [UInt8] {
        var output: [UInt8] = []
        Rendering.append(self, to: &output)
        return output
    }

    /// The value as JSON with one member or element per line, each level indented by `indent` spaces.
    public func encoded(indent: Int) -> [UInt8] {
        var output: [UInt8] = []
        Rendering.appendFormatted(self, indent: indent, to: &output)
        return output
    }

    /// The kind of value, for messages: "a string", "an object", "null".
    public var typeName: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// The value as compact JSON for messages, truncated with "…" to at most `limit` characters (1 or more).
    ///
    /// The time depends on the limit, not on the size of the value.
    public func excerpt(limit: Int = 60) -> String {
        precondition(limit >= 1, "an excerpt must have at least one character")
        // Only clusters of several scalars exceed four bytes per character; they are truncated earlier.
        let budget = 4 * limit
        var output: [UInt8] = []
        Rendering.appendFormatted(self, budget: budget, to: &output)
        let isCut = output.count > budget
        if isCut { output.removeLast(output.count - UTF8Sequence.boundary(in: output, at: budget)) }
        let text = String(decoding: output, as: UTF8.self)
        guard isCut || text.count > limit else { return text }
        // The bytes may have been truncated inside the last cluster, so drop this cluster as well.
        return text.prefix(min(limit, text.count) - 1) + "…"
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(nilLiteral: ()) { self = .null }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int) { self = .number(JSONNumber(value)) }
    /// Creates a number in its shortest form: `2.0` becomes `2`.
    public init(floatLiteral value: Double) { self = .number(JSONNumber(value)) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// Creates an object; the last of several members with the same name wins.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.lazy.map { (key: $0.0, value: $0.1) }))
    }
}

extension Equatable {
    /// Whether this equals another value and all strings inside have the same UTF-8 bytes.
    ///
    /// Use it to detect changes in values that people edit: `==` ignores differences of Unicode normal form. The
    /// comparison uses slow reflection, so do not use it for large values. Do not use it for dictionaries or sets of
    /// strings either, because their order is arbitrary.
    public func isExactly(_ other: Self) -> Bool {
        guard self == other else { return false }
        var (mine, others): ([String], [String]) = ([], [])
        collectTexts(of: self, into: &mine)
        collectTexts(of: other, into: &others)
        return mine.elementsEqual(others) { $0.isExactly($1) }
    }
}

private func collectTexts(of value: Any, into texts: inout [String]) {
    switch value {
    case let text as String: texts.append(text)
    // Byte arrays that are equal are identical.
    case is [UInt8]: break
    default: for child in Mirror(reflecting: value).children { collectTexts(of: child.value, into: &texts) }
    }
}

extension String {
    /// The text as a JSON string for messages, truncated with "…" to at most `limit` characters (1 or more).
    ///
    /// The result is quoted and contains no control characters.
    public func quoted(limit: Int = 60) -> String { JSONValue.string(self).excerpt(limit: limit) }
}

extension JSONValue: CustomStringConvertible {
    public var description: String { String(decoding: encoded(), as: UTF8.self) }
}

enum Rendering {
    static func append(_ value: JSONValue, to output: inout [UInt8]) {
        switch value {
        case .null: output.append("null")
        case .bool(let bool): bool ? output.append("true") : output.append("false")
        case .number(let number): output.append(contentsOf: number.text.utf8)
        case .string(let string): Escape.append(string, to: &output)
        case .array(let elements):
            output.append(.leftBracket)
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(.comma) }
                append(element, to: &output)
            }
            output.append(.rightBracket)
        case .object(let object):
            output.append(.leftBrace)
            for (index, member) in object.members.enumerated() {
                if index > 0 { output.append(.comma) }
                Escape.append(member.key, to: &output)
                output.append(.colon)
                append(member.value, to: &output)
            }
            output.append(.rightBrace)
        }
    }

    /// Appends the value, with one member or element per line if there is an indent; may stop once it exceeds the
    /// budget.
    static func appendFormatted(
        _ value: JSONValue, indent: Int? = nil, level: Int = 0, budget: Int = .max - 1, to output: inout [UInt8]
    ) {
        guard output.count <= budget else { return }
        switch value {
        case .null, .bool: append(value, to: &output)
        case .number(let number): output.append(contentsOf: number.text.utf8.prefix(budget + 1))
        case .string(let string): appendStart(of: string, budget: budget, to: &output)
        case .array(let elements):
            output.append(.leftBracket)
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(.comma) }
                appendLineBreak(indent, level + 1, to: &output)
                appendFormatted(element, indent: indent, level: level + 1, budget: budget, to: &output)
                if output.count > budget { return }
            }
            if !elements.isEmpty { appendLineBreak(indent, level, to: &output) }
            output.append(.rightBracket)
        case .object(let object):
            output.append(.leftBrace)
            for (index, member) in object.members.enumerated() {
                if index > 0 { output.append(.comma) }
                appendLineBreak(indent, level + 1, to: &output)
                appendStart(of: member.key, budget: budget, to: &output)
                indent == nil ? output.append(.colon) : output.append(": ")
                appendFormatted(member.value, indent: indent, level: level + 1, budget: budget, to: &output)
                if output.count > budget { return }
            }
            if !object.isEmpty { appendLineBreak(indent, level, to: &output) }
            output.append(.rightBrace)
        }
    }

    private static func appendLineBreak(_ indent: Int?, _ level: Int, to output: inout [UInt8]) {
        guard let indent else { return }
        output.append(.lineFeed)
        output.append(contentsOf: repeatElement(.space, count: indent * level))
    }

    private static func appendStart(of string: String, budget: Int, to output: inout [UInt8]) {
        var string = string
        string.withUTF8 { Escape.append(UnsafeBufferPointer(rebasing: $0.prefix(budget + 1)), to: &output) }
    }
}
