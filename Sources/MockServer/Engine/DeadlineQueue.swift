import FitIQAPI
import HeapModule

/// When connections have to be looked at.
///
/// A connection's deadline moves with each request, but its entry in the heap stays: it is pushed on when it comes up early.
/// So the hot path touches no heap, and a connection has one entry at most.
struct DeadlineQueue {
    private struct Entry: Comparable {
        let time: Timestamp
        let connection: ConnectionID

        static func < (left: Entry, right: Entry) -> Bool {
            (left.time, left.connection.number) < (right.time, right.connection.number)
        }
    }

    private var heap = Heap<Entry>()

    /// The earliest time at which an entry comes up.
    var next: Timestamp? { heap.min?.time }

    mutating func insert(_ connection: ConnectionID, at time: Timestamp) {
        heap.insert(Entry(time: time, connection: connection))
    }

    /// Takes out the next entry that has come up.
    mutating func popDue(at now: Timestamp) -> ConnectionID? {
        guard let first = heap.min, first.time <= now else { return nil }
        heap.removeMin()
        return first.connection
    }
}
