import FitIQAPI
import HTTP1
import JSON
import TestSupport
import Testing
import Traffic

@testable import Traffic

@Suite("Journal")
struct JournalTests {
    private func journal(entries: Int = 10_000, bytes: Int = 1_000_000, body: Int = 1000) -> Journal {
        var limits = Journal.Limits()
        (limits.entries, limits.bytes, limits.body) = (entries, bytes, body)
        return Journal(limits: limits)
    }

    private func texts(_ entries: some Sequence<JournalEntry>) -> [String] {
        entries.map { entry in
            if case .note(let text) = entry.event { "\(entry.number) \(text)" } else { "\(entry.number)" }
        }
    }

    @Test("The default limits are 10,000 entries, 32 MiB and 64 KiB per body")
    func defaults() {
        let limits = Journal().limits
        #expect((limits.entries, limits.bytes, limits.body) == (10_000, 33_554_432, 65_536))
    }

    @Test("A new journal is empty")
    func empty() {
        let journal = journal()
        #expect(journal.count == 0 && journal.lastNumber == 0 && journal.firstNumber == 1)
        #expect(journal.entries().isEmpty && journal.byteCount == 0 && journal.droppedCount == 0)
        #expect(journal.newest == nil)
    }

    @Test("An entry beyond the entry limit drops the oldest entry", arguments: [1, 2, 15, 16, 17, 33, 100])
    func entryLimit(limit: Int) {
        var journal = journal(entries: limit)
        for number in 1...limit { journal.record(.note("\(number)"), at: JournalSample.time) }
        #expect(texts(journal.entries()) == (1...limit).map { "\($0) \($0)" })
        #expect(journal.droppedCount == 0)
        journal.record(.note("x"), at: JournalSample.time)
        let kept: [String] = (1...limit).dropFirst().map { "\($0) \($0)" }
        #expect(texts(journal.entries()) == kept + ["\(limit + 1) x"])
        #expect(journal.droppedCount == 1 && journal.firstNumber == 2 && journal.lastNumber == limit + 1)
    }

    @Test("The journal reuses its storage", arguments: [1, 3, 16, 20])
    func wraps(limit: Int) {
        var journal = journal(entries: limit)
        for number in 1...(7 * limit + 2) { journal.record(.note("n\(number)"), at: JournalSample.time) }
        #expect(texts(journal.entries()) == ((6 * limit + 3)...(7 * limit + 2)).map { "\($0) n\($0)" })
        #expect(journal.droppedCount == 6 * limit + 2)
        #expect(journal.newest?.number == 7 * limit + 2)
    }

    @Test("A byte beyond the byte limit drops enough old entries")
    func byteLimit() {
        var journal = journal(bytes: 30)
        for _ in 1...3 { journal.record(.note("0123456789"), at: JournalSample.time) }
        #expect(journal.count == 3 && journal.byteCount == 30)
        journal.record(.note("x"), at: JournalSample.time)
        #expect(journal.count == 3 && journal.byteCount == 21 && journal.firstNumber == 2)
        journal.record(.note(String(repeating: "x", count: 30)), at: JournalSample.time)
        #expect(journal.count == 1 && journal.byteCount == 30 && journal.lastNumber == 5)
        journal.record(.note(String(repeating: "x", count: 31)), at: JournalSample.time)
        #expect(journal.count == 0 && journal.byteCount == 0 && journal.lastNumber == 6 && journal.droppedCount == 6)
        journal.record(.note("after"), at: JournalSample.time)
        #expect(texts(journal.entries()) == ["7 after"])
    }

    @Test("A journal with a limit of zero bytes keeps only entries without bytes")
    func noBytes() {
        var journal = journal(bytes: 0)
        for text in ["", "x", "", ""] { journal.record(.note(text), at: JournalSample.time) }
        #expect(journal.entries().map(\.number) == [3, 4] && journal.droppedCount == 2)
    }

    @Test(
        "An excerpt truncates long bodies and otherwise equals its entry",
        arguments: [("12345", "12345", false), ("123456", "", true), ("", "123456", true), ("", "", false)])
    func excerpts(body: String, answer: String, isCut: Bool) throws {
        var journal = journal()
        journal.record(.exchange(JournalSample.exchange("GET /", body: body, answer: answer)), at: JournalSample.time)
        let entry = journal.entries()[0]
        let excerpt = entry.excerpt(bodies: 5)
        #expect(excerpt.byteCount == (isCut ? 10 : entry.byteCount))
        let exchange = try #require(excerpt.event.exchange)
        #expect((exchange.body.isCut || exchange.responseBody.isCut) == isCut && exchange.largestBody <= 5)
    }

    @Test("An entry's size includes heads, bodies, fields, frames and reasons")
    func counts() {
        let exchange = RecordedExchange(
            head: JournalSample.head("GET /a"), body: [1, 2, 3], requestedAt: JournalSample.time, status: 200,
            responseFields: .fields([.allow: "GET"]), responseBody: [1, 2])
        let head = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n".utf8.count
        let opening = RecordedOpening(
            head: JournalSample.head("GET /a"), requestedAt: JournalSample.time,
            responseFields: .encoded(Array("A: b\r\n".utf8)))
        let closing = RecordedClosing(
            by: .client, cause: .closeFrame, summary: .init(sent: .init(code: nil, reason: "ab"), received: nil),
            message: "xyz")
        let rows: [(JournalEvent, Int)] = [
            (.exchange(exchange), head + 3 + "Allow: GET\r\n".utf8.count + 2), (.opened(opening), head + 6),
            (.frame(JournalSample.frame(.client, "12345")), 5), (.closed(closing), 5), (.note("é"), 2),
            (.clock(advancedBy: 1), 0), (.fault(RecordedFault(name: "f", effect: .silence)), 0),
        ]
        for (event, count) in rows {
            var journal = journal()
            journal.record(event, at: JournalSample.time)
            #expect(journal.byteCount == count, "\(event.kind)")
        }
    }

    @Test(
        "The journal cuts bodies and frames at the limit without splitting a character",
        arguments: [
            ("12345", 5, "12345"), ("123456", 5, "12345"), ("1234é", 5, "1234"), ("123é5", 5, "123é"),
            ("1234567", 6, "123456"),
            ("😀😀", 4, "😀"), ("😀😀", 5, "😀"), ("😀😀", 7, "😀"), ("😀😀", 8, "😀😀"), ("😀", 3, ""), ("ab", 0, ""),
        ])
    func cuts(text: String, limit: Int, kept: String) throws {
        var journal = journal(body: limit)
        journal.record(.frame(JournalSample.frame(.client, text)), at: JournalSample.time)
        journal.record(.exchange(JournalSample.exchange("POST /", body: text, answer: text)), at: JournalSample.time)
        let entries = journal.entries()
        let (frame, exchange) = (try #require(entries[0].event.frame), try #require(entries[1].event.exchange))
        for body in [frame.payload, exchange.body, exchange.responseBody] {
            #expect(String(decoding: body.bytes, as: UTF8.self) == kept)
            #expect((body.byteCount, body.isCut) == (text.utf8.count, (kept != text)))
        }
        #expect(journal.byteCount == 3 * kept.utf8.count + exchange.head.byteCount)
    }

    @Test("The journal cuts binary content exactly at the limit")
    func cutsBinary() {
        var body = RecordedBody([UInt8](repeating: 0x80, count: 10))
        body.cut(to: 6)
        #expect(body.bytes.count == 6)
    }

    @Test("The journal keeps bodies by reference")
    func keepsReferences() {
        let bytes = [UInt8](repeating: 1, count: 100)
        let body = RecordedBody(bytes)
        let same = bytes.withUnsafeBufferPointer { left in
            body.bytes.withUnsafeBufferPointer { left.baseAddress == $0.baseAddress }
        }
        #expect(same)
    }

    @Test(
        "A follower gets the unseen entries and the count of missed entries",
        arguments: [
            (-5, 4, 2), (0, 4, 2), (1, 4, 1), (2, 4, 0), (3, 3, 0), (5, 1, 0), (6, 0, 0), (99, 0, 0), (Int.max, 0, 0),
        ])
    func follows(after: Int, count: Int, missed: Int) {
        var journal = journal(entries: 4)
        for number in 1...6 { journal.record(.note("\(number)"), at: JournalSample.time) }
        let entries = journal.entries(after: after)
        #expect(entries.map(\.number) == Array((7 - count)..<7))
        #expect(journal.missedCount(after: after) == missed)
        #expect(Array(entries.reversed()).map(\.number) == entries.map(\.number).reversed())
    }

    @Test("Clearing the journal keeps its numbers")
    func removesAll() {
        var journal = journal(entries: 2)
        for number in 1...3 { journal.record(.note("\(number)"), at: JournalSample.time) }
        journal.removeAll()
        #expect(journal.count == 0 && journal.byteCount == 0 && journal.lastNumber == 3 && journal.firstNumber == 4)
        #expect(journal.entries(after: 1).isEmpty)
        journal.record(.note("x"), at: JournalSample.time)
        #expect(texts(journal.entries(after: 1)) == ["4 x"])
        #expect(journal.droppedCount == 1)
    }

    @Test("A journal's counts are correct for random entries", arguments: 0..<20)
    func random(seed: UInt64) {
        var numbers = Draw(seed: seed)
        var limits = Journal.Limits()
        limits.entries = Int.random(in: 1...40, using: &numbers)
        limits.bytes = Int.random(in: 0...600, using: &numbers)
        limits.body = Int.random(in: 0...60, using: &numbers)
        var journal = Journal(limits: limits)
        var model: [(number: Int, size: Int)] = []
        for number in 1...500 {
            let length = Int.random(in: 0...80, using: &numbers)
            let text = String(repeating: "a", count: length)
            let size: Int
            switch Int.random(in: 0...2, using: &numbers) {
            case 0:
                journal.record(.note(text), at: JournalSample.time)
                size = length
            case 1:
                journal.record(.frame(JournalSample.frame(.server, text)), at: JournalSample.time)
                size = min(length, limits.body)
            default:
                let exchange = JournalSample.exchange("GET /\(text)", body: text)
                journal.record(.exchange(exchange), at: JournalSample.time)
                size = exchange.head.byteCount + min(length, limits.body)
            }
            model.append((number, size))
            while model.count > limits.entries || model.reduce(0, { $0 + $1.size }) > limits.bytes {
                model.removeFirst()
            }
            #expect(journal.byteCount == model.reduce(0) { $0 + $1.size })
            #expect(journal.entries().map(\.number) == model.map(\.number))
            #expect(journal.droppedCount == number - model.count)
        }
    }
}

@Suite("Dropping a journal's oldest entries")
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

    @Test("A journal's weight is its bytes plus 256 per entry")
    func weight() {
        #expect(Self.journal([]).weight == 0)
        #expect(Self.journal([0, 10, 100]).weight == 110 + 3 * 256)
    }

    @Test(
        "The journal drops entries until it is within its limit",
        arguments: [(10_000, 5), (5 * 256 + 15, 5), (5 * 256 + 14, 4), (512, 1), (256 + 5, 1), (256 + 4, 0), (0, 0)])
    func drop(_ limit: Int, _ kept: Int) {
        var journal = Self.journal([1, 2, 3, 4, 5])
        journal.dropOldest(downTo: limit)
        let numbers = Array((1...5).suffix(kept))
        #expect(journal.entries().map(\.number) == numbers)
        #expect(journal.count == kept && journal.droppedCount == 5 - kept && journal.lastNumber == 5)
        #expect(journal.byteCount == numbers.reduce(0, +))
        #expect(journal.missedCount(after: 0) == 5 - kept)
    }

    @Test("The journal continues after dropping entries in any state of its ring", arguments: [3, 5, 16, 17, 40])
    func goesOn(_ count: Int) {
        var journal = Self.journal(Array(repeating: 1, count: count), entries: 17)
        journal.dropOldest(downTo: journal.weight / 2)
        for _ in 0..<20 { journal.record(.note("y"), at: Timestamp(secondsSinceEpoch: 0)) }
        #expect(journal.entries().map(\.number) == Array((1...(count + 20)).suffix(17)))
        #expect(journal.count + journal.droppedCount == count + 20)
    }
}

@Suite("The cost of checking a journal entry")
struct SearchCostTests {
    private static func journal(_ event: JournalEvent) -> Journal {
        var journal = Journal()
        journal.record(event, at: JournalSample.time, connection: 1)
        return journal
    }

    private static let exchange = JournalSample.exchange("GET /a", body: "12345", answer: "123")
    private static let opening = RecordedOpening(head: JournalSample.head("GET /a/ws"), requestedAt: JournalSample.time)
    private static let frame = JournalSample.frame(.client, "12345")

    @Test(
        "The cost of a search is a constant plus twice the bytes read by its condition",
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
        "The cost of a lookout is a constant plus twice the content bytes that it reads",
        arguments: [
            ("type", "none", 128 + 2 * 5), ("text", "none", 128 + 2 * 5), ("status", "599", 128), ("since", "1", 16),
        ])
    func lookout(name: String, value: String, expected: Int) throws {
        // The query names a user, so that unwanted entries are also examined.
        var lookout = JournalLookout(try JournalQuery(query: [("user", "none"), (name, value)]))
        guard case .passed(let cost)? = lookout.next(in: Self.journal(.frame(Self.frame))) else {
            Issue.record("nothing was passed")
            return
        }
        #expect(cost == expected)
    }
}

@Suite("Byte-wise comparison in queries")
struct JournalIdentityTests {
    /// Texts that are equal as Swift strings.
    static let twins: [(ExactString, ExactString)] = [("jos\u{E9}", "jose\u{301}"), ("K", "\u{212A}")]

    private func entries(_ journal: Journal, _ name: String, _ value: ExactString) throws -> [Int] {
        journal.entries(try JournalQuery(query: [(name, value.text), ("order", "asc")])).map(\.number)
    }

    @Test("A query by user compares bytes", arguments: twins)
    func users(_ first: ExactString, _ second: ExactString) throws {
        var journal = Journal()
        for user in [first, second] {
            journal.record(
                .exchange(JournalSample.exchange("GET /a", user: user)), at: JournalSample.time, connection: 1)
        }
        #expect(try entries(journal, "user", first) == [1])
        #expect(try entries(journal, "user", second) == [2])
    }

    @Test("Queries by path segment and by type compare bytes", arguments: twins)
    func others(_ first: ExactString, _ second: ExactString) throws {
        func escaped(_ text: ExactString) -> String { text.utf8.map { "%" + String($0, radix: 16) }.joined() }
        var journal = Journal()
        for text in [first, second] {
            journal.record(
                .exchange(JournalSample.exchange("GET /a/\(escaped(text))")), at: JournalSample.time, connection: 1)
        }
        for text in [first, second] {
            let payload = Array(#"{"type":"\#(text)"}"#.utf8)
            let frame = RecordedFrame(sender: .client, opcode: .text, payload: payload)
            journal.record(.frame(frame), at: JournalSample.time, connection: 2)
        }
        #expect(try entries(journal, "path", "/{x}/\(first)") == [1])
        #expect(try entries(journal, "path", "/{x}/\(second)") == [2])
        #expect(try entries(journal, "type", first) == [3])
        #expect(try entries(journal, "type", second) == [4])
    }

    @Test("A path template accepts a combining mark after a slash but not after a brace")
    func marks() {
        #expect(PathPattern("/a/\u{301}b/{id}") == .template(["a", "\u{301}b", nil]))
        #expect(PathPattern("/a/{id}\u{301}") == nil)
    }
}
