import FitIQAPI

/// What happened in a world, oldest first, as far as it fits.
///
/// Recording keeps heads, bodies and frames by reference; text is made only when an entry is read.
public struct Journal: Sendable {
    public struct Limits: Sendable, Equatable {
        /// The maximum number of entries; the oldest are dropped.
        public var entries = 10_000
        /// The maximum bytes of heads, bodies, frames and notes together; the oldest entries are dropped.
        ///
        /// Arrays that are shared with others count in full.
        public var bytes = 32 * 1024 * 1024
        /// The maximum bytes of a body or a frame; longer ones are truncated, and the entry says so.
        public var body = 64 * 1024

        public init() {}
    }

    public let limits: Limits
    /// The number of the newest entry ever recorded; 0 before the first.
    public private(set) var lastNumber = 0
    /// How many entries were dropped because of a limit.
    public private(set) var droppedCount = 0
    /// The bytes of heads, bodies, frames and notes in the entries.
    public private(set) var byteCount = 0
    /// What ``byteCount`` would be if nothing had been dropped.
    private var addedByteCount = 0
    private var ring: EntryRing

    /// Creates an empty journal, which allocates nothing until something happens.
    ///
    /// - Precondition: there is room for one entry, and no limit is negative.
    public init(limits: Limits = Limits()) {
        precondition(limits.entries > 0 && limits.bytes >= 0 && limits.body >= 0, "a journal has room for an entry")
        self.limits = limits
        ring = EntryRing(capacity: limits.entries)
    }

    public var count: Int { ring.count }

    /// The number of the oldest entry, or ``lastNumber`` plus one if there is none.
    public var firstNumber: Int { lastNumber - ring.count + 1 }

    /// Records an event, dropping the oldest entries to make room.
    ///
    /// An entry larger than the byte limit is dropped at once, after all others.
    ///
    /// - Parameter connection: unique in the journal's life; 0 if the event belongs to no connection.
    public mutating func record(_ event: consuming JournalEvent, at time: Timestamp, connection: UInt64 = 0) {
        switch consume event {
        case .exchange(let exchange): record(exchange, at: time, connection: connection)
        case .frame(let frame): record(frame, at: time, connection: connection)
        case .released(var release):
            release.payload?.cut(to: limits.body)
            let size = release.payload?.bytes.count ?? 0
            add(.released(release), byteCount: size, at: time, connection: connection)
        case let other: add(other, byteCount: other.byteCount, at: time, connection: connection)
        }
    }

    /// Records an exchange without copying it out of an event, because this happens for every request.
    public mutating func record(_ exchange: consuming RecordedExchange, at time: Timestamp, connection: UInt64) {
        if exchange.largestBody > limits.body { exchange.cut(to: limits.body) }
        let byteCount = exchange.byteCount
        add(.exchange(consume exchange), byteCount: byteCount, at: time, connection: connection)
    }

    /// Records a frame without copying it out of an event.
    public mutating func record(_ frame: consuming RecordedFrame, at time: Timestamp, connection: UInt64) {
        frame.payload.cut(to: limits.body)
        let byteCount = frame.payload.bytes.count
        add(.frame(consume frame), byteCount: byteCount, at: time, connection: connection)
    }

    @inline(__always)
    private mutating func add(
        _ event: consuming JournalEvent, byteCount size: Int, at time: Timestamp, connection: UInt64
    ) {
        lastNumber += 1
        byteCount += size
        addedByteCount += size
        let entry = JournalEntry(
            number: lastNumber, time: time, connection: connection, event: consume event, byteCount: size)
        if ring.isFull {
            byteCount -= ring.firstByteCount
            droppedCount += 1
            ring.replaceFirst(with: consume entry)
        } else {
            ring.append(consume entry)
        }
        while byteCount > limits.bytes {
            byteCount -= ring.firstByteCount
            droppedCount += 1
            ring.removeFirst()
        }
    }

    /// Removes all entries; numbering continues so that followers keep their place.
    public mutating func removeAll() {
        ring = EntryRing(capacity: limits.entries)
        byteCount = 0
    }

    /// The bytes that an entry counts in addition to its content; more than it takes.
    static let entryWeight = 256

    /// The journal's share of a common limit: its bytes plus ``entryWeight`` for each entry.
    public var weight: Int { byteCount + Self.entryWeight * ring.count }

    /// The total weight of the dropped entries.
    public var droppedWeight: Int { addedByteCount - byteCount + Self.entryWeight * (lastNumber - ring.count) }

    /// Drops the oldest entries until the journal weighs at most this much, and frees their storage.
    public mutating func dropOldest(downTo limit: Int) {
        var kept = weight
        var skipped = 0
        while kept > limit, skipped < ring.count {
            kept -= ring[skipped].byteCount + Self.entryWeight
            byteCount -= ring[skipped].byteCount
            skipped += 1
        }
        droppedCount += skipped
        ring.dropFirst(skipped)
    }

    /// Returns the entries after a number, oldest first; any number is valid.
    ///
    /// This takes constant time: a follower passes the last number that it has seen. The entries share the journal's
    /// storage; release them before the next ``record(_:at:connection:)``, which would otherwise copy it.
    public func entries(after number: Int = 0) -> Entries {
        let skipped = min(max(number, firstNumber - 1) - (firstNumber - 1), ring.count)
        return Entries(ring: ring, indices: skipped..<ring.count)
    }

    /// The last entry recorded; nil if it is dropped, and before the first.
    public var newest: JournalEntry? { ring.count == 0 ? nil : ring[ring.count - 1] }

    public var noEntries: Entries { entries(after: lastNumber) }

    /// How many entries a follower at the given number will never see because they were dropped.
    public func missedCount(after number: Int) -> Int {
        max(0, firstNumber - 1 - max(number, 0))
    }

    /// Entries of a journal, oldest first; indices count from the journal's first entry.
    public struct Entries: RandomAccessCollection, Sendable {
        fileprivate let ring: EntryRing
        public let indices: Range<Int>

        public var startIndex: Int { indices.lowerBound }
        public var endIndex: Int { indices.upperBound }

        public subscript(position: Int) -> JournalEntry {
            precondition(indices.contains(position), "no such entry")
            return ring[position]
        }
    }
}

/// A ring buffer of entries in which the newest replaces a dropped one.
///
/// It starts without storage and doubles up to its capacity, so that an idle world costs nothing; after that, it
/// allocates nothing.
struct EntryRing: Sendable {
    let capacity: Int
    private(set) var count = 0
    private var places: [JournalEntry] = []
    /// The position of the oldest entry.
    private var start = 0

    init(capacity: Int) {
        precondition(capacity > 0, "a ring has a place")
        self.capacity = capacity
    }

    /// The entry at an offset from the oldest.
    subscript(offset: Int) -> JournalEntry {
        precondition(offset >= 0 && offset < count, "no such entry")
        return places[place(offset)]
    }

    var isFull: Bool { count == capacity }
    /// The byte count of the oldest entry.
    var firstByteCount: Int { places[start].byteCount }

    @inline(__always)
    mutating func append(_ entry: consuming JournalEntry) {
        precondition(!isFull, "the ring is full")
        if count == places.count { grow() }
        places[place(count)] = consume entry
        count += 1
    }

    /// Replaces the oldest entry with a new one.
    @inline(__always)
    mutating func replaceFirst(with entry: consuming JournalEntry) {
        precondition(isFull, "there are free places")
        places[start] = consume entry
        start = start + 1 == places.count ? 0 : start + 1
    }

    mutating func removeFirst() {
        precondition(count > 0, "the ring is empty")
        // This releases what the entry refers to now, not when the position is reused.
        places[start] = .vacant
        start = start + 1 == places.count ? 0 : start + 1
        count -= 1
    }

    /// Removes the oldest entries and frees the storage that the others do not need.
    mutating func dropFirst(_ dropped: Int) {
        precondition(dropped >= 0 && dropped <= count, "there are not so many entries")
        var rest = EntryRing(capacity: capacity)
        for offset in dropped..<count { rest.append(self[offset]) }
        self = rest
    }

    private func place(_ offset: Int) -> Int {
        let place = start + offset
        return place < places.count ? place : place - places.count
    }

    private mutating func grow() {
        let size = min(capacity, max(16, 2 * places.count))
        var grown: [JournalEntry] = []
        grown.reserveCapacity(size)
        for offset in 0..<count { grown.append(places[place(offset)]) }
        for _ in count..<size { grown.append(.vacant) }
        (places, start) = (grown, 0)
    }
}
