import FitIQAPI
import Testing
import Traffic

@testable import Judging

/// What a client did, and what a judge makes of it.
struct SocketCase: Sendable, CustomTestStringConvertible {
    let name: String
    let expected: Expected
    let end: Double?
    let mode: GuideMode
    let tell: @Sendable (inout SocketStory) -> Void

    enum Expected: Sendable {
        /// Faced so often, and kept.
        case kept(Int = 1)
        case notExercised
        /// A breach with this message, shown by the entries of these numbers.
        case broken(String, [Int], level: Obligation.Level? = nil, count: Int = 1)
    }

    init(
        _ name: String, _ expected: Expected, until end: Double? = nil, in mode: GuideMode = .union,
        _ tell: @escaping @Sendable (inout SocketStory) -> Void
    ) {
        (self.name, self.expected, self.end, self.mode, self.tell) = (name, expected, end, mode, tell)
    }

    var testDescription: String { name }

    func check(_ judge: any ObligationJudge.Type) {
        var story = SocketStory()
        tell(&story)
        let verdict = story.verdict(of: judge, at: end, in: mode)
        switch expected {
        case .kept(let count):
            #expect(verdict.outcome == .kept, "\(verdict.findings.map(\.message))")
            #expect(verdict.exercisedCount == count)
        case .notExercised:
            #expect(verdict.outcome == .notExercised, "\(verdict.exercisedCount): \(verdict.findings.map(\.message))")
        case .broken(let message, let evidence, let level, let count):
            #expect(verdict.outcome == .broken)
            #expect(verdict.findingCount == count, "\(verdict.findings.map(\.message))")
            #expect(verdict.exercisedCount > 0, "what is broken was faced")
            #expect(verdict.findings.first?.message == message)
            #expect(verdict.findings.first?.evidence.map(\.number) == evidence)
            #expect(verdict.findings.first?.level == level ?? judge.obligation.level)
        }
    }
}
