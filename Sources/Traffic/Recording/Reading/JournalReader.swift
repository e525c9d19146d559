import FitIQAPI
import JSON

/// Reads a journal that was saved as NDJSON, as ``JournalEncoder`` writes it: bytes go in as they come, entries come out.
///
/// Members may stand in any order, and numbers be written in any way that JSON has. A newer journal may have more: members and kinds
/// of entries that are not known here are passed over, and an operation that is not known counts as none. What is left of a line
/// that was cut in recording is read as cut. A line may have 4 MiB.
///
/// Its memory is what was received and not asked for yet: call ``next()`` until it gives nil before more is received.
public struct JournalReader {
    /// The most bytes of a line.
    public static let lineLimit = 4 << 20

    /// An entry, and where it stood.
    public struct Line: Sendable {
        /// The number of the line, from 1.
        public let number: Int
        /// The name of the entry's world; nil where the line has none.
        public let world: ExactString?
        /// The entry.
        public let entry: JournalEntry
    }

    private var reader = EntryReader()
    private var buffer: [UInt8] = []
    /// Where the line that is being read begins, and how far it was searched for its end.
    private var start = 0
    private var searched = 0
    private var isFinished = false
    /// Whether the rest of a line that is too long is passed over.
    private var isSkipping = false
    private var lineNumber = 0
    /// Whether any line was an entry: without one, nothing says that the bytes are a journal.
    private var hasEntry = false

    /// Makes a reader that has read nothing.
    public init() {}

    /// Takes more bytes of the journal; where they are cut does not matter.
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

    /// Takes more bytes of the journal; where they are cut does not matter.
    public mutating func receive(_ bytes: [UInt8]) { receive(bytes[...]) }

    /// Says that there is no more to come: what is left is a last line without a line end.
    public mutating func finish() { isFinished = true }

    /// The next entry; nil where more bytes are needed, and after the last.
    ///
    /// Throws what is wrong with a line; the next call goes on with the line after it.
    public mutating func next() throws(JournalError) -> Line? {
        while let line = try nextLine() {
            lineNumber += 1
            // The reader's own buffer is left alone meanwhile, so that this copies nothing.
            let bytes = buffer
            let result = bytes.withUnsafeBufferPointer { buffer in
                read(UnsafeBufferPointer(rebasing: buffer[line.range]), isComplete: line.isComplete)
            }
            if let found = try result.get() { return found }
        }
        return nil
    }

    private mutating func read(
        _ line: UnsafeBufferPointer<UInt8>, isComplete: Bool
    ) -> Result<Line?, JournalError> {
        if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return .success(nil) }
        do throws(EntryReader.Trouble) {
            let found = try reader.read(line)
            hasEntry = true
            guard let (entry, world) = found else { return .success(nil) }
            return .success(Line(number: lineNumber, world: world, entry: entry))
        } catch {
            switch error {
            case .sentence(let sentence): return .failure(JournalError(line: lineNumber, message: sentence))
            // The beginning of an object is never JSON.
            case .notJSON where !isComplete && hasEntry && line.first == UInt8(ascii: "{"):
                return .failure(.unfinished(line: lineNumber))
            case .notJSON: return .failure(JournalError(line: lineNumber, notJSON: line))
            }
        }
    }

    /// The bytes of the next line without its line end; nil where there is none yet.
    private mutating func nextLine() throws(JournalError) -> (range: Range<Int>, isComplete: Bool)? {
        let lineFeed = buffer.withUnsafeBufferPointer { $0.lineFeed(from: searched) }
        guard let end = lineFeed ?? (isFinished ? buffer.count : nil) else {
            searched = buffer.count
            if buffer.count - start > Self.lineLimit {
                lineNumber += 1
                isSkipping = true
                (start, searched) = (0, 0)
                buffer.removeAll()
                throw JournalError(line: lineNumber, message: Sentences.longLine(limit: Self.lineLimit))
            }
            return nil
        }
        let range = start..<end
        start = min(end + 1, buffer.count)
        searched = start
        if lineFeed == nil, range.isEmpty { return nil }
        guard range.count <= Self.lineLimit else {
            lineNumber += 1
            throw JournalError(line: lineNumber, message: Sentences.longLine(limit: Self.lineLimit))
        }
        return (range, lineFeed != nil)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The offset of the first line feed at or after `start`, eight bytes at a time.
    fileprivate func lineFeed(from start: Int) -> Int? {
        var index = start
        if let base = baseAddress {
            while index + 8 <= count {
                let word =
                    UInt64(littleEndian: UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self))
                    ^ 0x0a0a_0a0a_0a0a_0a0a
                let zeros = (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
                if zeros != 0 { return index + zeros.trailingZeroBitCount / 8 }
                index += 8
            }
        }
        while index < count {
            if self[index] == 0x0A { return index }
            index += 1
        }
        return nil
    }
}
