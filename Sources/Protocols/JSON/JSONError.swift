/// Why a text is not JSON, and where.
public struct JSONError: Error, Sendable, Equatable {
    /// The line of the error, from 1; a line ends with LF, CR or CRLF.
    public var line: Int
    /// The column of the error in its line, from 1, counted in Unicode scalars.
    public var column: Int
    /// The offset of the error in bytes, from 0; the length of the text when it ended too early.
    public var offset: Int
    /// What was expected and what was found there.
    public var message: String

    /// Creates an error.
    public init(line: Int, column: Int, offset: Int, message: String) {
        self.line = line
        self.column = column
        self.offset = offset
        self.message = message
    }

    /// Places a message at an offset: lines are counted only now, as most texts have no error.
    init(_ message: String, at offset: Int, in bytes: UnsafeBufferPointer<UInt8>) {
        let position = TextPosition(of: offset, in: bytes)
        self.init(line: position.line, column: position.column, offset: offset, message: message)
    }
}

extension JSONError: CustomStringConvertible {
    /// The position and the message: "line 1, column 12: expected …".
    public var description: String { "line \(line), column \(column): \(message)" }
}

/// A line and a column, as an editor shows them.
struct TextPosition {
    var line = 1
    var column = 1

    init(of offset: Int, in bytes: UnsafeBufferPointer<UInt8>) {
        for index in 0..<min(offset, bytes.count) {
            let byte = bytes[index]
            // CRLF ends one line: the CR does not count when a LF follows.
            let endsLine = byte == .lineFeed || (byte == .carriageReturn && !isLineFeed(index + 1, in: bytes))
            if endsLine {
                line += 1
                column = 1
            } else if byte & 0b1100_0000 != 0b1000_0000 {
                column += 1
            }
        }
    }

    private func isLineFeed(_ index: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        index < bytes.count && bytes[index] == .lineFeed
    }
}
