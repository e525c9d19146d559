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
            1 obligation was not faced.
            """
        #expect(text.hasPrefix("t\n\nNothing is broken.\n\n\(table)\n\n"), "\(text)")
        #expect(!text.contains("Error paths met"), "it met none")
    }

    @Test("Several runs begin with the verdict, and show what is broken once, with the runs that broke it")
    func several() {
        func run(_ scenario: String, _ verdicts: [Verdict], command: Report.CommandOutcome = .exited(0)) -> Report.Run {
            Report.Run(
                scenario: scenario, mode: .union, command: command, hasConnected: true, verdicts: verdicts,
                exposures: [])
        }
        func broken(_ messages: String...) -> Verdict {
            SampleReport.verdict(
                SampleReport.lowercase, .broken, exercised: 2,
                messages.map { Finding(level: .must, message: $0, evidence: []) })
        }
        let kept = SampleReport.verdict(SampleReport.history, .kept, exercised: 1)
        let report = Report(
            title: "t",
            runs: [
                run("a", [SampleReport.verdict(SampleReport.lowercase, .kept, exercised: 1), kept]),
                run("b", [broken("The path has A1; try 2.", "The path has A2; try 3."), kept]),
                run("c", [broken("The path has B1; try 9."), kept], command: .exited(1)),
                run(
                    "d", [broken("Another."), SampleReport.verdict(SampleReport.keepalive, .notExercised)],
                    command: .exited(1)),
            ])
        let text = TerminalReport(report).text
        let expected = """
            t

            1 must is broken: ids/lowercase (first in b).
            2 commands failed: in c and in d.

            \(Messages.failedCommand(.exited(1), scenario: "c and d"))

            ✗ ids/lowercase (must)
              Ids in paths are lower-cased.
              Source: all guides
              In 3 runs: broken 4 times, faced 6 times:
                - The path has A1; try 2.
                  First in b, and then in c:
                - The path has A2; try 3.
                  In b:
                - Another.
                  In d:
              How to fix it: Use uuidString.lowercased().

            \(Messages.legend)
              ✗ ids/lowercase  must    broken in 3 of 4 runs
            Kept wherever faced: ws/recovers-history.
            1 obligation was not faced.

            """
        #expect(text.hasPrefix(expected), "\(text)")
    }

    @Test("Lines wrap at the width of a terminal, stay indented, and lose nothing", arguments: [40, 60, 100])
    func width(_ width: Int) {
        let report = SampleReport.report
        let plain = TerminalReport(report, knownBroken: SampleReport.knownBroken).text
        let text = TerminalReport(report, knownBroken: SampleReport.knownBroken, width: width).text
        #expect(plain.split { $0 == " " || $0 == "\n" } == text.split { $0 == " " || $0 == "\n" })
        for line in text.split(separator: "\n") where line.count > max(width, 60) && line != Messages.legend {
            // A word that is longer than the line has the line to itself.
            #expect(!line.drop { " -~✗".contains($0) }.contains(" "), "\(line)")
        }
        #expect(text.contains("\n  How to fix it: ") && text != plain)
    }
}
