import Foundation
import Testing

@testable import Judging

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
        ) {
            path.removeLast()
        }
    }

    @Test("is XML that a parser reads, with the numbers that it names")
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
        // A should that is broken, the journal's losses, and the coverage.
        #expect(reader.elements["system-out"] == 3)
        #expect(!reader.cases.contains { $0.name == "goal/links-created-goal" })
        #expect(reader.texts["drop-mid-stream command"] == "The command was ended after its time limit of 60 s.")
        #expect(reader.texts["default consultation/create/409"]?.contains("<b>&\"'|`*_]]>\u{FFFD}[31m") == true)
        #expect(reader.texts["known-broken consultation/create/201"]?.contains("remove the line") == true)
    }

    @Test("A command that is known to fail is skipped, and one that may fail passes")
    func commands() throws {
        let known = try KnownBroken(reading: Array("a command".utf8), checks: [Report.Run.command])
        var runs = ["a", "b"].map { OutcomeTests.run(scenario: $0, command: .exited(2)) }
        runs[1].mayFail = true
        let text = String(
            decoding: JUnitReport(Report(title: "t", runs: runs), knownBroken: known).bytes, as: UTF8.self)
        let message = Messages.knownCommand(.exited(2), scenario: "a")
        #expect(text.contains("<skipped message=\"\(message)\"/>"), "\(text)")
        #expect(text.contains("<testcase classname=\"b\" name=\"command\"/>") && text.contains("failures=\"0\""))
    }

    @Test("A report that is incomplete has an error that says why")
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
        "Characters that XML has no way to write are replaced",
        arguments: [
            ("a&<>\"'", "a&amp;&lt;&gt;&quot;'"), ("\u{0}\u{1B}\u{FFFE}\u{FFFF}", "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
            ("a\nb\tc\r", "a&#10;b&#9;c\u{FFFD}"), ("]]>", "]]&gt;"), ("😀é", "😀é"),
            ("\u{10000}", "\u{10000}"),
        ])
    func escapes(text: String, expected: String) {
        #expect(Judging.xml(text) == expected)
    }
}
