import Foundation
import JSON
import Testing
import Text

@testable import Judging

@Suite("Reports as they are written")
struct GoldenTests {
    static let formats: [(String, [UInt8])] = [
        (
            "terminal.txt",
            Array(TerminalReport(SampleReport.report, knownBroken: SampleReport.knownBroken).text.utf8)
        ),
        (
            "terminal-color.txt",
            Array(TerminalReport(SampleReport.report, knownBroken: SampleReport.knownBroken, usesColor: true).text.utf8)
        ),
        ("junit.xml", JUnitReport(SampleReport.report, knownBroken: SampleReport.knownBroken).bytes),
        ("report.json", JSONReport(SampleReport.report, knownBroken: SampleReport.knownBroken).bytes),
        ("report.md", MarkdownReport(SampleReport.report, knownBroken: SampleReport.knownBroken).bytes),
        ("summary.json", VerdictSummary(SampleReport.report, knownBroken: SampleReport.knownBroken).bytes),
        ("summary.txt", Array(VerdictSummary(SampleReport.report, knownBroken: SampleReport.knownBroken).text.utf8)),
    ]

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Golden")

    static func golden(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: folder.appending(path: name)), as: UTF8.self)
    }

    @Test("are what they were, line by line", arguments: formats.indices)
    func format(row: Int) throws {
        let (name, bytes) = Self.formats[row]
        if ProcessInfo.processInfo.environment["FITIQ_MOCK_WRITE_GOLDENS"] != nil {
            try Data(bytes).write(to: Self.folder.appending(path: name))
        }
        let expected = try Self.golden(name).split(separator: "\n", omittingEmptySubsequences: false)
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == expected.count)
        for (number, (line, wanted)) in zip(lines, expected).enumerated() where line != wanted {
            Issue.record("\(name):\(number + 1):\n\(line)\nis not\n\(wanted)")
        }
    }

    @Test(
        "A finding and its evidence show one wait, wherever within a millisecond its entries lie",
        arguments: [(4, 4.5), (4.0006, 4.9502), (4.000_000_9, 4.949_000_1), (4.999_999_999, 5.9)])
    func oneWait(ended: Double, tried: Double) throws {
        let story = Story {
            $0.connected(Story.id(1), at: 1)
            $0.closed(by: .server, .reset, at: ended)
            $0.opened(Story.id(1), on: 101, at: tried)
        }
        let verdict = try #require(story.judge().verdicts().first { $0.obligation.id == "ws/reconnect-backoff" })
        let run = Report.Run(
            scenario: "default", mode: .union, command: .exited(0), duration: 0, startedAt: Story.time(0),
            hasConnected: true, verdicts: [verdict], exposures: [])
        let text = TerminalReport(Report(title: "t", runs: [run])).text
        let offsets = text.matches(of: #/#\d+ \+(\d+\.\d+) s/#).map { Story.time(Double($0.output.1) ?? 0) }
        let told = try #require(text.firstMatch(of: #/tried again (\S+) s after/#)).output.1
        try #require(offsets.count == 2)
        let wait = offsets[1].nanosecondsSinceEpoch - offsets[0].nanosecondsSinceEpoch
        #expect(Durations.seconds(wait) == told, "\(text)")
    }

    @Test("Colours are all that a terminal is told, and only where they are asked for")
    func colors() {
        let plain = String(decoding: Self.formats[0].1, as: UTF8.self)
        let colored = String(decoding: Self.formats[1].1, as: UTF8.self)
        #expect(!plain.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0 == "\u{202E}" })
        #expect(colored != plain && colored.replacing(#/\u{1B}\[[0-9]+m/#, with: "") == plain)
    }

    @Test("JSON reads back, with entries as the journal has them")
    func json() throws {
        let value = try JSON.parse(Self.formats[3].1)
        #expect(value["format"] == 1 && value["exit_code"] == 1 && value["outcome"]?["broken"] == 1)
        let verdict = value["runs"]?[1]?["verdicts"]?[2]
        #expect(verdict?["id"] == "ws/reconnect-backoff" && verdict?["finding_count"] == 7)
        let evidence = verdict?["findings"]?[0]?["evidence"]?[1]
        #expect(evidence?["number"] == 13 && evidence?["kind"] == "opened")
        #expect(evidence?["request"]?["method"] == "GET")
    }

    @Test("What helps with a failed case stands with it in every format")
    func notes() throws {
        let check = Report.Check(
            address: "a/b/c", clause: "ours: It is.", failures: ["It is not."], notes: ["Look here."])
        let run = Report.Run(
            scenario: "a", mode: .union, hasConnected: true, verdicts: [], exposures: [], checks: [check])
        let report = Report(title: "notes", runs: [run])
        for bytes in [
            Array(TerminalReport(report).text.utf8), JUnitReport(report).bytes, MarkdownReport(report).bytes,
            JSONReport(report).bytes,
        ] {
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.contains("Look here") && text.contains("It is not"), "\(text)")
        }
        let json = try JSON.parse(JSONReport(report).bytes)
        #expect(json["runs"]?[0]?["checks"]?[0]?["notes"] == ["Look here."])
    }

    @Test("Nothing of a client's text acts on a Markdown page")
    func markdown() {
        let page = String(decoding: Self.formats[4].1, as: UTF8.self)
        for mark in ["<b>", "@octocat", "https://evil", "\u{1B}", "\u{202E}"] {
            #expect(!page.contains(mark), "\(mark)")
        }
        let client = page.split(separator: "\n").filter { $0.contains("octocat") }
        #expect(client.count == 4)
        for line in client {
            #expect(!line.contains("`") && !line.contains("*_"), "\(line)")
        }
        for scalar in "\\`*_{}[]<>#|!~&@$".unicodeScalars {
            #expect(Judging.markdown("a\(scalar)b") == "a&#\(scalar.value);b")
        }
        #expect(Judging.markdown("a\r\n\n# b") == "a  &#35; b")
        #expect(Judging.markdown("www.a.example http://b") == "www&#46;a.example http&#58;//b")
    }
}
