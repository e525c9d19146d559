import Testing

@testable import Judging

@Suite("The table of a terminal report")
struct TerminalTableTests {
    @Test("One run has a line for each obligation, with how often the client faced it if it did")
    func single() {
        let run = Report.Run(
            scenario: "default", mode: .union, hasConnected: true,
            verdicts: [
                SampleReport.verdict(SampleReport.lowercase, .kept, exercised: 1),
                SampleReport.verdict(SampleReport.keepalive, .notExercised),
            ],
            exposures: [Exposure(path: .conflict, count: 0)])
        let text = TerminalReport(Report(title: "t", runs: [run])).text
        let table = """
            default, union
            \(Messages.legend)
              ✓ ids/lowercase  must    faced once
              · ws/keepalive   should
            """
        #expect(text.hasPrefix("t\n\n\(table)\n\n"), "\(text)")
        #expect(!text.contains("Error paths met"), "it met none")
    }

    @Test("Runs that do not fit beside each other go into a further table", arguments: [(28, 3), (29, 2), (32, 1)])
    func width(_ width: Int, _ tables: Int) {
        let runs = ["a", "b", "c"].map { OutcomeTests.run(scenario: $0) }
        var report = TerminalReport(Report(title: "t", runs: runs))
        report.width = width
        let lines = report.text.split(separator: "\n").filter { $0.contains("ids/lowercase") }
        #expect(lines.count == tables, "\(lines)")
        #expect(lines.allSatisfy { $0.count <= width }, "\(lines)")
    }
}
