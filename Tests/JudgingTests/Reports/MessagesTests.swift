import JSON
import Testing
import Text

@testable import Judging

@Suite("Report messages")
struct MessagesTests {
    static let rows: KeyValuePairs<String, String> = [
        Messages.times(1): "once", Messages.times(2): "twice", Messages.times(3): "3 times", Words.list(["a"]): "a",
        Words.list(["a", "b"]): "a and b", Words.list([]): "", Words.list(["a", "b", "c"]): "a, b and c",
        Durations.seconds(0): "0", Durations.seconds(1_500_000_000): "1.5", Durations.seconds(1_050_400_000): "1.05",
        Durations.seconds(999_600_000): "0.999", Durations.seconds(7_000_000): "0.007",
        Messages.command(.exited(3)): "the command ended with exit status 3",
        Messages.command(.signalled(11)): "the command was terminated by signal 11",
        Messages.command(.timedOut(1_500_000_000)): "the command was stopped after its time limit of 1.5 s",
        Messages.failedCommand(.exited(1), scenario: "conflict"):
            "The command ended with exit status 1 in conflict. This fails the run, even if the client kept "
            + "every obligation; see the command's own output.",
        Messages.knownCommand(.exited(1), scenario: "conflict"):
            "The command ended with exit status 1 in conflict, which is a known failure.",
        Messages.verdict(.broken, [("a/b", "x")], isSingle: false): "1 must is broken: a/b (first in x).",
        Messages.verdict(.warned, [("a/b", "x"), ("c/d", "y")], isSingle: true): "2 shoulds are broken: a/b and c/d.",
        Messages.failed([], "case") ?? "none": "none",
        Messages.failed(["a", "b", "a"], "case") ?? "": "3 cases failed: a and b.",
        Messages.short(["a", "b", "c", "d", "e", "f"]): "a, b, c, d, e and f",
        Messages.short(["a", "b", "c", "d", "e", "f", "g"]): "a, b, c, d, e and 2 more",
        Messages.seen(in: ["a"]): "In a:", Messages.seen(in: ["a", "b", "c"]): "First in a, and then in b and c:",
        Messages.kept(["a", "b"]): "Kept wherever faced: a and b.", Messages.unfaced(1): "1 obligation was not faced.",
        Messages.unfaced(2): "2 obligations were not faced.",
        Messages.source(of: SampleReport.reconnect): "consultation-websocket, enhanced-consultations, best practice 2",
        Messages.source(of: SampleReport.lowercase): "all guides",
        Messages.source(of: SampleReport.history): "fitiq-mock, not a guide",
        Messages.hidden(1, isVerified: true): "1 more obligation is faced only in scenarios that were not run.",
        Messages.hidden(2, isVerified: false): "2 more obligations are faced only in cases that were not played.",
        Messages.moreAnnotations(2, "error"): "2 more errors: see the report.", Messages.more(1): "and 1 more breach.",
        Messages.more(2): "and 2 more breaches.",
        Messages.missed(1, scenario: "default"):
            "The journal of default dropped 1 entry before judging: breaches in dropped entries go unnoticed, and "
            + "verdicts that depend on dropped entries may be wrong.",
    ]

    @Test("Messages are full sentences", arguments: rows.indices)
    func sentence(row: Int) { #expect(Self.rows[row].0 == Self.rows[row].1) }

    /// The counts of obligations by mark, the number of cases and of runs, and the summary.
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

    @Test("A summary states the count of each mark", arguments: summaries)
    func summary(_ counts: [Report.Mark: Int], _ cases: Int, _ runs: Int, _ sentence: String) {
        var outcome = Report.Outcome()
        outcome.counts = counts
        outcome.checkCount = cases
        outcome.hasConnected = true
        #expect(Messages.summary(outcome, runs: runs) == sentence)
    }

    @Test("Every exposure path has a unique name")
    func exposures() {
        #expect(Set(Exposure.Path.allCases.map(Messages.exposure)).count == Exposure.Path.allCases.count)
    }
}

@Suite("Byte-wise comparison of known breaches")
struct KnownBrokenIdentityTests {
    @Test(
        "A known-broken line excuses only the scenario with exactly its bytes",
        arguments: [("jos\u{E9}", "jose\u{301}"), ("K", "\u{212A}")])
    func scenarios(_ first: String, _ second: String) throws {
        let list = try KnownBroken(reading: Array("\(first) ids/lowercase".utf8))
        #expect(list.lists("ids/lowercase", in: first) && !list.lists("ids/lowercase", in: second))
        let both = Array("\(first) ids/lowercase\n\(second) ids/lowercase".utf8)
        #expect(try KnownBroken(reading: both).lines.count == 2)
    }
}

@Suite("Coverage in reports")
struct CoverageSummaryTests {
    private static let summary = CoverageSummary(
        SampleReport.report.coverage, played: ["default", "drop-mid-stream"], of: SampleReport.reachable)

    @Test("A summary counts all faced situations and suggests the nearest unplayed situation next")
    func counts() {
        #expect(Self.summary.facedCount == 5 && Self.summary.reachableCount == 10)
        #expect(
            Self.summary.next.map(\.way) == [
                "token-expires-mid-session", "explore --only silence", "default", "drop-mid-stream",
            ])
        let all = CoverageSummary(
            SampleReport.reachable.reduce(into: Coverage()) { $0.insert($1.situation) }, of: SampleReport.reachable)
        #expect(all.sentence == "Faced 9 of 9 reachable situations." && all.next.isEmpty)
        let none = CoverageSummary(Coverage(), of: SampleReport.reachable)
        #expect(
            none.sentence
                == "Faced 0 of 9 reachable situations; next: a good token without a socket → --scenario default.")
        #expect(none.next.count == 8)
    }

    @Test("The report lists at most ten situations")
    func limit() {
        let many = (0..<Situation.count).map { ReachableSituation(Situation(index: $0), way: "default") }
        #expect(CoverageSummary(Coverage(), of: many).next.count == CoverageSummary.nextLimit)
        #expect(CoverageSummary(Coverage(), of: Array(many.prefix(10))).next.count == 10)
        #expect(CoverageSummary(Coverage(), of: Array(many.prefix(9))).next.count == 9)
    }

    @Test("The coverage table's cells add up to the faced and the reachable totals")
    func table() {
        let rows = Self.summary.table
        let cells = rows.flatMap(\.cells)
        #expect(cells.map(\.faced).reduce(0, +) == 5 && cells.map(\.reachable).reduce(0, +) == 10)
        let idle = rows.first { $0.socket == .idle && $0.token == .good }
        #expect(idle?.cells.map(\.faced) == [1, 1, 0, 0, 0, 0])
        let none = rows.first { $0.socket == .none && $0.token == .good }
        #expect(none?.cells.map(\.faced) == [1, 0, 0, 0, 0, 0] && none?.cells.map(\.reachable) == [1, 1, 0, 0, 0, 0])
        #expect(rows.first { $0.socket == .none && $0.token == .revoked }?.cells[5].reachable == 1)
        #expect(!rows.contains { $0.socket == .connecting })
        let whole = CoverageSummary(
            Coverage(), of: (0..<Situation.count).map { ReachableSituation(Situation(index: $0), way: nil) })
        #expect(whole.table.count == 21 && whole.table.flatMap(\.cells).map(\.reachable).reduce(0, +) == 504)
        #expect(whole.sentence == "Faced 0 of 504 reachable situations.")
    }

    @Test(
        "Reports describe situations in words",
        arguments: [
            "none good none none": "a good token without a socket",
            "streaming expired none none": "an expired token while an answer streams",
            "idle revoked pending cut":
                "a revoked token and a pending meal while a socket is idle, after a lost socket",
            "closing good done told": "a settled meal while a socket closes, after an error message from the server",
        ] as KeyValuePairs<String, String>)
    func words(names: String, words: String) { #expect(Messages.words(SampleReport.situation(names)) == words) }

    @Test("Every situation has a unique description and unique names that identify it")
    func names() {
        let all = (0..<Situation.count).map(Situation.init(index:))
        #expect(Set(all.map(Messages.words)).count == Situation.count)
        #expect(all.allSatisfy { Situation(names: $0.names) == $0 })
        #expect(Situation(names: ["none", "good", "none", "odd"]) == nil && Situation(names: ["none"]) == nil)
    }

    @Test("The reader accepts a written table of situations and rejects a wrong or repeated row")
    func file() {
        let rows = SampleReport.reachable.map { ($0.situation.names + [$0.way ?? "-"]).joined(separator: "\t") + "\n" }
        let text = "socket\ttoken\tmeal\ttrouble\tway\n" + rows.joined()
        #expect(rows[0] == "none\tgood\tnone\tnone\tdefault\n")
        #expect(ReachableSituation.read(Array(text.utf8)) == SampleReport.reachable)
        for bad in [
            "none\tgood\tnone\tnone", "none\tgood\tnone\tnone\tx\ty", "odd\tgood\tnone\tnone\tx",
            "closing\tgood\tnone\t\tnone\tx",
        ] { #expect(ReachableSituation.read(Array((text + bad + "\n").utf8)) == nil, "\(bad)") }
        #expect(ReachableSituation.read(Array((text + "none\tgood\tnone\tnone\tx\n").utf8)) == nil)
        #expect(ReachableSituation.read(Array((text + "closing\tgood\tnone\tnone\t\n").utf8)) == nil)
        #expect(ReachableSituation.read(Array(text.utf8).dropLast(1)) != nil)
    }

    @Test("The embedded file lists over 100 situations and names built-in scenarios")
    func builtIn() {
        #expect(ReachableSituation.all.count > 100)
        #expect(ReachableSituation.all.first == SampleReport.row("none good none none", "default"))
        #expect(ReachableSituation.all.contains { $0.scenario == "token-expires-mid-session" })
    }

    @Test("The JSON report has coverage for all runs together and for each run, and lists situations once")
    func json() throws {
        let value = try JSON.parse(JSONReport(SampleReport.report).bytes)
        #expect(value["coverage"]?["faced"] == 5 && value["coverage"]?["reachable"] == 10)
        let situations = value["coverage"]?["situations"]?.array ?? []
        #expect(situations.count == 10 && situations.count { $0["faced"] == true } == 5)
        #expect(situations[0]["socket"] == "none" && situations[0]["way"] == "default")
        #expect(situations[8]["way"] == .null && situations[8]["trouble"] == "told")
        let runs = value["runs"]?.array ?? []
        #expect(runs.map { $0["coverage"]?["faced"] } == [3, 3])
        #expect(runs.allSatisfy { $0["coverage"]?["situations"] == nil })
        var writer = JSONWriter()
        writer.object { Self.summary.writeTable(to: &$0) }
        let page = try JSON.parse(writer.bytes)["coverage"]
        #expect(page?["next"]?[0]?["words"] == "an expired token while an answer streams, after a refusal")
        #expect(page?["table"]?.array?.count == Self.summary.table.count && page?["faced"] == 5)
    }

    @Test("If the client never connected, a report says nothing about coverage")
    func neverConnected() {
        var report = SampleReport.report
        for index in report.runs.indices { report.runs[index].hasConnected = false }
        #expect(!TerminalReport(report).text.contains("reachable"))
        #expect(!MarkdownReport(report).text.contains("reachable"))
        #expect(TerminalReport(SampleReport.report).text.contains("Faced 5 of 10 reachable situations; next: "))
    }
}
