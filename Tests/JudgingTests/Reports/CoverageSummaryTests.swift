import JSON
import Testing

@testable import Judging

@Suite("Coverage, as reports tell it")
struct CoverageSummaryTests {
    private static let summary = CoverageSummary(
        SampleReport.report.coverage, played: ["default", "drop-mid-stream"], of: SampleReport.reachable)

    @Test("What was faced counts, also what the table lacks; next is what is nearest and was not played")
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

    @Test("Ten situations are named, not more")
    func limit() {
        let many = (0..<Situation.count).map { ReachableSituation(Situation(index: $0), way: "default") }
        #expect(CoverageSummary(Coverage(), of: many).next.count == CoverageSummary.nextLimit)
        #expect(CoverageSummary(Coverage(), of: Array(many.prefix(10))).next.count == 10)
        #expect(CoverageSummary(Coverage(), of: Array(many.prefix(9))).next.count == 9)
    }

    @Test("The table adds up to both numbers, by socket, token, meal, and before and after trouble")
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
        "Situations in words",
        arguments: [
            ("none good none none", "a good token without a socket"),
            ("streaming expired none none", "an expired token while an answer streams"),
            (
                "idle revoked pending cut",
                "a revoked token and a pending meal while a socket is idle, after a lost socket"
            ),
            ("closing good done told", "a settled meal while a socket closes, after an error that the server told"),
        ])
    func words(names: String, words: String) {
        #expect(Messages.words(SampleReport.situation(names)) == words)
    }

    @Test("Every situation has words and names of its own, and is found by them")
    func names() {
        let all = (0..<Situation.count).map(Situation.init(index:))
        #expect(Set(all.map(Messages.words)).count == Situation.count)
        #expect(all.allSatisfy { Situation(names: $0.names) == $0 })
        #expect(Situation(names: ["none", "good", "none", "odd"]) == nil && Situation(names: ["none"]) == nil)
    }

    @Test("A table reads back; one with a wrong or repeated row is none")
    func file() {
        let rows = SampleReport.reachable.map { ($0.situation.names + [$0.way ?? "-"]).joined(separator: "\t") + "\n" }
        let text = "socket\ttoken\tmeal\ttrouble\tway\n" + rows.joined()
        #expect(rows[0] == "none\tgood\tnone\tnone\tdefault\n")
        #expect(ReachableSituation.read(Array(text.utf8)) == SampleReport.reachable)
        for bad in [
            "none\tgood\tnone\tnone", "none\tgood\tnone\tnone\tx\ty", "odd\tgood\tnone\tnone\tx",
            "closing\tgood\tnone\t\tnone\tx",
        ] {
            #expect(ReachableSituation.read(Array((text + bad + "\n").utf8)) == nil, "\(bad)")
        }
        #expect(ReachableSituation.read(Array((text + "none\tgood\tnone\tnone\tx\n").utf8)) == nil)
        #expect(ReachableSituation.read(Array((text + "closing\tgood\tnone\tnone\t\n").utf8)) == nil)
        #expect(ReachableSituation.read(Array(text.utf8).dropLast(1)) != nil)
    }

    @Test("The file in the binary has most of the protocol, and names built-in scenarios")
    func builtIn() {
        #expect(ReachableSituation.all.count > 100)
        #expect(ReachableSituation.all.first == SampleReport.row("none good none none", "default"))
        #expect(ReachableSituation.all.contains { $0.scenario == "token-expires-mid-session" })
    }

    @Test("JSON has the numbers of all runs and of each, and the situations once")
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

    @Test("A client that never connected faced nothing that is worth a sentence")
    func neverConnected() {
        var report = SampleReport.report
        for index in report.runs.indices { report.runs[index].hasConnected = false }
        #expect(!TerminalReport(report).text.contains("reachable"))
        #expect(!String(decoding: MarkdownReport(report).bytes, as: UTF8.self).contains("reachable"))
        #expect(TerminalReport(SampleReport.report).text.contains("Faced 5 of 10 reachable situations; next: "))
    }
}
