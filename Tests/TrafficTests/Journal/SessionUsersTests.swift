import Digests
import FitIQAPI
import Testing

@testable import Traffic

@Suite("Whose requests those of a session are")
struct SessionUsersTests {
    private typealias Journal = SessionJournalTests

    /// A JSON Web Token of a subject, without a signature.
    private static func token(of subject: String, _ number: Int = 0) -> String {
        func part(_ text: String) -> String {
            Base64.encode(Array(text.utf8)).replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        }
        return [part("{}"), part(#"{"sub":"\#(subject)","n":\#(number)}"#), "x"].joined(separator: ".")
    }

    private static func users(_ exchanges: [SessionExchange], isWhole: Bool = true) -> [String?] {
        let journal = SessionJournal(Session(entries: exchanges), isWhole: isWhole)
        return Journal.exchanges(journal).map { $0.user?.text }
    }

    @Test("A token names its user; a 401 has none, and neither has a request without a token")
    func named() {
        let token = Self.token(of: "ann")
        let users = Self.users([
            Journal.exchange(token: token), Journal.exchange(status: 401, token: token), Journal.exchange(token: nil),
            Journal.exchange("GET", "\(Journal.path)?token=\(token)", token: nil),
            Journal.exchange(status: 404, token: Self.token(of: "bob")),
        ])
        #expect(users == ["ann", nil, nil, "ann", "bob"])
    }

    @Test("Two placeholders are two users")
    func placeholders() {
        let users = Self.users([
            Journal.exchange(token: "redacted-token-1"),
            Journal.exchange("GET", "/api/v1/goals", token: "redacted-token-2"),
        ])
        #expect(users == ["redacted-token-1", "redacted-token-2"])
    }

    @Test(
        "Tokens that were let at the same thing are one user's, if not by what everybody sees or may not see",
        arguments: [
            ("GET", Journal.path, 200, "{}", true),
            ("GET", "/api/v1/consultations", 200, #"{"data":[{"id":"\#(Journal.consultation.uppercased())"}]}"#, true),
            ("GET", Journal.path, 404, "{}", false),
            ("GET", "/w/b\(Journal.path)", 200, "{}", false),
            (
                "GET", "/api/v1/consultations/quick-actions", 200, #"{"data":[{"id":"\#(Journal.consultation)"}]}"#,
                false
            ),
        ])
    func refreshed(method: String, target: String, status: Int, answer: String, isSame: Bool) {
        let users = Self.users([
            Journal.exchange(token: "old"),
            Journal.exchange(method, target, status: status, token: "new", answer: answer),
            Journal.exchange("GET", "/api/v1/goals", token: "new"),
        ])
        #expect(Set(users).count == (isSame ? 1 : 2), "\(users)")
    }

    @Test("Two users whom tokens name stay two, and an unnamed token is the one's who shares with it")
    func subjects() {
        let named = [Self.token(of: "ann"), Self.token(of: "ann", 1), Self.token(of: "bob")]
        #expect(Self.users(named.map { Journal.exchange(token: $0) }) == ["ann", "ann", "bob"])
        #expect(Self.users([Journal.exchange(token: "x"), Journal.exchange(token: named[2])]) == ["bob", "bob"])
    }

    @Test("A token that was not answered is not one that was let at anything")
    func unanswered() {
        let users = Self.users([
            Journal.exchange(token: "old"), Journal.exchange(status: nil, token: "new"),
            Journal.exchange("GET", "/api/v1/goals", token: "new"),
        ])
        #expect(users == ["old", "new", "new"])
    }

    @Test("A recording of others that has no credentials at all is one user's")
    func untold() {
        let exchanges = [Journal.exchange(token: nil), Journal.exchange(status: 401, token: nil)]
        #expect(Self.users(exchanges, isWhole: false) == ["user", nil])
        #expect(Self.users(exchanges) == [nil, nil])
        #expect(
            Self.users(exchanges + [Journal.exchange(token: "t")], isWhole: false) == [nil, nil, "t"])
    }
}
