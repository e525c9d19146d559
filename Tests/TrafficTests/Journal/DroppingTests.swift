import FitIQAPI
import Testing

@testable import Traffic

@Suite("A journal that gives up its oldest entries")
struct DroppingTests {
    private static func journal(_ sizes: [Int], entries: Int = 100) -> Journal {
        var limits = Journal.Limits()
        limits.entries = entries
        var journal = Journal(limits: limits)
        for size in sizes {
            journal.record(.note(String(repeating: "x", count: size)), at: Timestamp(secondsSinceEpoch: 0))
        }
        return journal
    }

    @Test("It weighs its bytes, and 256 for each entry")
    func weight() {
        #expect(Self.journal([]).weight == 0)
        #expect(Self.journal([0, 10, 100]).weight == 110 + 3 * 256)
    }

    @Test(
        "Entries fall out until it weighs no more than it may",
        arguments: [(10_000, 5), (5 * 256 + 15, 5), (5 * 256 + 14, 4), (512, 1), (256 + 5, 1), (256 + 4, 0), (0, 0)])
    func drop(_ limit: Int, _ kept: Int) {
        var journal = Self.journal([1, 2, 3, 4, 5])
        journal.dropOldest(downTo: limit)
        #expect(journal.entries().map(\.number) == Array((1...5).suffix(kept)))
        #expect(journal.count == kept && journal.droppedCount == 5 - kept && journal.lastNumber == 5)
        #expect(journal.byteCount == (1...5).suffix(kept).reduce(0, +))
        #expect(journal.missedCount(after: 0) == 5 - kept)
    }

    @Test("It goes on as before, whatever its ring looked like", arguments: [3, 5, 16, 17, 40])
    func goesOn(_ count: Int) {
        var journal = Self.journal(Array(repeating: 1, count: count), entries: 17)
        journal.dropOldest(downTo: journal.weight / 2)
        for _ in 0..<20 { journal.record(.note("y"), at: Timestamp(secondsSinceEpoch: 0)) }
        #expect(journal.entries().map(\.number) == Array((1...(count + 20)).suffix(17)))
        #expect(journal.count + journal.droppedCount == count + 20)
    }
}
