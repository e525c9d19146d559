import Testing

@testable import FitIQAPI

@Suite("A deadline queue") struct DeadlineQueueTests {
    /// The entries in the order in which they leave the queue; times are in seconds.
    static let entries: [(time: Int64, owner: Int)] = [(1, 7), (2, 3), (2, 5), (3, 1)]

    @Test("A deadline leaves the queue exactly at its time")
    func order() {
        for entries in [Self.entries, Array(Self.entries.reversed())] {
            var queue = DeadlineQueue<Int>()
            for entry in entries { queue.insert(entry.owner, at: Timestamp(secondsSinceEpoch: entry.time)) }
            for (time, owner) in Self.entries {
                let due = Timestamp(secondsSinceEpoch: time)
                let early = queue.popDue(at: due.advanced(byNanoseconds: -1))
                #expect(early?.owner == nil)
                let next = queue.popDue(at: due)
                #expect(next?.owner == owner && next?.time == due)
            }
            #expect(queue.count == 0 && queue.next == nil)
        }
    }

    @Test("Entries are ordered by time and then by owner")
    func comparison() {
        let entries = Self.entries.map { entry in
            DeadlineQueue<Int>.Entry(time: Timestamp(secondsSinceEpoch: entry.time), owner: entry.owner)
        }
        for (place, entry) in entries.enumerated() {
            for (other, otherEntry) in entries.enumerated() {
                #expect((entry < otherEntry) == (place < other), "\(place), \(other)")
            }
        }
    }
}
