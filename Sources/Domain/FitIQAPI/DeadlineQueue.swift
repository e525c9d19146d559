import HeapModule

/// A heap of deadlines; obsolete entries stay until they reach the top.
///
/// If a deadline moves later, the owner stores the new deadline and pushes the entry again when it surfaces early, so
/// the hot path does not touch the heap. If a deadline moves earlier, the owner pushes a second entry and later skips
/// the first. Entries with equal times are ordered by owner.
public struct DeadlineQueue<Owner: Comparable> {
    @usableFromInline
    struct Entry: Comparable {
        @usableFromInline let time: Timestamp
        @usableFromInline let owner: Owner

        @inlinable
        init(time: Timestamp, owner: Owner) { (self.time, self.owner) = (time, owner) }

        @inlinable
        static func < (left: Entry, right: Entry) -> Bool {
            left.time < right.time || (left.time == right.time && left.owner < right.owner)
        }
    }

    @usableFromInline var heap = Heap<Entry>()

    @inlinable
    public init() {}

    /// The number of entries, including obsolete ones.
    @inlinable
    public var count: Int { heap.count }

    @inlinable
    public var next: Timestamp? { heap.min?.time }

    @inlinable
    public var first: (owner: Owner, time: Timestamp)? { heap.min.map { ($0.owner, $0.time) } }

    /// Removes the first entry; the queue must not be empty.
    @inlinable
    public mutating func removeFirst() { heap.removeMin() }

    @inlinable
    public mutating func insert(_ owner: Owner, at time: Timestamp) { heap.insert(Entry(time: time, owner: owner)) }

    /// Removes and returns the next entry that is due.
    @inlinable
    public mutating func popDue(at now: Timestamp) -> (owner: Owner, time: Timestamp)? {
        guard let first, first.time <= now else { return nil }
        removeFirst()
        return first
    }

    /// Removes obsolete entries, in linear time.
    @inlinable
    public mutating func removeAll(where isObsolete: (Owner, Timestamp) -> Bool) {
        heap = Heap(heap.unordered.filter { !isObsolete($0.owner, $0.time) })
    }
}

extension DeadlineQueue.Entry: Sendable where Owner: Sendable {}
extension DeadlineQueue: Sendable where Owner: Sendable {}
