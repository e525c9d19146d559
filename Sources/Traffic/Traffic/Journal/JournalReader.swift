import JSON

/// An error in a line of a saved journal.
public struct JournalError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The line number, from 1.
    public let line: Int
    /// The column, from 1, in Unicode scalars, or nil for the whole line.
    public var column: Int?
    /// What is wrong, what was expected, and what to do.
    public let message: String
    /// Whether the line is the incomplete last entry of a journal whose writer was stopped.
    ///
    /// At least one complete line precedes it.
    public var isUnfinished = false

    /// The position and the error: `line 12, column 5: …`.
    public var description: String { "line \(line)\(column.map { ", column \($0)" } ?? ""): \(message)" }
}

/// Parses a journal saved as NDJSON by ``JournalEncoder``: bytes go in as they arrive, entries come out.
///
/// Members may be in any order, and numbers in any JSON notation. A newer journal may contain more: unknown members and
/// kinds of entries are skipped, and an unknown operation counts as none. The rest of a line that was truncated in
/// recording is read as truncated. A line may have 4 MiB.
///
/// Its time is linear in the bytes, in whatever pieces they come. Its memory is what was received but not read yet: call
/// ``next()`` until it returns nil before receiving more.
public struct JournalReader {
    /// The maximum bytes of a line.
    public static let lineLimit = 4 << 20
    /// The maximum number of arrays and objects open within a line's own; journals need four, newer ones perhaps more.
    static let depthLimit = 64

    /// An entry and its position.
    public struct Line: Sendable {
        /// The line number, from 1.
        public let number: Int
        /// The name of the entry's world, or nil if the line has none.
        public let world: ExactString?
        public let entry: JournalEntry
    }

    private var buffer: [UInt8] = []
    /// Where the current line begins, and how far it was searched for its end.
    private var start = 0
    private var searched = 0
    private var isFinished = false
    /// Whether the rest of an overlong line is being skipped.
    private var isSkipping = false
    private var lineNumber = 0
    /// Whether any line was an entry; without one, nothing shows that the bytes are a journal.
    private var hasEntry = false

    public init() {}

    /// Receives more bytes of the journal, split anywhere.
    public mutating func receive(_ bytes: ArraySlice<UInt8>) {
        precondition(!isFinished, "nothing comes after the end")
        var bytes = bytes
        if isSkipping {
            guard let end = bytes.firstIndex(of: 0x0A) else { return }
            isSkipping = false
            bytes = bytes[(end + 1)...]
        }
        if start > 0 {
            buffer.removeSubrange(..<start)
            searched -= start
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// Receives more bytes of the journal, split anywhere.
    public mutating func receive(_ bytes: [UInt8]) { receive(bytes[...]) }

    /// Marks the end of input: what is left is a last line without a line end.
    public mutating func finish() { isFinished = true }

    /// Returns the next entry, or nil if more bytes are needed and after the last.
    ///
    /// It throws the error of a line; the next call continues with the line after it.
    public mutating func next() throws(JournalError) -> Line? {
        while let line = try nextLine() {
            lineNumber += 1
            // The reader's own buffer is not touched meanwhile, so this does not copy.
            let bytes = buffer
            let result = bytes.withUnsafeBufferPointer { buffer in
                read(UnsafeBufferPointer(rebasing: buffer[line.range]), isComplete: line.isComplete)
            }
            if let found = try result.get() { return found }
        }
        return nil
    }

    private mutating func read(_ line: UnsafeBufferPointer<UInt8>, isComplete: Bool) -> Result<Line?, JournalError> {
        if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return .success(nil) }
        do throws(EntryProblem) {
            let found = try JournalEntry.read(line)
            hasEntry = true
            guard let (entry, world) = found else { return .success(nil) }
            return .success(Line(number: lineNumber, world: world, entry: entry))
        } catch {
            switch error {
            case .sentence(let sentence): return .failure(JournalError(line: lineNumber, message: sentence))
            // The beginning of an object is never valid JSON.
            case .notJSON where !isComplete && hasEntry && line.first == UInt8(ascii: "{"):
                return .failure(
                    JournalError(line: lineNumber, message: JournalMessages.unfinishedLine, isUnfinished: true))
            case .notJSON(let error):
                let message = JournalMessages.notJSON(error.message)
                return .failure(JournalError(line: lineNumber, column: error.column, message: message))
            }
        }
    }

    /// The bytes of the next line without its line end, or nil if it is incomplete.
    private mutating func nextLine() throws(JournalError) -> (range: Range<Int>, isComplete: Bool)? {
        let lineFeed = buffer.withUnsafeBufferPointer { $0.firstLineFeed(from: searched) }
        guard let end = lineFeed ?? (isFinished ? buffer.count : nil) else {
            searched = buffer.count
            if buffer.count - start > Self.lineLimit {
                lineNumber += 1
                isSkipping = true
                (start, searched) = (0, 0)
                buffer.removeAll()
                throw JournalError(line: lineNumber, message: JournalMessages.longLine(limit: Self.lineLimit))
            }
            return nil
        }
        let range = start..<end
        start = min(end + 1, buffer.count)
        searched = start
        if lineFeed == nil, range.isEmpty { return nil }
        guard range.count <= Self.lineLimit else {
            lineNumber += 1
            throw JournalError(line: lineNumber, message: JournalMessages.longLine(limit: Self.lineLimit))
        }
        return (range, lineFeed != nil)
    }
}
