import FitIQAPI

/// What happened in a world, oldest first, as much of it as fits.
///
/// Recording keeps heads, bodies and frames by reference and makes no text; that happens when an entry is read.
public struct Journal: Sendable {
    /// How much a journal keeps.
    public struct Limits: Sendable, Equatable {
        /// The most entries; the oldest fall out.
        public var entries = 10_000
        /// The most bytes of heads, bodies, frames and notes together; the oldest entries fall out.
        ///
        /// Arrays that others hold as well count in full.
        public var bytes = 32 * 1024 * 1024
        /// The most bytes of a body or a frame; what is longer is cut, and the entry says so.
        public var body = 64 * 1024

        /// The defaults, to be changed field by field.
        public init() {}
    }

    /// What was kept to.
    public let limits: Limits
    /// The number of the newest entry there ever was; 0 before the first.
    public private(set) var lastNumber = 0
    /// How many entries fell out because of a limit.
    public private(set) var droppedCount = 0
    /// The bytes of heads, bodies, frames and notes that the entries hold.
    public private(set) var byteCount = 0
    /// What ``byteCount`` would be, had nothing been dropped.
    private var addedByteCount = 0
    private var ring: EntryRing

    /// Makes an empty journal, which holds no storage before something happens.
    ///
    /// - Precondition: there is room for one entry, and no limit is negative.
    public init(limits: Limits = Limits()) {
        precondition(limits.entries > 0 && limits.bytes >= 0 && limits.body >= 0, "a journal has room for an entry")
        self.limits = limits
        ring = EntryRing(capacity: limits.entries)
    }

    /// How many entries there are.
    public var count: Int { ring.count }

    /// The number of the oldest entry there is; one more than ``lastNumber`` where there is none.
    public var firstNumber: Int { lastNumber - ring.count + 1 }

    /// Adds what happened; the oldest entries make room.
    ///
    /// An entry that is larger than all the bytes allowed falls out at once, after everything else.
    ///
    /// - Parameter connection: unique in the journal's life; 0 for what belongs to no connection.
    public mutating func record(_ event: consuming JournalEvent, at time: Timestamp, connection: UInt64 = 0) {
        switch consume event {
        case .exchange(let exchange): record(exchange, at: time, connection: connection)
        case .frame(let frame): record(frame, at: time, connection: connection)
        case let other: add(other, byteCount: other.byteCountOfTexts, at: time, connection: connection)
        }
    }

    /// Adds an exchange, without the copies that taking it out of an event would make: this is done for every request.
    public mutating func record(_ exchange: consuming RecordedExchange, at time: Timestamp, connection: UInt64) {
        if exchange.largestBody > limits.body {
            exchange.body.cut(to: limits.body)
            exchange.responseBody.cut(to: limits.body)
        }
        let byteCount = exchange.byteCount
        add(.exchange(consume exchange), byteCount: byteCount, at: time, connection: connection)
    }

    /// Adds a frame, without the copies that taking it out of an event would make.
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

    /// Forgets all entries; numbers go on, so that followers do not lose their place.
    public mutating func removeAll() {
        ring = EntryRing(capacity: limits.entries)
        byteCount = 0
    }

    /// Bytes that an entry counts for beside what it holds; more than it takes.
    static let entryWeight = 256

    /// What the journal counts for where many share a limit: its bytes, and ``entryWeight`` for each entry.
    public var weight: Int { byteCount + Self.entryWeight * ring.count }

    /// What those that are gone weighed together.
    public var droppedWeight: Int { addedByteCount - byteCount + Self.entryWeight * (lastNumber - ring.count) }

    /// Has the oldest entries fall out until the journal weighs no more than this, and gives their storage back.
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

    /// The entries with numbers after the given one, oldest first; any number will do.
    ///
    /// Takes constant time: a follower asks with the last number that it has seen. The entries share the journal's storage;
    /// let go of them before the next ``record(_:at:connection:)``, which would copy it.
    public func entries(after number: Int = 0) -> Entries {
        let skipped = min(max(number, firstNumber - 1) - (firstNumber - 1), ring.count)
        return Entries(ring: ring, indices: skipped..<ring.count)
    }

    /// None of the entries.
    public var noEntries: Entries { entries(after: lastNumber) }

    /// How many entries a follower that has seen the given number will never see, because they are gone.
    public func missedCount(after number: Int) -> Int {
        max(0, firstNumber - 1 - max(number, 0))
    }

    /// Entries of a journal, oldest first; indices count from the oldest that the journal had.
    public struct Entries: RandomAccessCollection, Sendable {
        fileprivate let ring: EntryRing
        /// The positions of the entries.
        public let indices: Range<Int>

        /// The position of the oldest.
        public var startIndex: Int { indices.lowerBound }
        /// The position after the newest.
        public var endIndex: Int { indices.upperBound }

        /// The entry at a position.
        public subscript(position: Int) -> JournalEntry {
            precondition(indices.contains(position), "no such entry")
            return ring[position]
        }
    }
}
