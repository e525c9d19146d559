import FitIQAPI

/// Writes a HAR file during a session, without I/O, as a series of ``FileWrite``s.
///
/// The file is complete after each batch of writes, provided that the writes are performed in order. Appending an entry
/// overwrites the closing brackets with the entry and a new set of brackets. The lists in a WebSocket's entry end with
/// white space for later frames. Once the white space is used up, another entry with the same `_fitiq.socket` and more
/// space continues the list. The writer stores only a few numbers per entry and each WebSocket's URL.
struct SessionWriter: Sendable {
    /// The limits of the file, which ensure that the file can be read again.
    let limits: HARLimits
    /// Whether the file has reached its limit, after which nothing more is written.
    private(set) var isFull = false
    private(set) var exchangeCount = 0
    private(set) var socketCount = 0

    private let headerRange: Range<Int>
    /// The offset of the closing brackets.
    private var end: Int
    /// The number of entries, including continuations.
    private var entryCount = 0
    /// An upper bound on the number of JSON values.
    private var valueCount = 16
    private var exchanges: [(started: Timestamp, range: Range<Int>)] = []
    private var sockets: [SocketPlaces] = []
    private var writes: [FileWrite] = []
    private var batch = 0
    private var latestAppend: Int?

    /// The white space in the first entry of a WebSocket.
    static let firstRoom = HARSocketRoom(messages: 4096, controlFrames: 512, ending: 2 * HAREncoder.endingRoom)
    /// The maximum space to reserve, unless a single frame needs more.
    static let mostRoom = 256 * 1024

    init(creatorVersion: String, limits: HARLimits = HARLimits()) {
        self.limits = limits
        let header = HAREncoder.header(creatorVersion: creatorVersion)
        headerRange = 0..<header.count
        end = header.count
        writes.append(FileWrite(offset: 0, bytes: header + HAREncoder.footer))
    }

    mutating func write(_ exchange: SessionExchange) {
        guard let range = append(HAREncoder.entry(exchange), values: Self.values(exchange.request, exchange.response))
        else { return }
        exchanges.append((exchange.started, range))
        exchangeCount += 1
    }

    /// Writes the start of a WebSocket and returns its number, or nil if the file is full.
    mutating func open(_ socket: SessionExchange) -> Int? {
        let text = HAREncoder.socket(socket, number: sockets.count + 1, room: Self.firstRoom)
        guard let range = append(text.bytes, values: Self.values(socket.request, socket.response)) else { return nil }
        sockets.append(SocketPlaces(socket, text, at: range.lowerBound))
        socketCount += 1
        return sockets.count
    }

    mutating func write(_ frame: SessionFrame, to number: Int) {
        guard takeValues(Self.valuesOfFrame) else { return }
        let isControl = frame.opcode.isControl
        let list: WritableKeyPath<SocketPlaces.Part, SocketPlaces.Room> = isControl ? \.controlFrames : \.messages
        let element =
            isControl
            ? HAREncoder.controlFrame(frame, after: sockets[number - 1].messageCount) : HAREncoder.message(frame)
        var place = sockets[number - 1].place(element, in: list)
        if place == nil {
            guard continueEntry(number, list, for: element.count) else { return }
            place = sockets[number - 1].place(element, in: list)
        }
        guard let place else { preconditionFailure("new space must fit the value that it was reserved for") }
        if !isControl { sockets[number - 1].messageCount += 1 }
        write(place.bytes, at: place.offset, in: place.room, of: number)
    }

    mutating func end(_ number: Int, _ ending: SessionEnding) {
        guard !isFull else { return }
        let bytes = HAREncoder.ending(ending)
        precondition(sockets[number - 1].ending.isEmpty, "a socket must end only once")
        guard let offset = sockets[number - 1].ending.take(bytes.count) else {
            preconditionFailure("an ending must fit its reserved space, twice its length")
        }
        write(bytes, at: offset, in: sockets[number - 1].ending.range, of: number)
        sockets[number - 1].latestWrite = nil
    }

    /// Returns the writes since the last call, in order.
    mutating func takeWrites() -> [FileWrite] {
        guard !writes.isEmpty else { return [] }
        batch += 1
        latestAppend = nil
        defer { writes = [] }
        return writes
    }

    /// Returns the finished file, sorted by start, with one entry per WebSocket; call it after performing all writes.
    func compaction(notes: [String]) -> SessionCompaction {
        var compaction = SessionCompaction()
        compaction.append(headerRange)
        // The sort is stable. Among simultaneous entries, exchanges come first, and entries of the same kind keep their
        // order.
        let starts = (exchanges.map(\.started) + sockets.map(\.started)).enumerated().sorted { $0.element < $1.element }
        for (place, start) in starts.enumerated() {
            if place > 0 { compaction.append(HAREncoder.separator) }
            if start.offset < exchanges.count {
                compaction.append(exchanges[start.offset].range)
            } else {
                sockets[start.offset - exchanges.count].append(to: &compaction)
            }
        }
        compaction.append(HAREncoder.footer(notes: notes))
        return compaction
    }

    // MARK: Places

    /// Appends an entry and reserves space for at least this many bytes; returns false if the file is full.
    private mutating func continueEntry(
        _ number: Int, _ list: WritableKeyPath<SocketPlaces.Part, SocketPlaces.Room>, for count: Int
    ) -> Bool {
        let socket = sockets[number - 1]
        func grown(_ room: SocketPlaces.Room, isFull: Bool) -> Int {
            max(isFull ? count : 0, min(isFull ? room.range.count * 2 : room.range.count, Self.mostRoom))
        }
        let part = socket.parts[socket.parts.count - 1]
        let room = HARSocketRoom(
            messages: grown(part.messages, isFull: list == \.messages),
            controlFrames: grown(part.controlFrames, isFull: list == \.controlFrames))
        let text = HAREncoder.continuation(of: number, url: socket.url, started: socket.started, room: room)
        guard let range = append(text.bytes, values: Self.valuesOfEntry) else { return false }
        sockets[number - 1].parts.append(SocketPlaces.Part(text, at: range.lowerBound))
        return true
    }

    /// Appends an entry and returns its position, or nil if the file is full.
    private mutating func append(_ entry: [UInt8], values: Int) -> Range<Int>? {
        guard takeValues(values) else { return nil }
        let footer = HAREncoder.footer
        var bytes = entryCount == 0 ? entry : HAREncoder.separator + entry
        guard bytes.count <= limits.bytes - end - footer.count, entryCount < limits.entries else {
            isFull = true
            return nil
        }
        entryCount += 1
        let newEnd = end + bytes.count
        if let latestAppend {
            writes[latestAppend].bytes.removeLast(footer.count)
            writes[latestAppend].bytes += bytes + footer
        } else {
            bytes += footer
            latestAppend = writes.count
            writes.append(FileWrite(offset: end, bytes: bytes))
        }
        end = newEnd
        return (newEnd - entry.count)..<newEnd
    }

    /// The maximum number of JSON values in an entry, not counting its fields and query.
    private static let valuesOfEntry = 64
    /// The maximum number of JSON values in a message or control frame.
    private static let valuesOfFrame = 9

    private static func values(_ request: SessionRequest, _ response: SessionResponse?) -> Int {
        let items = request.url.utf8.count { $0 == UInt8(ascii: "&") } + 1
        return valuesOfEntry + 3 * (request.fields.count + (response?.fields.count ?? 0) + items)
    }

    /// Counts values against the limit; returns false if the file is full.
    private mutating func takeValues(_ count: Int) -> Bool {
        guard !isFull else { return false }
        isFull = count > limits.values - valueCount
        if !isFull { valueCount += count }
        return !isFull
    }

    /// Writes into the reserved space in a socket's entry, merging with its previous write if possible.
    private mutating func write(_ bytes: [UInt8], at offset: Int, in room: Range<Int>, of number: Int) {
        if let latest = sockets[number - 1].latestWrite, latest.batch == batch,
            writes[latest.index].offset + writes[latest.index].bytes.count == offset,
            writes[latest.index].offset >= room.lowerBound
        {
            writes[latest.index].bytes += bytes
            return
        }
        sockets[number - 1].latestWrite = (batch, writes.count)
        writes.append(FileWrite(offset: offset, bytes: bytes))
    }
}

/// The positions of a WebSocket's entries in the file, and the space left in each entry.
struct SocketPlaces: Sendable {
    /// White space for later elements of a list.
    struct Room: Sendable {
        /// The original range of the white space.
        let range: Range<Int>
        private(set) var written: Range<Int>

        init(_ range: Range<Int>, shiftedBy offset: Int) {
            self.range = (range.lowerBound + offset)..<(range.upperBound + offset)
            written = self.range.lowerBound..<self.range.lowerBound
        }

        var isEmpty: Bool { written.isEmpty }

        /// Reserves this many bytes, or returns nil if there is not enough space.
        mutating func take(_ count: Int) -> Int? {
            let place = written.upperBound
            guard place + count <= range.upperBound else { return nil }
            written = written.lowerBound..<(place + count)
            return place
        }
    }

    /// One entry of a WebSocket: the first, or a continuation.
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
    /// The space reserved for the ending, in the first entry.
    var ending: Room
    var messageCount = 0
    /// The index of this socket's latest pending write, and the number of the batch that the write is in.
    var latestWrite: (batch: Int, index: Int)?

    init(_ socket: SessionExchange, _ text: HARSocketText, at offset: Int) {
        started = socket.started
        url = socket.request.url
        parts = [Part(text, at: offset)]
        ending = Room(text.ending, shiftedBy: offset)
    }

    /// Reserves a place in the last part for an element, with a comma unless it is the first; returns nil if there is
    /// not enough space.
    mutating func place(
        _ element: [UInt8], in list: WritableKeyPath<Part, Room>
    ) -> (bytes: [UInt8], offset: Int, room: Range<Int>)? {
        let last = parts.count - 1
        let bytes = parts[last][keyPath: list].isEmpty ? element : [UInt8(ascii: ",")] + element
        return parts[last][keyPath: list].take(bytes.count).map { (bytes, $0, parts[last][keyPath: list].range) }
    }

    /// Appends the pieces of one combined entry, leaving out the white space.
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

public struct FileWrite: Sendable, Equatable {
    public var offset: Int
    public var bytes: [UInt8]
}

/// A finished recording, as pieces of the growing file.
public struct SessionCompaction: Sendable, Equatable {
    /// A part of the finished file.
    public enum Piece: Sendable, Equatable {
        case bytes([UInt8])
        /// A range of bytes to copy from the growing file.
        case range(Range<Int>)
    }

    public private(set) var pieces: [Piece] = []
    /// The length of the finished file in bytes.
    public private(set) var byteCount = 0

    mutating func append(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        byteCount += bytes.count
        pieces.append(.bytes(bytes))
    }

    mutating func append(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        byteCount += range.count
        if case .range(let before)? = pieces.last, before.upperBound == range.lowerBound {
            pieces[pieces.count - 1] = .range(before.lowerBound..<range.upperBound)
        } else {
            pieces.append(.range(range))
        }
    }
}
