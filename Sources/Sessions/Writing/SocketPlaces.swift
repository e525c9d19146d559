import FitIQAPI

/// The unit in which a system takes bytes for a file: what is written within one is there whole or not at all.
///
/// A larger write that is cut short by SIGKILL ends at a multiple of this. Real pages may be larger, never smaller.
enum FilePage {
    static let size = 4096

    static func end(of offset: Int) -> Int { (offset / size + 1) * size }

    static func isCrossed(from offset: Int, _ count: Int) -> Bool { offset % size + count > size }
}

/// Where in the file a WebSocket's entries stand, and the room that is left in them.
struct SocketPlaces: Sendable {
    /// White space in which a list grows.
    struct Room: Sendable {
        /// Where the white space began, and where it ends.
        let range: Range<Int>
        /// What was written, without the white space between.
        private(set) var written: [Range<Int>] = []

        init(_ range: Range<Int>, shiftedBy offset: Int) {
            self.range = (range.lowerBound + offset)..<(range.upperBound + offset)
        }

        var isEmpty: Bool { written.isEmpty }

        /// Takes a place for so many bytes; nil where there is none.
        ///
        /// It lies within one page if it can, so that a program that is killed has written all of it or nothing.
        mutating func take(_ count: Int) -> Int? {
            var next = written.last?.upperBound ?? range.lowerBound
            if count <= FilePage.size, FilePage.isCrossed(from: next, count) { next = FilePage.end(of: next) }
            guard next + count <= range.upperBound else { return nil }
            if let last = written.last, last.upperBound == next {
                written[written.count - 1] = last.lowerBound..<(next + count)
            } else {
                written.append(next..<(next + count))
            }
            return next
        }
    }

    /// One entry: the first, or one that continues it.
    struct Part: Sendable {
        let range: Range<Int>
        var messages: Room
        var controlFrames: Room

        init(_ text: HARSocketText, at offset: Int) {
            range = offset..<(offset + text.bytes.count)
            messages = Room(text.messages, shiftedBy: offset)
            controlFrames = Room(text.controlFrames, shiftedBy: offset)
        }
    }

    let number: Int
    let started: Timestamp
    let url: String
    var parts: [Part]
    /// The room for the ending, in the first part.
    var ending: Room
    var messageCount = 0
    /// Where among the writes that wait the latest one of this socket stands, and of which batch.
    var latestWrite: (batch: Int, index: Int)?

    init(number: Int, _ socket: SessionSocket, _ text: HARSocketText, at offset: Int) {
        self.number = number
        started = socket.started
        url = socket.request.url
        parts = [Part(text, at: offset)]
        ending = Room(text.ending, shiftedBy: offset)
    }

    /// Appends the pieces of one entry that has all of them, without the room.
    func append(to compaction: inout SessionCompaction) {
        guard let first = parts.first else { return }
        compaction.append(first.range.lowerBound..<first.messages.range.lowerBound)
        Self.append(parts.lazy.map(\.messages), to: &compaction)
        compaction.append(first.messages.range.upperBound..<first.controlFrames.range.lowerBound)
        Self.append(parts.lazy.map(\.controlFrames), to: &compaction)
        compaction.append(first.controlFrames.range.upperBound..<ending.range.lowerBound)
        for range in ending.written { compaction.append(range) }
        compaction.append(ending.range.upperBound..<first.range.upperBound)
    }

    private static func append(_ rooms: some Sequence<Room>, to compaction: inout SessionCompaction) {
        var isFirst = true
        for room in rooms where !room.isEmpty {
            if !isFirst { compaction.append([UInt8(ascii: ",")]) }
            isFirst = false
            for range in room.written { compaction.append(range) }
        }
    }
}
