import FitIQAPI
import JSON
import Testing

@testable import Sessions

@Suite("Sessions tell users, worlds and texts apart by their bytes")
struct IdentityTests {
    private typealias Journal = SessionJournalTests

    @Test("Two users stay two, and so do two tokens", arguments: [("jos\u{E9}", "jose\u{301}"), ("K", "\u{212A}")])
    func users(_ first: String, _ second: String) {
        for isToken in [false, true] {
            func token(_ name: String) -> String {
                isToken ? name : AccessToken(subject: ExactString(name), expiresAt: 1).signed(with: [1])
            }
            let exchanges = [first, second].map { SessionEntry.exchange(Journal.exchange(token: token($0))) }
            let journal = SessionJournal(Session(entries: exchanges), isWhole: true)
            #expect(Journal.exchanges(journal).map(\.user) == [ExactString(first), ExactString(second)])
        }
    }

    @Test(
        "A text in another normal form is a difference", arguments: [("jos\u{E9}", "jose\u{301}"), ("K", "\u{212A}")])
    func comparison(_ first: String, _ second: String) {
        func session(_ text: String) -> Session {
            Session(entries: [
                .exchange(Samples.exchange("GET", "/a", at: 0, answer: #"{"a":"\#(text)"}"#)),
                .exchange(Samples.exchange("GET", "/b?\(text)=1", at: 1, answer: "{}")),
            ])
        }
        #expect(SessionComparison(session(first), session(first)).isEqual)
        #expect(SessionComparison(session(first), session(second)).differences.count == 2)
    }
}
