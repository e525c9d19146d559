import FitIQAPI
import JSON
import Testing
import Traffic

@testable import Judging

@Suite("Judges tell users, ids and tokens apart by their bytes")
struct IdentityTests {
    /// Texts that Swift's strings equate.
    static let twins: [(ExactString, ExactString)] = [("jos\u{E9}", "jose\u{301}"), ("K", "\u{212A}")]

    @Test("Sockets of two users are not one user's", arguments: twins)
    func sockets(_ first: ExactString, _ second: ExactString) {
        var story = SocketStory()
        story.open(1, at: 0, on: "c1", user: first)
        story.open(2, at: 1, on: "c2", user: second)
        var scene = Scene()
        for entry in story.journal.entries() { scene.observe(Fact(entry)) }
        #expect(scene.openSockets(of: first).map(\.connection) == [1])
        #expect(scene.openSockets(of: second).map(\.connection) == [2])
    }

    @Test("What one user was shown does not bind another", arguments: twins)
    func shown(_ first: ExactString, _ second: ExactString) {
        func verdict(_ other: ExactString) -> Told? {
            var story = Story()
            story.becomes(first.text)
            story.request(.listGoals, answer: ["goals": [ReuseTests.linked]], at: 0)
            story.becomes(other.text)
            story.request(.chatAboutGoal, body: ReuseTests.chat, status: 201, answer: ReuseTests.link, at: 1)
            return story.verdict("goal/reuses-conversation")
        }
        #expect(verdict(first)?.outcome == .broken)
        #expect(verdict(second) == .notExercised)
    }
}
