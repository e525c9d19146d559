import FitIQAPI
import JSON
import Testing
import Text

@testable import Traffic

@Suite("Byte-wise comparison of users, worlds and texts in sessions")
struct IdentityTests {
    private typealias Journal = SessionJournalTests

    @Test(
        "Canonically equivalent users and tokens remain different",
        arguments: [("jos\u{E9}", "jose\u{301}"), ("K", "\u{212A}")])
    func users(_ first: String, _ second: String) {
        for isToken in [false, true] {
            func token(_ name: String) -> String {
                isToken ? name : AccessToken(subject: ExactString(name), expiresAt: 1).signed(with: [1])
            }
            // Two tokens with access to the same consultation belong to one user.
            let exchanges = [first, second].enumerated().map { index, name in
                Journal.exchange("GET", "\(Journal.path)\(index)", token: token(name))
            }
            let journal = SessionJournal(Session(entries: exchanges), isWhole: true)
            #expect(Journal.exchanges(journal).map(\.user) == [ExactString(first), ExactString(second)])
        }
    }

    @Test(
        "Text in a different normalization form counts as a difference",
        arguments: [("jos\u{E9}", "jose\u{301}"), ("K", "\u{212A}")])
    func comparison(_ first: String, _ second: String) {
        func session(_ text: String) -> Session {
            Session(entries: [
                Samples.exchange("GET", "/a", at: 0, answer: #"{"a":"\#(text)"}"#),
                Samples.exchange("GET", "/b?\(text)=1", at: 1, answer: "{}"),
            ])
        }
        #expect(SessionComparison(session(first), session(first)).isEqual)
        #expect(SessionComparison(session(first), session(second)).differences.count == 2)
    }

    @Test("A combining mark after a delimiter does not affect the delimiter")
    func marks() {
        let url = URLParts("https://a.example/\u{301}b?\u{301}c=\u{301}d&\u{301}e#\u{301}f")
        #expect(url.origin == "https://a.example" && url.authority == "a.example")
        #expect(ExactString(url.path) == "/\u{301}b")
        #expect(url.query.map { ExactString($0) } == "\u{301}c=\u{301}d&\u{301}e")
        let exchange = Samples.exchange("GET", "/api/7/\u{301}x/8")
        let key = EntryKey(exchange, RequestURL(exchange.request.url))
        #expect(key.name == "GET /api/{id}/\u{301}x/{id}")
        var comparison = ValueComparison([], [])
        comparison.compareQueries(RequestURL("/?a=\u{301}1&\u{301}b=2"), RequestURL("/?\u{301}b=2&a=\u{301}1"))
        #expect(comparison.changes.isEmpty)
    }
}
