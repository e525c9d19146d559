import JSON

/// What is wrong with a line of a saved journal.
public struct JournalError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The number of the line, from 1.
    public let line: Int
    /// The column, from 1, counted in Unicode scalars; nil where the whole line is meant.
    public let column: Int?
    /// What is wrong, what was expected, what to do.
    public let message: String
    /// Whether the line is the beginning of an entry and the last of a journal: the program that wrote it was stopped,
    /// and the lines before it are whole, of which there is at least one.
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

    /// Has `JSON` find what is wrong: lines are good as a rule, so nothing is remembered for the case.
    init(line: Int, notJSON bytes: UnsafeBufferPointer<UInt8>) {
        do throws(JSONError) {
            _ = try JSON.parse(bytes)
            self.init(line: line, message: Sentences.tooDeep(limit: LineCursor.depthLimit))
        } catch {
            self.init(line: line, column: error.column, message: Sentences.notJSON(error.message))
        }
    }

    /// The place and what is wrong: `line 12, column 5: …`.
    public var description: String { "line \(line)\(column.map { ", column \($0)" } ?? ""): \(message)" }
}
