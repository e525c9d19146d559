import FitIQAPI

/// Where in the file a WebSocket's entries stand, and the room that is left in them.
struct SocketPlaces: Sendable {
    /// White space in which a list grows.
    struct Room: Sendable {
        /// Where the next element goes.
        var next: Int
        /// Where the white space ends.
        let end: Int
        /// Where it began.
        let start: Int

        init(_ range: Range<Int>, shiftedBy offset: Int) {
            start = range.lowerBound + offset
            next = start
            end = range.upperBound + offset
        }

        var left: Int { end - next }
        var isEmpty: Bool { next == start }
        var written: Range<Int> { start..<next }
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
        compaction.append(first.range.lowerBound..<first.messages.start)
        Self.append(parts.lazy.map(\.messages), to: &compaction)
        compaction.append(first.messages.end..<first.controlFrames.start)
        Self.append(parts.lazy.map(\.controlFrames), to: &compaction)
        compaction.append(first.controlFrames.end..<ending.start)
        compaction.append(ending.written)
        compaction.append(ending.end..<first.range.upperBound)
    }

    private static func append(_ rooms: some Sequence<Room>, to compaction: inout SessionCompaction) {
        var isFirst = true
        for room in rooms where !room.isEmpty {
            if !isFirst { compaction.append([UInt8(ascii: ",")]) }
            isFirst = false
            compaction.append(room.written)
        }
    }
}
