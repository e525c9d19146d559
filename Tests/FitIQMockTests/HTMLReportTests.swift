import FitIQAPI
import JSON
import Judging
import MockServer
import TestSupport
import Testing
import Traffic

@testable import fitiq_mock

@Suite("HTML reports")
struct HTMLReportTests {
    private static func note(_ number: Int, _ text: String = "") -> JournalEntry {
        JournalEntry(
            number: number, time: Timestamp(secondsSinceEpoch: 1_738_146_600), connection: 0, event: .note(text))
    }

    private static func report(runs: Int) -> Report {
        var report = Report(title: "sh 'client </script>'")
        report.runs = (0..<runs).map { index in
            let verdicts = Judge(mode: .union).verdicts()
            return Report.Run(
                scenario: "run-\(index)", mode: .union, hasConnected: true, verdicts: verdicts, exposures: [])
        }
        return report
    }

    /// The inlined runs of a page, as the browser reads them.
    private static func runs(_ page: String) throws -> [JSONValue] {
        try page.matches(of: #/<script type="application\/json" class="run">(.*?)<\/script>/#).map { match in
            try JSON.parse(String(match.1))
        }
    }

    @Test("The HTML report is the server's page with one element for each run")
    func runs() throws {
        let journal = ReportJournal()
        journal.append(Self.note(1, "</script><script>alert(1)</script><!--"), of: "run-1")
        journal.append(Self.note(7), of: "run-0")
        journal.append(Self.note(2), of: "run-1")
        let page = String(decoding: HTMLReport(Self.report(runs: 2), journal).bytes, as: UTF8.self)
        let runs = try Self.runs(page)
        #expect(runs.map { $0["name"]?.string } == ["run-0", "run-1"] && runs.map { $0["id"]?.string } == ["0", "1"])
        #expect(runs[0]["title"] == "sh 'client </script>'")
        let numbers = runs.map { run in (run["journal"]?.array ?? []).compactMap { $0["number"]?.int } }
        #expect(numbers == [[7], [1, 2]])
        #expect(runs[1]["journal"]?[0]?["text"] == "</script><script>alert(1)</script><!--")
        let verdicts = try #require(runs[1]["verdicts"])
        #expect(verdicts["verdicts"]?.array?.isEmpty == false)
        #expect(verdicts["has_connected"] == true && verdicts["unmatched"] == 0)
        // Without its runs, the report equals the server's page.
        let rest = page.replacing(#/<script type="application\/json" class="run">.*?<\/script>\n/#, with: "")
        let original = String(decoding: APIDescription.adminPageBytes, as: UTF8.self)
        #expect(rest == original.replacing("<!-- runs -->", with: ""))
        #expect(page.matches(of: #/<script[ >]/#).count == 3)
    }

    @Test("The HTML report keeps the newest entries within its entry and byte limits")
    func limits() {
        let journal = ReportJournal()
        for number in 1...ReportJournal.entryLimit { journal.append(Self.note(number), of: "run-\(number % 2)") }
        #expect(journal.entries(of: "run-1").first?.number == 1)
        for number in 1...3 { journal.append(Self.note(ReportJournal.entryLimit + number), of: "run-1") }
        #expect(journal.entries(of: "run-1").first?.number == 5 && journal.entries(of: "run-0").first?.number == 4)
        #expect(journal.entries(of: "run-0").count + journal.entries(of: "run-1").count == ReportJournal.entryLimit)

        let large = ReportJournal()
        let half = String(repeating: "x", count: ReportJournal.byteLimit / 2)
        let kept = [half, half, "x", half + half + "x"].enumerated().map { index, text in
            large.append(Self.note(index + 1, text), of: "run-0")
            return large.entries(of: "run-0").map(\.number)
        }
        #expect(kept == [[1], [1, 2], [2, 3], [4]])
    }
}
