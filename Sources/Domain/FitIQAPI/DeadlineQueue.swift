import HeapModule

/// When things have to be looked at: a heap in which an entry that has become untrue stays until it comes up.
///
/// A deadline that moves with every event is not moved here: its owner keeps the true one, and pushes the entry on when it
/// comes up early, so the hot path touches no heap. An earlier deadline is inserted anew; its owner passes over the entry
/// that it replaces. At the same time the smaller owner comes first.
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

    /// How many entries there are, including those that will be passed over.
    @inlinable
    public var count: Int { heap.count }

    /// The earliest time at which an entry comes up.
    @inlinable
    public var next: Timestamp? { heap.min?.time }

    /// The entry that comes up first.
    @inlinable
    public var first: (owner: Owner, time: Timestamp)? { heap.min.map { ($0.owner, $0.time) } }

    /// Takes out the entry that comes up first; there has to be one.
    @inlinable
    public mutating func removeFirst() { heap.removeMin() }

    @inlinable
    public mutating func insert(_ owner: Owner, at time: Timestamp) { heap.insert(Entry(time: time, owner: owner)) }

    /// Takes out the next entry whose time has come.
    @inlinable
    public mutating func popDue(at now: Timestamp) -> (owner: Owner, time: Timestamp)? {
        guard let first, first.time <= now else { return nil }
        removeFirst()
        return first
    }

    /// Takes out entries that are obsolete; linear in the number of entries.
    @inlinable
    public mutating func removeAll(where isObsolete: (Owner, Timestamp) -> Bool) {
        heap = Heap(heap.unordered.filter { !isObsolete($0.owner, $0.time) })
    }
}

extension DeadlineQueue.Entry: Sendable where Owner: Sendable {}
extension DeadlineQueue: Sendable where Owner: Sendable {}
