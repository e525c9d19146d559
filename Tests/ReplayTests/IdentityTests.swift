import JSON
import Testing
import Traffic

@testable import Replay

@Suite("Recorded values are their bytes")
struct IdentityTests {
    /// Texts that Swift's strings equate.
    static let twins: [(ExactString, ExactString)] = [("jos\u{E9}", "jose\u{301}"), ("K1", "\u{212A}1")]

    @Test("A vocabulary has both", arguments: twins)
    func vocabulary(_ first: ExactString, _ second: ExactString) {
        var vocabulary = Vocabulary()
        let (one, other) = (vocabulary.intern(first), vocabulary.intern(second))
        #expect(one != other && vocabulary.number(of: first) == one && vocabulary.number(of: second) == other)
    }

    @Test("An id in a path gets its own answer", arguments: twins)
    func paths(_ first: ExactString, _ second: ExactString) throws {
        func escaped(_ text: ExactString) -> String { text.utf8.map { "%" + String($0, radix: 16) }.joined() }
        var builder = SessionBuilder()
        builder.exchange("GET", "/api/v1/goals/\(escaped(first))", answer: "first")
        builder.exchange("GET", "/api/v1/goals/\(escaped(second))", answer: "second")
        for match in [ReplaySettings.Match.ordered, .route] {
            var player = try builder.player(match)
            #expect(player.text("GET", "/api/v1/goals/\(escaped(second))") == "second")
            #expect(player.text("GET", "/api/v1/goals/\(escaped(first))") == "first")
        }
    }

    @Test("What differs in its bytes is told as a difference", arguments: twins)
    func differences(_ first: ExactString, _ second: ExactString) {
        var differences = Differences(following: Following(vocabulary: Vocabulary()), origins: (Origins(), Origins()))
        #expect(differences.isSame(first.text, first.text) && !differences.isSame(first.text, second.text))
        // Also where it holds an id that the vocabulary does not have.
        #expect(differences.isSame(IDs.a, IDs.a) && !differences.isSame(IDs.a, IDs.b))
        differences.compare(RequestURL("/a?\(first)=1"), RequestURL("/a?\(second)=1"))
        #expect(differences.list.count == 2)
        var paths = Differences(following: Following(vocabulary: Vocabulary()), origins: (Origins(), Origins()))
        paths.compare(RequestURL("/\(first)"), RequestURL("/\(first)"))
        #expect(paths.list.isEmpty)
        paths.compare(RequestURL("/\(first)"), RequestURL("/\(second)"))
        #expect(paths.list.map(\.place) == ["path"])
    }

    @Test("Bodies up to a limit are compared by their values, larger ones by their size", arguments: [0, 1])
    func largeBodies(_ over: Int) {
        func body(_ letter: String) -> [UInt8] {
            let start = #"{"a":"\#(letter)","b":""#
            let fill = String(repeating: "x", count: ReplayLimits.comparedBody + over - start.utf8.count - 2)
            return Array((start + fill + #""}"#).utf8)
        }
        var differences = Differences(following: Following(vocabulary: Vocabulary()), origins: (Origins(), Origins()))
        differences.compare(body: body("1"), body("2"), named: "body")
        #expect(differences.list.map(\.place) == [over == 0 ? "body.a" : "body"])
        // So is what a message shows of them: as JSON or as any text.
        #expect(Excerpts.of(body("1"))?.hasPrefix(over == 0 ? "{" : "\"") == true)
    }
}
