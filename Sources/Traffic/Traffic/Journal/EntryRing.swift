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
