import ContractSuite
import FitIQAPI
import Judging
import Scenarios
import Text
import Traffic

// This file contains all of the module's user-visible text.

extension Refusal {
    static let noFakeBackend = Refusal(
        "This test has no fake backend: write @Test(.fakeBackend()) or @Suite(.fakeBackend()), and use "
            + "FakeBackend.current in the test's own task or a child task, not in Task.detached.")
    static let realClock = Refusal(
        "This backend follows the system's clock, which cannot be moved: write .fakeBackend(…, clock: .manual).")
}

/// Messages for a test about its client.
enum Messages {
    /// A broken obligation: the clause, each breach with its evidence, and how to fix it.
    ///
    /// - Parameter start: The world's start; entries' times are relative to it, as in the reports of `verify`.
    static func broken(_ verdict: Verdict, since start: Timestamp) -> String {
        let obligation = verdict.obligation
        var lines = ["\(obligation.id) is broken: \(obligation.clause)"]
        for finding in verdict.findings {
            lines.append("- \(finding.message)")
            lines += finding.evidence.map { "    \(EntryLine($0, since: start).text)" }
        }
        let rest = verdict.findingCount - verdict.findings.count
        if rest > 0 { lines.append("- And \(rest) more.") }
        lines.append("How to fix it: \(verdict.advice)")
        return lines.joined(separator: "\n")
    }

    /// The message for an awaited event that did not happen in time.
    static func nothingCame(_ what: String, _ when: String, near: [JournalLookout.NearMiss]) -> String {
        let lines = near.map { "\n    \(EntryLine($0.entry).text): \($0.differences.joined(separator: ", "))" }
        return "The test waited for \(what), which did not happen \(when)."
            + (lines.isEmpty ? "" : " The nearest matches:" + lines.joined())
    }

    /// The progress of exploring a test.
    static func progress(_ name: String, runs: Int, found: Int, seconds: Int64, of budget: Int64) -> String {
        "Exploring \(name): \(Words.counted(runs, "run")), \(found) found, \(seconds) s of \(budget) s"
    }

    /// A difference from a session that is replayed strictly.
    static func notAsRecorded(_ failure: String) -> String { "The client deviated from the session: \(failure)" }

    static let neverConnected =
        "The test sent nothing to FakeBackend.current, so there is nothing to explore: faults affect only this backend."
    static func badRuns(_ runs: Int) -> String {
        "exploring(runs: \(runs)) is out of range: use a number from 1 to 10,000,000."
    }

    static func badBudget(_ budget: Duration) -> String {
        "exploring(budget: \(budget)) is out of range: use a duration from 1 s to 7 d."
    }

    static func slowBaseline(_ budget: Duration) -> String {
        "The test's runs without faults used up exploring(budget: \(budget)), so no fault was tried: use a "
            + "longer budget."
    }

    static func badRunLimit(_ limit: Duration) -> String {
        "exploring(runLimit: \(limit)) is out of range: use a duration from 100 ms to 1 h."
    }

    /// A problem found by exploring a test.
    ///
    /// - Parameter isFile: Whether the discovery's file contains the test's whole world.
    static func discovered(_ discovery: Discovery, seed: UInt64, isFile: Bool) -> String {
        var lines = [discovery.sentence]
        lines += discovery.timeline.map { "    \($0)" }
        lines.append("How to fix it: \(discovery.advice)")
        lines.append(
            "Reproduced in \(discovery.confirmed.count) of \(discovery.confirmed.of) runs; seed \(seed), "
                + "\(discovery.schedule). "
                + (isFile
                    ? "This scenario has only these faults:"
                    : "The test's world is defined in Swift, not in a file. With these lines added, the test fails:"))
        let file = isFile ? discovery.file() : ScenarioDocument.text(discovery.schedule.document(on: [:]))
        lines.append(String(decoding: file, as: UTF8.self))
        return lines.joined(separator: "\n")
    }

    static func unknownObligation(_ id: String, known: [String]) -> String {
        let near = NearestWord.hint(id, among: known)
        return "There is no obligation '\(id)'.\(near) The obligations are \(known.joined(separator: ", "))."
    }
}
