import FitIQAPI
import HeapModule

/// When connections have to be looked at.
///
/// A connection's deadline moves with each request, but its entry in the heap stays: it is pushed on when it comes up early.
/// So the hot path touches no heap. An earlier deadline is queued anew; the entry that it replaces is passed over.
struct DeadlineQueue {
    private struct Entry: Comparable {
        let time: Timestamp
        let connection: ConnectionID

        static func < (left: Entry, right: Entry) -> Bool {
            (left.time, left.connection.number) < (right.time, right.connection.number)
        }
    }

    private var heap = Heap<Entry>()

    /// How many entries there are, those that will be passed over included.
    var count: Int { heap.count }

    /// The earliest time at which an entry comes up.
    var next: Timestamp? { heap.min?.time }

    mutating func insert(_ connection: ConnectionID, at time: Timestamp) {
        heap.insert(Entry(time: time, connection: connection))
    }

    /// Takes out the next entry that has come up.
    mutating func popDue(at now: Timestamp) -> (connection: ConnectionID, time: Timestamp)? {
        guard let first = heap.min, first.time <= now else { return nil }
        heap.removeMin()
        return (first.connection, first.time)
    }

    /// Takes out entries that nobody waits for any more; linear in the number of entries.
    mutating func removeAll(where isObsolete: (ConnectionID, Timestamp) -> Bool) {
        heap = Heap(heap.unordered.filter { !isObsolete($0.connection, $0.time) })
    }
}
