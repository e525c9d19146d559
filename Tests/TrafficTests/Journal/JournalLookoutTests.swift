import FitIQAPI
import Testing

@testable import Traffic

@Suite("A lookout on a journal")
struct JournalLookoutTests {
    /// The number of the entry that a lookout finds, and the near misses if there is none.
    private static func look(_ query: String) throws -> (Int?, [(Int, [String])]) {
        let items = query.split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1)
            return (name: String(parts[0]), value: String(parts[1]))
        }
        var lookout = JournalLookout(try JournalQuery(query: items))
        while true {
            switch lookout.next(in: JournalQueryTests.journal) {
            case .found(let entry): return (entry.number, [])
            // Thousands come near before the last; sentences about them are for a refusal.
            case .passed: #expect(lookout.nearMisses.allSatisfy { $0.differences.isEmpty })
            case nil: return (nil, lookout.nearMisses.map { ($0.entry.number, $0.differences) })
            }
        }
    }

    @Test(
        "It finds what a search finds first, oldest first",
        arguments: [
            "method=POST", "status=404", "path=/a%20b", "user=bob", "type=connected", "type=connected&user=bob",
            "type=ping&path=/api/v1/consultations/{id}/ws", "kind=closed&user=alice", "unmatched=true", "connection=4",
            "endpoint=createGoal", "direction=client_to_server", "text=no JSON", "status=4xx&since=3", "since=7",
            "user=bob&since=2",
        ])
    func finds(_ text: String) throws {
        let items = text.split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1)
            return (name: String(parts[0]), value: String(parts[1]))
        }
        var query = try JournalQuery(query: items)
        query.isNewestFirst = false
        #expect(try Self.look(text).0 == JournalQueryTests.journal.entries(query).first?.number)
    }

    @Test("Without a match it says what came nearest, the newest first")
    func misses() throws {
        let (found, misses) = try Self.look("kind=exchange&method=POST&status=404")
        #expect(found == nil && misses.count == JournalLookout.mostMisses)
        #expect(misses.map { $0.0 } == [3, 2, 13])
        let created = misses.first { $0.0 == 2 }
        #expect(created?.1 == ["status is 201, not 404"])
        #expect(misses.contains { $0.0 == 3 && $0.1 == ["method is GET, not POST"] })
    }

    @Test("A dropped entry is not looked at, and a journal that was emptied has an end")
    func emptied() throws {
        var journal = JournalQueryTests.journal
        var lookout = JournalLookout(try JournalQuery(query: [("status", "503")]))
        journal.removeAll()
        guard case nil = lookout.next(in: journal) else { return #expect(Bool(false)) }
        #expect(lookout.checked == journal.lastNumber && lookout.nearMisses.isEmpty)
    }
}
