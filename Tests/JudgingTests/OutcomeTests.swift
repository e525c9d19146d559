import Foundation
import Testing

@testable import Judging

@Suite("A report's result")
struct OutcomeTests {
    static let finding = Finding(level: .must, message: "x", evidence: [])
    static let warning = Finding(level: .should, message: "x", evidence: [])

    /// A run with one obligation, `ids/lowercase`.
    static func run(
        _ outcome: Verdict.Outcome = .kept, _ findings: [Finding] = [], scenario: String = "default",
        connected: Bool = true, command: Report.CommandOutcome? = nil, failures: [String]? = nil
    ) -> Report.Run {
        Report.Run(
            scenario: scenario, mode: .union, command: command, hasConnected: connected,
            verdicts: [SampleReport.verdict(SampleReport.lowercase, outcome, exercised: 1, findings)], exposures: [],
            checks: failures.map { [Report.Check(address: "a/b/c", clause: "c", failures: $0)] } ?? [])
    }

    /// A run whose command may end with any status.
    private static func honest(_ command: Report.CommandOutcome) -> Report.Run {
        var run = run(command: command)
        run.mayFail = true
        return run
    }

    static let rows: [([Report.Run], String, Int, String)] = [
        ([run()], "", 0, "The run passes."),
        ([run(.notExercised)], "", 0, "The run passes."),
        ([run(.broken, [finding])], "", 1, "The run fails: a must is broken."),
        ([run(.broken, [warning])], "", 0, "The run passes."),
        ([run(.broken, [finding])], "ids/lowercase", 0, "The run passes."),
        ([run(.broken, [finding])], "default ids/lowercase", 0, "The run passes."),
        ([run(.broken, [finding])], "other ids/lowercase", 1, "The run fails: a must is broken."),
        ([run()], "ids/lowercase", 1, "The run fails: the known-broken list has outdated lines."),
        ([run(.notExercised)], "ids/lowercase", 0, "The run passes."),
        ([run(), run(.broken, [finding], scenario: "b")], "ids/lowercase", 0, "The run passes."),
        (
            [run(), run(.broken, [finding], scenario: "b")], "default ids/lowercase", 1,
            "The run fails: a must is broken and the known-broken list has outdated lines."
        ),
        ([run(command: .exited(0))], "", 0, "The run passes."),
        ([run(command: .exited(2))], "", 1, "The run fails: a command failed."),
        ([run(command: .exited(2))], "command", 0, "The run passes."),
        ([run(command: .exited(2))], "default command", 0, "The run passes."),
        ([run(command: .exited(2))], "other command", 1, "The run fails: a command failed."),
        ([run(command: .exited(0))], "command", 1, "The run fails: the known-broken list has outdated lines."),
        ([honest(.exited(2))], "", 0, "The run passes."),
        ([honest(.exited(2))], "command", 1, "The run fails: the known-broken list has outdated lines."),
        ([honest(.signalled(9))], "", 1, "The run fails: a command failed."),
        ([honest(.timedOut(1))], "", 1, "The run fails: a command failed."),
        ([run(command: .signalled(9)), run(command: .timedOut(1))], "", 1, "The run fails: 2 commands failed."),
        ([run(failures: [])], "", 0, "The run passes."),
        ([run(failures: ["x"])], "", 1, "The run fails: a case failed."),
        ([run(failures: ["x"])], "a/b/c", 0, "The run passes."),
        ([run(failures: [])], "a/b/c", 1, "The run fails: the known-broken list has outdated lines."),
        ([run(.notExercised, connected: false)], "", 4, "The run fails: the client never connected."),
        (
            [run(.notExercised, connected: false, command: .exited(1))], "", 4,
            "The run fails: the client never connected, and a command failed."
        ),
        ([run(.notExercised, connected: false), run()], "", 0, "The run passes."),
        ([], "", 4, "The run fails: the client never connected."),
    ]

    @Test("Every report format states the reason for the exit code", arguments: rows.indices)
    func exitCode(row: Int) throws {
        let (runs, list, exitCode, sentence) = Self.rows[row]
        let report = Report(title: "t", runs: runs)
        let known = try KnownBroken(reading: Array(list.utf8), checks: ["a/b/c", Report.Run.command])
        let outcome = report.outcome(knownBroken: known)
        #expect(outcome.exitCode == exitCode)
        #expect(Messages.judgement(outcome) == sentence)
        // Every format contains the same sentence.
        #expect(TerminalReport(report, knownBroken: known).text.hasSuffix(" \(sentence)\n"))
        #expect(JSONReport(report, knownBroken: known).text.contains("\"exit_code\":\(exitCode),"))
        #expect(MarkdownReport(report, knownBroken: known).text.contains(exitCode == 0 ? "✅" : "❌"))
    }

    @Test("An incomplete report fails and does not mark known-broken lines as outdated")
    func incomplete() throws {
        var report = Report(title: "t", runs: [Self.run()])
        report.incomplete = "Interrupted: 1 of 3 scenarios is in this report."
        let known = try KnownBroken(reading: Array("ids/lowercase".utf8))
        let outcome = report.outcome(knownBroken: known)
        #expect(outcome.exitCode == 1 && outcome.outdated.isEmpty)
        #expect(Messages.judgement(outcome) == "The run is incomplete and fails.")
        #expect(TerminalReport(report).text.hasPrefix("t (incomplete)\n\nInterrupted: 1 of 3"))
        #expect(MarkdownReport(report).text.contains("\n- Interrupted: 1 of 3"))
        #expect(JSONReport(report).text.contains(#""incomplete":"Interrupted"#))
        report.runs = [Self.run(.broken, [Self.finding], connected: false)]
        #expect(report.outcome().exitCode == 1)
        #expect(Messages.judgement(report.outcome()) == "The run is incomplete and fails, and a must is broken.")
        report.runs = []
        #expect(!TerminalReport(report).text.contains(Messages.nothingRecorded), "nothing is known of the client")
    }

    @Test("A report says once, after the verdict, that the client never connected")
    func neverConnected() throws {
        let text = TerminalReport(
            Report(title: "t", runs: [Self.run(.notExercised, connected: false, command: .exited(1))])
        ).text
        let parts = text.split(separator: "\n\n").map(String.init)
        #expect(parts[1] == "1 command failed: in default." && parts[2] == Messages.neverConnected, "\(text)")
        #expect(text.components(separatedBy: "never connected").count == 3, "there and in the summary: \(text)")
        let some = TerminalReport(Report(title: "t", runs: [Self.run(), Self.run(scenario: "b", connected: false)]))
            .text
        #expect(some.split(separator: "\n\n").last { $0.contains("did not connect in b") } != nil, "\(some)")
        #expect(some.components(separatedBy: "did not connect in b").count == 2, "once: \(some)")
    }

    @Test("A report omits obligations outside the selection unless the client faced them")
    func hidden() throws {
        var report = Report(title: "t", runs: [Self.run(.notExercised, command: .exited(0))])
        func rows() -> [Bool] {
            [TerminalReport(report).text, MarkdownReport(report).text].map { $0.contains("ids/lowercase") }
        }
        #expect(rows() == [false, true], "a terminal only counts what was not faced")
        report.faced = ["ids/lowercase"]
        #expect(rows() == [false, true])
        let unfaced = "1 obligation was not faced."
        #expect(TerminalReport(report).text.contains(unfaced))
        report.faced = []
        #expect(rows() == [false, false])
        #expect(!TerminalReport(report).text.contains(unfaced))
        #expect(TerminalReport(report).text.contains("1 more obligation is faced only in scenarios that were not run."))
        #expect(JUnitReport(report).text.contains("ids/lowercase") == false)
        #expect(JSONReport(report).text.contains("ids/lowercase"))
        #expect(TerminalReport(report).text.contains("1 not exercised"), "it counts all the same")
        report.runs = [Self.run()]
        #expect(rows() == [true, true])
    }

    @Test("An outcome counts each obligation once, with its worst mark across all runs")
    func worst() {
        let runs = [Self.run(), Self.run(.broken, [Self.warning]), Self.run(.broken, [Self.finding]), Self.run()]
        let outcome = Report(title: "t", runs: runs).outcome()
        #expect(outcome.counts == [.broken: 1])
    }

    @Test(
        "The known-broken list reader accepts valid lines and explains bad lines",
        arguments: [
            "": "", "# nothing\n\n  # more\n": "", "ids/lowercase # always\r\n": "",
            "ids/lower-case": "f:1: there is no obligation or check 'ids/lower-case'. Did you mean 'ids/lowercase'?",
            "\na b c":
                "f:2: a line must be an obligation's id or a check's address, preceded by a scenario if it "
                + "applies only to that scenario; got 'a b c'.",
            "zzzzzzzzzzzzzzzz": "f:1: there is no obligation or check 'zzzzzzzzzzzzzzzz'.",
            "ids/lowercase\na ids/lowercase\nids/lowercase\n":
                "f:3: 'ids/lowercase' is already on line 1; remove one of the lines.",
            "x\ny z\n": "f:1: there is no obligation or check 'x'.\nf:2: there is no obligation or check 'z'.",
        ] as KeyValuePairs<String, String>)
    func list(text: String, mistakes: String) {
        do {
            _ = try KnownBroken(reading: Array(text.utf8), file: "f")
            #expect(mistakes.isEmpty)
        } catch { #expect(error.message == mistakes) }
    }

    @Test(
        "A list may have lines for other reports, but scenarios must be spelled correctly",
        arguments: [
            ("limit-reached command\nexplore/crash\nx explore/crash\nagainst/mine\n", ""),
            ("limit-reachd command\n", "f:1: there is no scenario 'limit-reachd'. Did you mean 'limit-reached'?"),
            ("defualt ids/lowercase\n", "f:1: there is no scenario 'defualt'. Did you mean 'default'?"),
            // These may be scenarios in other files, or other reports' names.
            ("limit-reached-2 command\nmine command\nlimit-reachd explore/crash\n", ""),
            ("explore/crsh\n", "f:1: there is no obligation or check 'explore/crsh'. Did you mean 'explore/crash'?"),
        ])
    func sharedList(text: String, mistakes: String) {
        do {
            let known = try KnownBroken(
                reading: Array(text.utf8), checks: [Report.Run.command], others: ["explore/crash", "against/"],
                scenarios: ["default", "limit-reached"], file: "f")
            #expect(mistakes.isEmpty && known.lines.count == text.split(separator: "\n").count)
        } catch { #expect(error.message == mistakes) }
    }

    @Test("Every scenario that an obligation suggests exists")
    func hints() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Fixtures/scenarios")
        let names = Set(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).map { $0.replacing(".yaml", with: "") })
        #expect(names.isSuperset(of: Judge.obligations.flatMap(\.scenarios)))
    }
}
