import Text

extension JSONValue {
    /// The value as compact JSON text in UTF-8.
    public func encoded() -> [UInt8] {
        var output: [UInt8] = []
        Rendering.append(self, to: &output)
        return output
    }

    /// The value as JSON text of one member or element a line, each level indented by so many spaces.
    public func encoded(indent: Int) -> [UInt8] {
        var output: [UInt8] = []
        Rendering.append(self, indent: indent, level: 0, to: &output)
        return output
    }

    /// What kind of value this is, for messages: "a string", "an object", "null".
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

    /// The value as compact JSON text for messages, cut with "…" to at most so many characters (1 or more).
    ///
    /// The time it takes depends on the limit, not on the size of the value.
    public func excerpt(limit: Int = 60) -> String {
        precondition(limit >= 1, "an excerpt has room for one character")
        // More than four bytes for each character are needed only by clusters of several scalars: they are cut sooner.
        let budget = 4 * limit
        var output: [UInt8] = []
        Rendering.append(self, budget: budget, to: &output)
        let isCut = output.count > budget
        if isCut {
            output.removeLast(output.count - UTF8Sequence.boundary(in: output, at: budget))
        }
        let text = String(decoding: output, as: UTF8.self)
        guard isCut || text.count > limit else { return text }
        // The bytes may have been cut inside the last cluster, so it goes as well.
        return text.prefix(min(limit, text.count) - 1) + "…"
    }
}

extension String {
    /// The text as a JSON string for messages, in quotation marks and without control characters, cut with "…" to at most
    /// so many characters (1 or more).
    public func quoted(limit: Int = 60) -> String { JSONValue.string(self).excerpt(limit: limit) }
}

extension JSONValue: CustomStringConvertible {
    /// The value as compact JSON text.
    public var description: String { String(decoding: encoded(), as: UTF8.self) }
}

/// Writing values that are there already.
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

    static func append(_ value: JSONValue, indent: Int, level: Int, to output: inout [UInt8]) {
        switch value {
        case .array(let elements) where !elements.isEmpty:
            output.append(.leftBracket)
            for (index, element) in elements.enumerated() {
                appendLineBreak(indent * (level + 1), after: index > 0, to: &output)
                append(element, indent: indent, level: level + 1, to: &output)
            }
            appendLineBreak(indent * level, after: false, to: &output)
            output.append(.rightBracket)
        case .object(let object) where !object.isEmpty:
            output.append(.leftBrace)
            for (index, member) in object.members.enumerated() {
                appendLineBreak(indent * (level + 1), after: index > 0, to: &output)
                Escape.append(member.key, to: &output)
                output.append(": ")
                append(member.value, indent: indent, level: level + 1, to: &output)
            }
            appendLineBreak(indent * level, after: false, to: &output)
            output.append(.rightBrace)
        default: append(value, to: &output)
        }
    }

    private static func appendLineBreak(_ spaces: Int, after another: Bool, to output: inout [UInt8]) {
        if another { output.append(.comma) }
        output.append(.lineFeed)
        output.append(contentsOf: repeatElement(.space, count: spaces))
    }

    /// Appends until the output is longer than the budget, then stops wherever it is.
    static func append(_ value: JSONValue, budget: Int, to output: inout [UInt8]) {
        guard output.count <= budget else { return }
        switch value {
        case .null, .bool: append(value, to: &output)
        case .number(let number): output.append(contentsOf: number.text.utf8.prefix(budget + 1))
        case .string(let string): appendStart(of: string, budget: budget, to: &output)
        case .array(let elements):
            output.append(.leftBracket)
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(.comma) }
                append(element, budget: budget, to: &output)
                if output.count > budget { return }
            }
            output.append(.rightBracket)
        case .object(let object):
            output.append(.leftBrace)
            for (index, member) in object.members.enumerated() {
                if index > 0 { output.append(.comma) }
                appendStart(of: member.key, budget: budget, to: &output)
                output.append(.colon)
                append(member.value, budget: budget, to: &output)
                if output.count > budget { return }
            }
            output.append(.rightBrace)
        }
    }

    private static func appendStart(of string: String, budget: Int, to output: inout [UInt8]) {
        var string = string
        string.withUTF8 { utf8 in
            Escape.append(UnsafeBufferPointer(rebasing: utf8.prefix(budget + 1)), to: &output)
        }
    }
}
