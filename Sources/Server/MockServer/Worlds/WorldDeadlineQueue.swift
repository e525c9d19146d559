import FitIQAPI
import HeapModule

/// When worlds have to be looked at, by the system's clock.
///
/// As with ``DeadlineQueue``, an entry that has become too early is pushed on when it comes up, so that asking for the next one is cheap.
struct WorldDeadlineQueue {
    private struct Entry: Comparable {
        let time: Timestamp
        let number: Int
        let world: World

        static func < (left: Entry, right: Entry) -> Bool { (left.time, left.number) < (right.time, right.number) }
        static func == (left: Entry, right: Entry) -> Bool { (left.time, left.number) == (right.time, right.number) }
    }

    private var heap = Heap<Entry>()
    /// How many worlds there may be entries of.
    var worldCount = 1

    /// How many entries there are, those that will be passed over included.
    var count: Int { heap.count }
    /// The earliest time at which an entry comes up.
    var next: Timestamp? { heap.min?.time }

    /// Notes when a world has to be looked at, unless it is looked at earlier.
    mutating func insert(_ world: World, at time: Timestamp) {
        if let queued = world.queuedDeadline, queued <= time { return }
        world.queuedDeadline = time
        heap.insert(Entry(time: time, number: world.number, world: world))
        // Each entry that was replaced by an earlier one stays until its time; a world in a hurry leaves many.
        if heap.count > 2 * worldCount + 1024 {
            heap = Heap(heap.unordered.filter { $0.world.queuedDeadline == $0.time })
        }
    }

    /// Takes out the next world whose time has come.
    mutating func popDue(at now: Timestamp) -> World? {
        while let first = heap.min, first.time <= now {
            heap.removeMin()
            // An entry that an earlier one has replaced.
            guard first.world.queuedDeadline == first.time else { continue }
            first.world.queuedDeadline = nil
            return first.world
        }
        return nil
    }
}
