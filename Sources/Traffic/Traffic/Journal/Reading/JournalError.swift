import JSON

/// An error in a line of a saved journal.
public struct JournalError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The line number, from 1.
    public let line: Int
    /// The column, from 1, in Unicode scalars, or nil for the whole line.
    public let column: Int?
    /// What is wrong, what was expected, and what to do.
    public let message: String
    /// Whether the line is the incomplete last entry of a journal whose writer was stopped.
    ///
    /// At least one complete line precedes it.
    public let isUnfinished: Bool

    init(line: Int, column: Int? = nil, message: String, isUnfinished: Bool = false) {
        self.line = line
        self.column = column
        self.message = message
        self.isUnfinished = isUnfinished
    }

    static func unfinished(line: Int) -> JournalError {
        JournalError(line: line, message: Sentences.unfinishedLine, isUnfinished: true)
    }

    /// Finds the error with `JSON`; lines are usually valid, so nothing is remembered for this case.
    init(line: Int, notJSON bytes: UnsafeBufferPointer<UInt8>) {
        do throws(JSONError) {
            _ = try JSON.parse(bytes)
            self.init(line: line, message: Sentences.tooDeep(limit: LineCursor.depthLimit))
        } catch {
            self.init(line: line, column: error.column, message: Sentences.notJSON(error.message))
        }
    }

    /// The position and the error: `line 12, column 5: …`.
    public var description: String { "line \(line)\(column.map { ", column \($0)" } ?? ""): \(message)" }
}
