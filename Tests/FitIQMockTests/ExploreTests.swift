import FitIQAPI
import Foundation
import JSON
import Judging
import TestSupport
import Testing

@testable import ContractSuite
@testable import fitiq_mock

@Suite("Options for explore")
struct ExploreTests {
    @Test("--confirm accepts K/N with 1 ≤ K ≤ N ≤ 20")
    func confirmation() {
        for text in ["1/1", "2/3", "20/20", "1/20"] {
            #expect(Explorer.Confirmation(argument: text)?.description == text)
        }
        for text in [
            "", "1", "/", "0/1", "2/1", "1/21", "21/21", "-1/2", "1/2/3", "1//2", "/1/2", "1/2/", "a/b", "1 /2",
        ] { #expect(Explorer.Confirmation(argument: text) == nil, "\(text)") }
    }

    @Test("--only selects fault families, and --without removes families")
    func families() throws {
        #expect(try FaultFamilies.chosen(only: [], without: []) == Set(FaultKind.Family.allCases))
        #expect(try FaultFamilies.chosen(only: ["cut", "late"], without: ["late"]) == [.cut])
        #expect(try FaultFamilies.chosen(only: [], without: ["cut"]).count == FaultKind.Family.allCases.count - 1)
        #expect(throws: Failure.self) { try FaultFamilies.chosen(only: ["cut"], without: ["cut"]) }
        #expect(throws: Failure.self) { try FaultFamilies.chosen(only: ["Cut"], without: []) }
        let table = FaultFamilies.table(Set(FaultKind.Family.allCases)).split(separator: "\n")
        #expect(table.count == FaultKind.all.count)
        let width = FaultKind.Family.allCases.map(\.rawValue.count).max() ?? 0
        for (line, kind) in zip(table, FaultKind.all) {
            let family = kind.family.rawValue
            let space = String(repeating: " ", count: width - family.count + 2)
            #expect(line.hasPrefix(family + space + kind.id + " "), "\(line)")
            if kind.sort.list != "faults" { #expect(line.hasSuffix(fitiq_mock.Messages.noRule), "\(line)") }
        }
    }

    @Test(
        "explore rejects out-of-range option values",
        arguments: [
            (["--runs", "0"], fitiq_mock.Messages.badRuns), (["--jobs", "17"], fitiq_mock.Messages.badJobs),
            (["--budget", "0s"], fitiq_mock.Messages.badBudget),
        ])
    func ranges(options: [String], message: String) throws {
        let explore = try Explore.parse(options + ["--quiet", "--", "true"])
        let failure = #expect(throws: Failure.self) { try explore.run() }
        #expect(failure?.message == message)
    }

    private static var counts: Agenda.Counts {
        var counts = Agenda.Counts()
        (counts.singles, counts.pairs, counts.points) = (380, 32, 57)
        return counts
    }

    @Test("The progress line shows the schedules that were tried")
    func progress() {
        var counts = Self.counts
        #expect(
            Messages.explored(counts, runs: 430, findings: 3, seconds: 72, budget: 300)
                == "412 schedules, 3 findings, 3m48s left, 430 runs, 57 points, 380 single faults, 32 pairs")
        counts.pairs = 1
        #expect(Messages.explored(counts, runs: 1, findings: 0, seconds: 0, budget: nil).hasSuffix(", 1 pair"))
        #expect(
            Messages.explored(Agenda.Counts(), of: 15, runs: 1, findings: 1, seconds: 9, budget: nil)
                == "0 of 15 schedules, 1 finding, 9s, 1 run, 0 points")
        for (seconds, time, told) in [(60, nil, "1m00s"), (60, 60, "0s left"), (61, 60, "0s left")]
            as [(Int64, Int64?, String)]
        {
            let line = Messages.explored(Agenda.Counts(), runs: 0, findings: 2, seconds: seconds, budget: time)
            #expect(line.hasPrefix("0 schedules, 2 findings, \(told), "), "\(line)")
        }
        let begin = "first running the command without faults, 1m01s"
        #expect(Messages.exploringBegins(seconds: 61, budget: nil) == begin)
        #expect(Messages.exploringBegins(seconds: 61, budget: 300) == begin + ", 3m59s left")
        #expect(Messages.searchBegins(seconds: 3) == "first running the command with all of the session's faults, 3s")
    }

    @Test("A terminal's progress line leaves out its last parts instead of wrapping")
    func narrow() {
        let line = "fitiq-mock: " + Messages.explored(Self.counts, runs: 430, findings: 3, seconds: 72, budget: 300)
        let start = "fitiq-mock: 412 schedules, 3 findings, 3m48s left"
        for (columns, shown) in [
            (nil, line), (line.count + 1, line), (line.count, start + ", 430 runs, 57 points, 380 single faults"),
            (80, start + ", 430 runs, 57 points"), (start.count + 1, start),
            (start.count, "fitiq-mock: 412 schedules, 3 findings"), (11, "fitiq-moc…"), (1, "…"),
        ] as [(Int?, String)] { #expect(ExploreProgress.fitted(line, columns: columns) == shown) }
    }
}
