/// Entries in a circle: the newest takes the place of one that has gone.
///
/// It begins without storage and grows to its capacity by doubling, so that a world in which nothing happens costs nothing;
/// from then on nothing is allocated.
struct EntryRing: Sendable {
    /// The most entries that it may hold.
    let capacity: Int
    /// How many entries it holds.
    private(set) var count = 0
    private var places: [JournalEntry] = []
    /// The place of the oldest entry.
    private var start = 0

    init(capacity: Int) {
        precondition(capacity > 0, "a ring has a place")
        self.capacity = capacity
    }

    /// The entry that is so many after the oldest.
    subscript(offset: Int) -> JournalEntry {
        precondition(offset >= 0 && offset < count, "no such entry")
        return places[place(offset)]
    }

    var isFull: Bool { count == capacity }
    /// What the oldest entry counts for.
    var firstByteCount: Int { places[start].byteCount }

    @inline(__always)
    mutating func append(_ entry: consuming JournalEntry) {
        precondition(!isFull, "the ring is full")
        if count == places.count { grow() }
        places[place(count)] = consume entry
        count += 1
    }

    /// Puts a new entry in the place of the oldest.
    @inline(__always)
    mutating func replaceFirst(with entry: consuming JournalEntry) {
        precondition(isFull, "there are free places")
        places[start] = consume entry
        start = start + 1 == places.count ? 0 : start + 1
    }

    mutating func removeFirst() {
        precondition(count > 0, "the ring is empty")
        // What the entry refers to is let go of now, not when the place is used again.
        places[start] = .vacant
        start = start + 1 == places.count ? 0 : start + 1
        count -= 1
    }

    /// Takes the oldest entries out, and gives back the storage that the others do not need.
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
