import Foundation
import JSON
import Testing
import Text

@testable import Judging

@Suite("Golden reports")
struct GoldenTests {
    static let formats: [(String, [UInt8])] = [
        ("terminal.txt", Array(TerminalReport(SampleReport.report, knownBroken: SampleReport.knownBroken).text.utf8)),
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

    @Test("Each report format matches its golden file line by line", arguments: formats.indices)
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
        "A finding and its evidence show the same wait despite fractions of a millisecond",
        arguments: [(4, 4.5), (4.0006, 4.9502), (4.000_000_9, 4.949_000_1), (4.999_999_999, 5.9)])
    func oneWait(ended: Double, tried: Double) throws {
        let story = Story {
            $0.connected(uuid(1), at: 1).closed(by: .server, .reset, at: ended).opened(uuid(1), on: 101, at: tried)
        }
        let verdict = try #require(story.journal.judge().verdict("ws/reconnect-backoff"))
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

    @Test("A terminal report contains no escape sequences except colours on request")
    func colors() {
        let plain = String(decoding: Self.formats[0].1, as: UTF8.self)
        let colored = String(decoding: Self.formats[1].1, as: UTF8.self)
        #expect(!plain.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0 == "\u{202E}" })
        #expect(colored != plain && colored.replacing(#/\u{1B}\[[0-9]+m/#, with: "") == plain)
    }

    @Test("The JSON report parses, and its evidence has the journal's fields")
    func json() throws {
        let value = try JSON.parse(Self.formats[3].1)
        #expect(value["format"] == 1 && value["exit_code"] == 1 && value["outcome"]?["broken"] == 1)
        let verdict = value["runs"]?[1]?["verdicts"]?[2]
        #expect(verdict?["id"] == "ws/reconnect-backoff" && verdict?["finding_count"] == 7)
        let evidence = verdict?["findings"]?[0]?["evidence"]?[1]
        #expect(evidence?["number"] == 13 && evidence?["kind"] == "opened")
        #expect(evidence?["request"]?["method"] == "GET")
    }

    @Test("Advice on a failed case appears in every format")
    func notes() throws {
        let check = Report.Check(
            address: "a/b/c", clause: "ours: It is.", failures: ["It is not."], notes: ["Look here."])
        let run = SampleReport.run(checks: [check])
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

    @Test("A Markdown report escapes all markup in the client's text")
    func markdown() {
        let page = String(decoding: Self.formats[4].1, as: UTF8.self)
        for mark in ["<b>", "@octocat", "https://evil", "\u{1B}", "\u{202E}"] {
            #expect(!page.contains(mark), "\(mark)")
        }
        let client = page.split(separator: "\n").filter { $0.contains("octocat") }
        #expect(client.count == 4)
        for line in client { #expect(!line.contains("`") && !line.contains("*_"), "\(line)") }
        for scalar in "\\`*_{}[]<>#|!~&@$".unicodeScalars {
            #expect(Judging.markdown("a\(scalar)b") == "a&#\(scalar.value);b")
        }
        #expect(Judging.markdown("a\r\n\n# b") == "a  &#35; b")
        #expect(Judging.markdown("www.a.example http://b") == "www&#46;a.example http&#58;//b")
    }
}

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite("JUnit XML")
struct JUnitTests {
    private final class Reader: NSObject, XMLParserDelegate {
        var elements: [String: Int] = [:]
        var cases: [(suite: String, name: String)] = []
        var totals: [String: String] = [:]
        var texts: [String: String] = [:]
        private var path: [String] = []

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            elements[name, default: 0] += 1
            path.append(name)
            if name == "testsuites" { totals = attributes }
            if name == "testcase" { cases.append((attributes["classname"] ?? "", attributes["name"] ?? "")) }
            if let message = attributes["message"], let last = cases.last {
                texts["\(last.suite) \(last.name)"] = message
            }
        }

        func parser(
            _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
        ) { path.removeLast() }
    }

    @Test("The JUnit report is valid XML with correct totals")
    func parses() throws {
        let bytes = JUnitReport(SampleReport.report, knownBroken: SampleReport.knownBroken).bytes
        let parser = XMLParser(data: Data(bytes))
        let reader = Reader()
        parser.delegate = reader
        #expect(parser.parse(), "\(String(describing: parser.parserError))")
        #expect(reader.elements["testsuite"] == 4 && reader.elements["testcase"] == reader.cases.count)
        #expect(reader.totals["tests"] == "\(reader.cases.count)")
        #expect(reader.totals["failures"] == "\(reader.elements["failure"] ?? 0)" && reader.elements["failure"] == 4)
        #expect(reader.totals["skipped"] == "\(reader.elements["skipped"] ?? 0)" && reader.elements["skipped"] == 1)
        // The output has a broken "should", the journal's losses, and the coverage.
        #expect(reader.elements["system-out"] == 3)
        #expect(!reader.cases.contains { $0.name == "goal/links-created-goal" })
        #expect(reader.texts["drop-mid-stream command"] == "The command was stopped after its time limit of 60 s.")
        #expect(reader.texts["default consultation/create/409"]?.contains("<b>&\"'|`*_]]>\u{FFFD}[31m") == true)
        #expect(reader.texts["known-broken consultation/create/201"]?.contains("remove the line") == true)
    }

    @Test("JUnit XML marks a known failure as skipped and an allowed failure as passed")
    func commands() throws {
        let known = try KnownBroken(reading: Array("a command".utf8), checks: [Report.Run.command])
        var runs = ["a", "b"].map { OutcomeTests.run(scenario: $0, command: .exited(2)) }
        runs[1].mayFail = true
        let text = JUnitReport(Report(title: "t", runs: runs), knownBroken: known).text
        let message = Messages.knownCommand(.exited(2), scenario: "a")
        #expect(text.contains("<skipped message=\"\(message)\"/>"), "\(text)")
        #expect(text.contains("<testcase classname=\"b\" name=\"command\"/>") && text.contains("failures=\"0\""))
    }

    @Test("JUnit XML for an incomplete report contains an error with the reason")
    func incomplete() throws {
        var report = SampleReport.report
        report.incomplete = "Interrupted: 2 of 3 scenarios are in this report."
        let reader = Reader()
        let parser = XMLParser(data: Data(JUnitReport(report).bytes))
        parser.delegate = reader
        #expect(parser.parse() && reader.totals["errors"] == "1")
        #expect(reader.texts["run complete"] == report.incomplete)
    }

    @Test(
        "JUnit XML replaces characters that XML cannot represent",
        arguments: [
            ("a&<>\"'", "a&amp;&lt;&gt;&quot;'"), ("\u{0}\u{1B}\u{FFFE}\u{FFFF}", "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
            ("a\nb\tc\r", "a&#10;b&#9;c\u{FFFD}"), ("]]>", "]]&gt;"), ("😀é", "😀é"), ("\u{10000}", "\u{10000}"),
        ])
    func escapes(text: String, expected: String) { #expect(Judging.xml(text) == expected) }
}

@Suite("GitHub Actions annotations")
struct GitHubAnnotationsTests {
    @Test("Each failure yields an error annotation, and a broken `should` yields a warning")
    func sample() {
        let text = GitHubAnnotations(SampleReport.report, knownBroken: SampleReport.knownBroken).text
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.count == 6, "\(text)")
        #expect(lines.allSatisfy { $0.hasPrefix("::error title=") || $0.hasPrefix("::warning title=") })
        #expect(lines.count { $0.hasPrefix("::error") } == 5)
        let broken = lines.first { $0.contains("ws/reconnect-backoff") }
        #expect(
            broken
                == "::error title=ws/reconnect-backoff (must)::After an unexpected close no try sooner than 1 s, and delays "
                + "never shrink. (consultation-websocket, enhanced-consultations, best practice 2)%0AIn drop-mid-stream: "
                + "The client tried again 0.2 s after the socket closed.%0AHow to fix it: Wait 1, 2, 4 s … before "
                + "webSocketTask(with:) is called again.")
        #expect(lines.last?.hasPrefix("::warning title=ws/keepalive (should)::") == true)
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0 == "\u{202E}" })
    }

    @Test("A client's text cannot start or end a workflow command")
    func escapes() {
        let check = Report.Check(address: "a:b,c%", clause: "c", failures: ["100%\n::error::x\r\ny"])
        let run = SampleReport.run(checks: [check])
        let text = GitHubAnnotations(Report(title: "t", runs: [run])).text
        #expect(text == "::error title=a%3Ab%2Cc%25::100%25%0A::error::x y\n")
    }

    @Test(
        "A report emits at most ten annotations of each kind, and the tenth counts the rest", arguments: [10, 11, 25])
    func limit(count: Int) {
        let checks = (1...count).map { Report.Check(address: "a/\($0)", clause: "c", failures: ["no \($0)"]) }
        let run = SampleReport.run(checks: checks)
        let lines = GitHubAnnotations(Report(title: "t", runs: [run])).text.split(separator: "\n")
        #expect(lines.count == 10 && lines.first == "::error title=a/1::no 1")
        let last = count == 10 ? "no 10" : "\(count - 9) more errors: see the report."
        #expect(lines.last == "::error title=a/10::\(last)")
    }

    @Test("A passing run emits no annotations")
    func nothing() {
        let run = SampleReport.run()
        #expect(GitHubAnnotations(Report(title: "t", runs: [run])).text.isEmpty)
    }
}

@Suite("The terminal report's table")
struct TerminalTableTests {
    @Test("A run's report table says how many times the client faced each obligation")
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
            \(Messages.legend.joined(separator: "   "))
              ✓ ids/lowercase  must    faced once
            1 obligation was not faced.
            """
        #expect(text.hasPrefix("t\n\nNothing is broken.\n\n\(table)\n\n"), "\(text)")
        #expect(!text.contains("Error paths encountered"), "it met none")
    }

    @Test("A report on several runs starts with the verdict and lists each breach once with its runs")
    func several() {
        func run(_ scenario: String, _ verdicts: [Verdict], command: Report.CommandOutcome = .exited(0)) -> Report.Run {
            SampleReport.run(scenario, verdicts, command: command)
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
              The client sends ids in paths in lower case.
              Source: all guides
              In 3 runs: broken 4 times, faced 6 times:
                - The path has A1; try 2.
                  First in b, and then in c:
                - The path has A2; try 3.
                  In b:
                - Another.
                  In d:
              How to fix it: Use uuidString.lowercased().

            \(Messages.legend.joined(separator: "   "))
              ✗ ids/lowercase  must    broken in 3 of 4 runs
            Kept wherever faced: ws/recovers-history.
            1 obligation was not faced.

            """
        #expect(text.hasPrefix(expected), "\(text)")
    }

    @Test("The report wraps lines at the terminal's width without losing a word", arguments: [40, 60, 100])
    func width(_ width: Int) {
        let report = SampleReport.report
        let plain = TerminalReport(report, knownBroken: SampleReport.knownBroken).text
        let text = TerminalReport(report, knownBroken: SampleReport.knownBroken, width: width).text
        #expect(plain.split { $0 == " " || $0 == "\n" } == text.split { $0 == " " || $0 == "\n" })
        for line in text.split(separator: "\n") where line.count > max(width, 60) {
            // A word that is longer than the line gets its own line.
            #expect(!line.drop { " -~✗".contains($0) }.contains(" "), "\(line)")
        }
        let legend = [
            40: "✓ kept   ✗ broken   ! broken (should)\n~ known to be broken   · not exercised\n",
            60: "✓ kept   ✗ broken   ! broken (should)   ~ known to be broken\n· not exercised\n",
            100: "✓ kept   ✗ broken   ! broken (should)   ~ known to be broken   · not exercised\n",
        ]
        #expect(text.contains("\n" + (legend[width] ?? "")), "\(text)")
        #expect(text.contains("\n  How to fix it: ") && text != plain)
    }
}
