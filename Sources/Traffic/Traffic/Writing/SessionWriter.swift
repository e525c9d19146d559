import FitIQAPI

/// Writes a HAR file during a session, without I/O, as a series of ``FileWrite``s.
///
/// After the writes of a batch are performed in order, the file is complete. An entry is appended by overwriting the
/// closing brackets with the entry and new brackets. A WebSocket's entry has white space in its lists, into which
/// frames are written; when that is used up, another entry with the same `_fitiq.socket` and more room continues it.
/// Bodies and frames are not kept: memory holds a few numbers for each entry, and the URL of each WebSocket.
struct SessionWriter: Sendable {
    /// The limits of the file, so that it can be read again.
    let limits: HARLimits
    /// Whether the limit was reached, so that nothing more is written.
    private(set) var isFull = false
    private(set) var exchangeCount = 0
    private(set) var socketCount = 0

    private let headerRange: Range<Int>
    /// The offset of the closing brackets.
    private var end: Int
    /// The number of entries, including continuations.
    private var entryCount = 0
    /// An upper bound of the number of JSON values.
    private var valueCount = 16
    private var exchanges: [(started: Timestamp, range: Range<Int>)] = []
    private var sockets: [SocketPlaces] = []
    private var writes: [FileWrite] = []
    private var batch = 0
    /// The latest pending write that appends an entry.
    private var latestAppend: Int?

    /// The room in the first entry of a WebSocket.
    static let firstRoom = HARSocketRoom(messages: 4096, controlFrames: 512, ending: 2 * HAREncoder.endingRoom)
    /// The maximum room, except for a larger frame.
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

    /// Writes the beginning of a WebSocket and returns its number, or nil if the file is full.
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
        guard let place else { preconditionFailure("new room has a place for what it was made for") }
        if !isControl { sockets[number - 1].messageCount += 1 }
        write(place.bytes, at: place.offset, in: place.room, of: number)
    }

    mutating func end(_ number: Int, _ ending: SessionEnding) {
        guard !isFull else { return }
        let bytes = HAREncoder.ending(ending)
        precondition(sockets[number - 1].ending.isEmpty, "a socket ends once")
        guard let offset = sockets[number - 1].ending.take(bytes.count) else {
            preconditionFailure("an ending has a room of fixed size, twice its length")
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

    /// Returns the finished file, sorted by start, one entry per WebSocket; call it after all writes are done.
    func compaction(notes: [String]) -> SessionCompaction {
        var compaction = SessionCompaction()
        compaction.append(headerRange)
        // The sort is stable: among simultaneous entries, exchanges come first, and each kind keeps its order.
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

    /// Appends an entry with room for at least this many bytes; false if the file is full.
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

    /// The maximum number of values in an entry, in addition to its fields and its query.
    private static let valuesOfEntry = 64
    /// The maximum number of values in a message or a control frame.
    private static let valuesOfFrame = 9

    /// The maximum number of values in an entry.
    private static func values(_ request: SessionRequest, _ response: SessionResponse?) -> Int {
        let items = request.url.utf8.count { $0 == UInt8(ascii: "&") } + 1
        return valuesOfEntry + 3 * (request.fields.count + (response?.fields.count ?? 0) + items)
    }

    /// Reserves room for values; false if the file is full.
    private mutating func takeValues(_ count: Int) -> Bool {
        guard !isFull else { return false }
        isFull = count > limits.values - valueCount
        if !isFull { valueCount += count }
        return !isFull
    }

    /// Writes into the room of a socket's entry, merged with its previous write if possible.
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
