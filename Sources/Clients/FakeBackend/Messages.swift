import FitIQAPI
import Obligations
import Text

// Every sentence of this module that somebody may read stands in this file.

/// A test asked for its backend and has none.
public struct NoFakeBackend: Error, CustomStringConvertible {
    /// What to do about it.
    public let description =
        "This test has no fake backend: write @Test(.fakeBackend()) or @Suite(.fakeBackend()), and ask for "
        + "FakeBackend.current in the test's own task or a child of it, not in Task.detached."
}

/// A clock that follows the system's was to be moved.
public struct ClockIsReal: Error, CustomStringConvertible {
    /// What to do about it.
    public let description =
        "This backend follows the system's clock, which nobody moves: write .fakeBackend(…, clock: .manual)."
}

/// A scenario that does not exist.
public struct UnknownScenario: Error, CustomStringConvertible {
    /// Which it is, and which there are.
    public let description: String
}

/// What a test is told of its client.
enum Messages {
    /// An obligation that was broken: the clause, each breach with its evidence, and how to mend it.
    static func broken(_ verdict: Verdict, evidence: (Finding) -> [String]) -> String {
        let obligation = verdict.obligation
        var lines = ["\(obligation.id) is broken: \(obligation.clause)"]
        for finding in verdict.findings {
            lines.append("- \(finding.message)")
            lines += evidence(finding).map { "    \($0)" }
        }
        let rest = verdict.findingCount - verdict.findings.count
        if rest > 0 { lines.append("- And \(rest) more.") }
        lines.append("How to mend it: \(obligation.advice)")
        return lines.joined(separator: "\n")
    }

    /// Something that was not as a session has it that is played back strictly.
    static func notAsRecorded(_ failure: String) -> String { "The session was not followed: \(failure)" }

    static func unknownObligation(_ id: String, known: [String]) -> String {
        let near = NearestWord.hint(id, among: known)
        return
            "There is no obligation '\(id)' to allow the breach of.\(near) There are \(known.joined(separator: ", "))."
    }
}
