import Testing
import Text

@testable import Judging

@Suite("What reports say")
struct MessagesTests {
    static let rows: [(String, String)] = [
        (Messages.times(1), "once"), (Messages.times(2), "twice"), (Messages.times(3), "3 times"),
        (Words.list(["a"]), "a"), (Words.list(["a", "b"]), "a and b"), (Words.list([]), ""),
        (Words.list(["a", "b", "c"]), "a, b and c"),
        (Durations.seconds(0), "0"), (Durations.seconds(1_500_000_000), "1.5"),
        (Durations.seconds(1_050_400_000), "1.05"),
        (Durations.seconds(999_600_000), "0.999"), (Durations.seconds(7_000_000), "0.007"),
        (Messages.command(.exited(3)), "the command ended with exit status 3"),
        (Messages.command(.signalled(11)), "the command was ended by signal 11"),
        (Messages.command(.timedOut(1_500_000_000)), "the command was ended after its time limit of 1.5 s"),
        (
            Messages.failedCommand(.exited(1), scenario: "conflict"),
            "The command ended with exit status 1 in conflict. That fails the run, even if the client kept everything: "
                + "the command's own output says why."
        ),
        (
            Messages.knownCommand(.exited(1), scenario: "conflict"),
            "The command ended with exit status 1 in conflict, which is known."
        ),
        (
            Messages.verdict(.broken, [("a/b", "x")], isSingle: false), "1 must is broken: a/b (first in x)."
        ),
        (
            Messages.verdict(.warned, [("a/b", "x"), ("c/d", "y")], isSingle: true),
            "2 shoulds are broken: a/b and c/d."
        ),
        (Messages.failed([], "case") ?? "none", "none"),
        (Messages.failed(["a", "b", "a"], "case") ?? "", "3 cases failed: a and b."),
        (Messages.short(["a", "b", "c", "d", "e", "f"]), "a, b, c, d, e and f"),
        (Messages.short(["a", "b", "c", "d", "e", "f", "g"]), "a, b, c, d, e and 2 more"),
        (Messages.seen(in: ["a"]), "In a:"), (Messages.seen(in: ["a", "b", "c"]), "First in a, and then in b and c:"),
        (Messages.kept(["a", "b"]), "Kept wherever faced: a and b."),
        (Messages.unfaced(1), "1 obligation was not faced."),
        (Messages.unfaced(2), "2 obligations were not faced."),
        (
            Messages.source(of: SampleReport.reconnect),
            "consultation-websocket, enhanced-consultations, best practice 2"
        ),
        (Messages.source(of: SampleReport.lowercase), "all guides"),
        (Messages.source(of: SampleReport.history), "no guide: fitiq-mock asks for it"),
        (Messages.hidden(1, isVerified: true), "1 more obligation is faced only in scenarios that were not run."),
        (Messages.hidden(2, isVerified: false), "2 more obligations are faced only in cases that were not played."),
        (Messages.moreAnnotations(2, "error"), "2 more errors: see the report."),
        (Messages.more(1), "and 1 more breach."), (Messages.more(2), "and 2 more breaches."),
        (
            Messages.missed(1, scenario: "default"),
            "1 entry of the journal of default were dropped before they were judged: breaches among them go unnoticed, "
                + "and what depends on them may be judged wrongly."
        ),
    ]

    @Test("sentences", arguments: rows.indices)
    func sentence(row: Int) {
        #expect(Self.rows[row].0 == Self.rows[row].1)
    }

    /// The numbers of obligations by mark, the number of cases and of runs, and the summary.
    static let summaries: [([Report.Mark: Int], Int, Int, String)] = [
        ([.kept: 1], 0, 1, "1 obligation in 1 run: 1 kept and 0 not exercised. The run passes."),
        ([:], 0, 1, "0 obligations in 1 run: 0 kept and 0 not exercised. The run passes."),
        ([:], 2, 1, "2 cases, 0 failed. The run passes."),
        (
            [.broken: 2, .kept: 1], 1, 2,
            "3 obligations in 2 runs: 2 broken, 1 kept and 0 not exercised. 1 case, 0 failed. The run fails: 2 musts "
                + "are broken."
        ),
    ]

    @Test("a summary names what there is", arguments: summaries)
    func summary(_ counts: [Report.Mark: Int], _ cases: Int, _ runs: Int, _ sentence: String) {
        var outcome = Report.Outcome()
        outcome.counts = counts
        outcome.checkCount = cases
        outcome.hasConnected = true
        #expect(Messages.summary(outcome, runs: runs) == sentence)
    }

    @Test("every way in which things go wrong has a name of its own")
    func exposures() {
        #expect(Set(Exposure.Path.allCases.map(Messages.exposure)).count == Exposure.Path.allCases.count)
    }
}
