import FitIQAPI

/// The positions of a WebSocket's entries in the file, and the room left in them.
struct SocketPlaces: Sendable {
    /// White space in which a list grows.
    struct Room: Sendable {
        /// The original range of the white space.
        let range: Range<Int>
        /// The part that was written.
        private(set) var written: Range<Int>

        init(_ range: Range<Int>, shiftedBy offset: Int) {
            self.range = (range.lowerBound + offset)..<(range.upperBound + offset)
            written = self.range.lowerBound..<self.range.lowerBound
        }

        var isEmpty: Bool { written.isEmpty }

        /// Reserves a place for this many bytes, or returns nil if there is none.
        mutating func take(_ count: Int) -> Int? {
            let place = written.upperBound
            guard place + count <= range.upperBound else { return nil }
            written = written.lowerBound..<(place + count)
            return place
        }
    }

    /// One entry: the first, or a continuation.
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

    let started: Timestamp
    let url: String
    var parts: [Part]
    /// The room for the ending, in the first part.
    var ending: Room
    var messageCount = 0
    /// The position of this socket's latest pending write, and its batch.
    var latestWrite: (batch: Int, index: Int)?

    init(_ socket: SessionExchange, _ text: HARSocketText, at offset: Int) {
        started = socket.started
        url = socket.request.url
        parts = [Part(text, at: offset)]
        ending = Room(text.ending, shiftedBy: offset)
    }

    /// Takes a place in the last part for an element, with a comma unless it is the first; nil if there is no room.
    mutating func place(
        _ element: [UInt8], in list: WritableKeyPath<Part, Room>
    ) -> (bytes: [UInt8], offset: Int, room: Range<Int>)? {
        let last = parts.count - 1
        let bytes = parts[last][keyPath: list].isEmpty ? element : [UInt8(ascii: ",")] + element
        return parts[last][keyPath: list].take(bytes.count).map { (bytes, $0, parts[last][keyPath: list].range) }
    }

    /// Appends the pieces of a single entry that combines all parts, without the room.
    func append(to compaction: inout SessionCompaction) {
        guard let first = parts.first else { return }
        compaction.append(first.range.lowerBound..<first.messages.range.lowerBound)
        Self.append(parts.lazy.map(\.messages), to: &compaction)
        compaction.append(first.messages.range.upperBound..<first.controlFrames.range.lowerBound)
        Self.append(parts.lazy.map(\.controlFrames), to: &compaction)
        compaction.append(first.controlFrames.range.upperBound..<ending.range.lowerBound)
        compaction.append(ending.written)
        compaction.append(ending.range.upperBound..<first.range.upperBound)
    }

    private static func append(_ rooms: some Sequence<Room>, to compaction: inout SessionCompaction) {
        for (index, room) in rooms.filter({ !$0.isEmpty }).enumerated() {
            if index > 0 { compaction.append([UInt8(ascii: ",")]) }
            compaction.append(room.written)
        }
    }
}
