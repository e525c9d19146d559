import FitIQAPI
import Testing

@testable import Judging

@Suite("How to fix a client, in the words of its language")
struct AdviceTests {
    @Test(
        "Swift's words are for clients that say that they are written in it",
        arguments: [
            ("FitIQ/1 CFNetwork/1490.0.4 Darwin/23.2.0", true), ("app (unknown version) curl/8.5.0", true),
            ("curl/8.5.0", false), ("python-requests/2.31", false), (nil, false),
        ])
    func language(userAgent: String?, isSwift: Bool) throws {
        var judge = Judge(mode: .union)
        var story = Story()
        let fields = userAgent.map { ["User-Agent: \($0)"] } ?? []
        story.request(.showConsultation, Story.id(10).uppercased(), status: 404, at: 0, fields: fields)
        // The first that says so counts.
        story.request(.listGoals, at: 1, fields: isSwift ? ["User-Agent: curl/8.5.0"] : [])
        for entry in story.journal.entries() { judge.observe(entry) }
        let verdict = try #require(judge.verdicts().first { $0.obligation.id == "ids/lowercase" })
        #expect(verdict.outcome == .broken)
        let general = verdict.obligation.advice
        #expect(verdict.advice.hasPrefix(general) && !general.contains("uuidString"))
        #expect(verdict.advice.contains("uuidString") == isSwift)
        let text = TerminalReport(
            Report(
                title: "x",
                runs: [
                    .init(
                        scenario: "a", mode: .union, hasConnected: true, verdicts: judge.verdicts(), exposures: [])
                ])
        ).text
        #expect(text.contains("How to fix it: \(verdict.advice)\n"))
    }

    @Test("A verdict on a client of which nothing is known has everyone's words")
    func unknown() {
        #expect(Findings(of: LowercaseIDs.obligation).verdict.advice == LowercaseIDs.obligation.advice)
    }

    @Test("No advice has Swift's words for all", arguments: Judge.obligations + Obligation.inside)
    func general(_ obligation: Obligation) {
        for word in ["task.", "URLSession", "URLRequest", "await", "Codable", ".iso8601", "uuid", "webSocketTask"] {
            #expect(!obligation.advice.contains(word), "\(obligation.advice)")
        }
    }
}
