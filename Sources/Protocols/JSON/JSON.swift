import Text

/// A strict parser for JSON text (RFC 8259) that repairs nothing and reports an error's position.
///
/// Two parsers that disagree about the same bytes hide a client's mistake, so this parser rejects the options of RFC
/// 8259 (section 9: "A JSON parser MAY accept non-JSON forms or extensions"): comments, trailing commas, `NaN`, a byte
/// order mark, invalid UTF-8, and escapes of half a surrogate pair.
public enum JSON {
    /// The resources a parser may use for one text.
    ///
    /// RFC 8259, section 9: "An implementation may set limits on the size of texts that it accepts", and
    /// on "the maximum depth of nesting".
    public struct Limits: Sendable, Hashable {
        /// The maximum number of arrays and objects open at the same time.
        public var depth: Int
        /// The maximum number of bytes in a JSON text.
        public var bytes: Int
        /// The maximum number of values in a JSON text, including arrays and objects.
        public var values: Int
        /// The maximum for `depth`: freeing a value recurses once per level.
        public static let deepest = 1_024

        /// Creates limits; `depth` is 1 to `deepest`, the others are at least 1.
        public init(depth: Int = 128, bytes: Int = 16 * 1_024 * 1_024, values: Int = 1_000_000) {
            precondition(
                (1...Limits.deepest).contains(depth), "depth must be from 1 to \(Limits.deepest), not \(depth)")
            precondition(bytes >= 1 && values >= 1, "a limit must be at least 1")
            (self.depth, self.bytes, self.values) = (depth, bytes, values)
        }
    }

    /// Parses one JSON text, in time linear in its length.
    public static func parse(
        _ bytes: UnsafeBufferPointer<UInt8>, limits: Limits = Limits()
    ) throws(JSONError) -> JSONValue {
        var parser = Parser(bytes, limits: limits)
        return try parser.parseText()
    }

    public static func parse(_ bytes: [UInt8], limits: Limits = Limits()) throws(JSONError) -> JSONValue {
        try bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) in try parse(buffer, limits: limits) }
    }

    /// Parses one JSON text; the offset of an error counts from the start of the slice.
    public static func parse(_ bytes: ArraySlice<UInt8>, limits: Limits = Limits()) throws(JSONError) -> JSONValue {
        try bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) in try parse(buffer, limits: limits) }
    }

    public static func parse(_ text: String, limits: Limits = Limits()) throws(JSONError) -> JSONValue {
        try parse(Array(text.utf8), limits: limits)
    }
}

/// The reason and position of a syntax error.
public struct JSONError: Error, Sendable, Equatable {
    /// The line of the error, from 1; a line ends with LF, CR or CRLF.
    public var line: Int
    /// The column of the error in its line, from 1, in Unicode scalars.
    public var column: Int
    /// The offset of the error in bytes, from 0; the length of a truncated text.
    public var offset: Int
    /// What was expected and what was found.
    public var message: String

    public init(line: Int, column: Int, offset: Int, message: String) {
        (self.line, self.column, self.offset, self.message) = (line, column, offset, message)
    }

    /// Creates an error and counts the lines up to it; valid texts never need the count.
    init(_ message: String, at offset: Int, in bytes: UnsafeBufferPointer<UInt8>) {
        let position = TextPosition(of: offset, in: bytes)
        self.init(line: position.line, column: position.column, offset: offset, message: message)
    }
}

extension JSONError: CustomStringConvertible {
    /// The position and the message: "line 1, column 12: expected …".
    public var description: String { "line \(line), column \(column): \(message)" }
}

struct TextPosition {
    var line = 1
    var column = 1

    init(of offset: Int, in bytes: UnsafeBufferPointer<UInt8>) {
        for index in 0..<min(offset, bytes.count) {
            let byte = bytes[index]
            // CRLF ends one line: the CR does not count if an LF follows.
            let isCRLF = byte == .carriageReturn && index + 1 < bytes.count && bytes[index + 1] == .lineFeed
            if byte == .lineFeed || (byte == .carriageReturn && !isCRLF) {
                (line, column) = (line + 1, 1)
            } else if !UTF8Sequence.isTail(byte) {
                column += 1
            }
        }
    }
}
