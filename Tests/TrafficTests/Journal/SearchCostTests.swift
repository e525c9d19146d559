import FitIQAPI
import Testing

@testable import Traffic

@Suite("What it costs to check an entry of a journal")
struct SearchCostTests {
    private static func journal(_ event: JournalEvent) -> Journal {
        var journal = Journal()
        journal.record(event, at: JournalSample.time, connection: 1)
        return journal
    }

    private static let exchange = JournalSample.exchange("GET /a", body: "12345", answer: "123")
    private static let opening = RecordedOpening(
        head: JournalSample.head("GET /a/ws"), requestedAt: JournalSample.time)
    private static let frame = JournalSample.frame(.client, "12345")

    @Test(
        "In a search, twice the bytes that its condition is about, and a little",
        arguments: [
            ("text", "none", .exchange(exchange), exchange.byteCount), ("text", "none", .frame(frame), 5),
            ("path", "/none", .exchange(exchange), exchange.head.byteCount),
            ("path", "/none", .opened(opening), opening.head.byteCount), ("path", "/none", .frame(frame), 0),
            ("trace", TraceTests.id, .exchange(exchange), exchange.head.byteCount),
            ("trace", TraceTests.id, .opened(opening), opening.head.byteCount),
            ("type", "none", .frame(frame), 5), ("type", "none", .exchange(exchange), 0),
            ("user", "none", .exchange(exchange), 0), ("user", "none", .frame(frame), 0),
        ] as [(String, String, JournalEvent, Int)])
    func search(name: String, value: String, event: JournalEvent, bytes: Int) throws {
        var costs: [Int] = []
        for step in JournalSearch(try JournalQuery(query: [(name, value)]), in: Self.journal(event).entries()) {
            if case .passed(let cost) = step { costs.append(cost) }
        }
        #expect(costs.last == 16 + 2 * bytes)
    }

    @Test(
        "For a lookout, twice the entry's bytes if their content counts, and what it takes to tell the differences",
        arguments: [
            ("type", "none", 128 + 2 * 5), ("text", "none", 128 + 2 * 5), ("status", "599", 128), ("since", "1", 16),
        ])
    func lookout(name: String, value: String, expected: Int) throws {
        // A user is asked for, so that what is no longer wanted is looked at as well.
        var lookout = JournalLookout(try JournalQuery(query: [("user", "none"), (name, value)]))
        guard case .passed(let cost)? = lookout.next(in: Self.journal(.frame(Self.frame))) else {
            Issue.record("nothing was passed")
            return
        }
        #expect(cost == expected)
    }
}
