import FitIQAPI
import HTTP1
import JSON
import Testing
import Traffic

@Suite("Queries compare bytes")
struct JournalIdentityTests {
    /// Texts that Swift's strings equate.
    static let twins: [(ExactString, ExactString)] = [("jos\u{E9}", "jose\u{301}"), ("K", "\u{212A}")]

    private func entries(_ journal: Journal, _ name: String, _ value: ExactString) throws -> [Int] {
        journal.entries(try JournalQuery(query: [(name, value.text), ("order", "asc")])).map(\.number)
    }

    @Test("by user", arguments: twins)
    func users(_ first: ExactString, _ second: ExactString) throws {
        var journal = Journal()
        for user in [first, second] {
            journal.record(
                .exchange(JournalSample.exchange("GET /a", user: user)), at: JournalSample.time, connection: 1)
        }
        #expect(try entries(journal, "user", first) == [1])
        #expect(try entries(journal, "user", second) == [2])
    }

    @Test("by segments of a path, and by type", arguments: twins)
    func others(_ first: ExactString, _ second: ExactString) throws {
        func escaped(_ text: ExactString) -> String {
            text.utf8.map { "%" + String($0, radix: 16) }.joined()
        }
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

    @Test("where a combining mark follows a slash or a brace")
    func marks() {
        #expect(PathPattern("/a/\u{301}b/{id}") == .template(["a", "\u{301}b", nil]))
        #expect(PathPattern("/a/{id}\u{301}") == nil)
    }
}
