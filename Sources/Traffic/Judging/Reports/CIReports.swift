import Text
import Traffic

/// A report as JUnit XML for CI systems, with one suite per scenario and one case per obligation and check.
///
/// Warnings are not failures; they appear in the case's `system-out`. Known-broken obligations are skipped, and
/// unexercised obligations are omitted. Separate cases report the command, the connection, outdated lines in the
/// known-broken list, the coverage of all runs, and why a report is incomplete.
public struct JUnitReport {
    private let overview: Overview

    public init(_ report: Report, knownBroken: KnownBroken = .none) { overview = Overview(report, knownBroken) }

    public var bytes: [UInt8] { Array(text.utf8) }

    private var text: String {
        var suites = overview.report.runs.enumerated().map { suite($0.element, place: $0.offset) }
        if !overview.outcome.outdated.isEmpty { suites.append(outdated) }
        if !overview.exposures.isEmpty {
            let details = overview.exposures.joined(separator: "\n")
            suites.append(Suite(name: "coverage", cases: [Case(name: "situations", kind: .warned, details: details)]))
        }
        if let reason = overview.report.incomplete {
            let testCase = Case(name: "complete", kind: .error, message: reason, details: reason)
            suites.append(Suite(name: "run", cases: [testCase]))
        }
        let lines = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#,
            "<testsuites name=\"\(xml(Messages.title(overview.report)))\" \(Self.counts(suites.flatMap(\.cases)))>",
        ]
        return (lines + suites.flatMap(\.lines) + ["</testsuites>"]).joined(separator: "\n") + "\n"
    }

    private static func counts(_ cases: [Case]) -> String {
        func count(_ kind: Case.Kind) -> Int { cases.count { $0.kind == kind } }
        return "tests=\"\(cases.count)\" failures=\"\(count(.failure))\" errors=\"\(count(.error))\" "
            + "skipped=\"\(count(.skipped))\""
    }

    // MARK: Suites and cases

    private struct Suite {
        let name: String
        var duration: Int64?
        let cases: [Case]

        var lines: [String] {
            let time = duration.map { " time=\"\(Durations.seconds($0))\"" } ?? ""
            return ["  <testsuite name=\"\(xml(name))\" \(counts(cases))\(time)>"]
                + cases.flatMap { $0.lines(of: name) } + ["  </testsuite>"]
        }
    }

    private struct Case {
        enum Kind { case passed, warned, failure, error, skipped }
        var name: String
        var kind = Kind.passed
        var message = ""
        var details = ""

        func lines(of suite: String) -> [String] {
            let start = "    <testcase classname=\"\(xml(suite))\" name=\"\(xml(name))\""
            let content: String
            switch kind {
            case .passed: return [start + "/>"]
            case .skipped: content = "<skipped message=\"\(xml(message))\"/>"
            case .warned: content = "<system-out>\(xml(details))</system-out>"
            case .failure: content = "<failure message=\"\(xml(message))\">\(xml(details))</failure>"
            case .error: content = "<error message=\"\(xml(message))\">\(xml(details))</error>"
            }
            return [start + ">", "      " + content, "    </testcase>"]
        }
    }

    private func suite(_ run: Report.Run, place: Int) -> Suite {
        var cases: [Case] = []
        if let command = run.command {
            var testCase = Case(name: Report.Run.command)
            let mark = run.commandMark(overview.knownBroken)
            if mark == .broken {
                testCase.kind = .failure
                testCase.message = Messages.capitalized(Messages.command(command)) + "."
                testCase.details = Messages.failedCommand(command, scenario: run.scenario)
            } else if mark == .knownBroken {
                testCase.kind = .skipped
                testCase.message = Messages.knownCommand(command, scenario: run.scenario)
            }
            cases.append(testCase)
        }
        if !run.hasConnected, overview.outcome.hasConnected {
            let message = Messages.notConnected(scenario: run.scenario)
            cases.append(Case(name: "connection", kind: .skipped, message: message))
        } else if !run.hasConnected {
            let message = overview.neverConnected
            cases.append(Case(name: "connection", kind: .error, message: message, details: message))
        }
        if run.missedCount > 0 {
            let details = Messages.missed(run.missedCount, scenario: run.scenario)
            cases.append(Case(name: "journal", kind: .warned, details: details))
        }
        if !run.notes.isEmpty {
            cases.append(Case(name: "notes", kind: .warned, details: run.notes.joined(separator: "\n")))
        }
        cases += overview.rows.compactMap { $0.cells[place] }.filter { $0.mark != .notExercised }
            .map { testCase($0, of: run) }
        cases += run.checks.map { testCase($0, in: run) }
        return Suite(name: run.scenario, duration: run.duration, cases: cases)
    }

    private func testCase(_ cell: Overview.Cell, of run: Report.Run) -> Case {
        let verdict = cell.verdict
        var testCase = Case(name: verdict.obligation.id)
        switch cell.mark {
        case .kept, .notExercised: break
        case .knownBroken:
            testCase.kind = .skipped
            testCase.message = "\(Report.Mark.knownBroken.words.text): \(verdict.findings.first?.message ?? "")"
        case .broken, .warned:
            testCase.kind = cell.mark == .broken ? .failure : .warned
            testCase.message = verdict.findings.first?.message ?? verdict.obligation.clause
            testCase.details = details(verdict, in: run)
        }
        return testCase
    }

    private func testCase(_ check: Report.Check, in run: Report.Run) -> Case {
        var testCase = Case(name: check.address)
        guard !check.failures.isEmpty || !check.notes.isEmpty else { return testCase }
        let first = check.failures.first ?? ""
        let mark = run.mark(of: check, overview.knownBroken)
        testCase.kind = mark == .knownBroken ? .skipped : mark == .broken ? .failure : .warned
        testCase.message = mark == .knownBroken ? "\(mark.words.text): \(first)" : first
        testCase.details = ([check.clause] + check.failures + check.notes).joined(separator: "\n")
        return testCase
    }

    private func details(_ verdict: Verdict, in run: Report.Run) -> String {
        let obligation = verdict.obligation
        var lines = ["\(obligation.clause) (\(obligation.level.rawValue); \(Messages.source(of: obligation)))"]
        if let tolerance = obligation.tolerance { lines.append("Tolerance: \(tolerance)") }
        for finding in verdict.findings {
            lines.append("- \(Messages.warning(finding, in: obligation).onOneLine(limit: 2000))")
            lines += finding.evidence.map { "    \(EntryLine($0, since: run.startedAt).text)" }
        }
        if verdict.hiddenCount > 0 { lines.append("- \(Messages.more(verdict.hiddenCount))") }
        lines.append("How to fix it: \(verdict.advice)")
        return lines.joined(separator: "\n")
    }

    private var outdated: Suite {
        let cases = overview.outcome.outdated.map { line in
            let name = line.scenario.map { "\($0) \(line.subject)" } ?? line.subject.text
            let message = Messages.outdated(line)
            return Case(name: name, kind: .failure, message: message, details: message)
        }
        return Suite(name: "known-broken", cases: cases)
    }
}

/// Escapes text for an element or a double-quoted attribute (XML 1.0 §2.4).
///
/// Characters that XML cannot represent, which include most control characters (§2.2), become U+FFFD. Line ends in
/// attributes become references, because parsers turn bare line ends into spaces (§3.3.3).
func xml(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "&": result += "&amp;"
        case "<": result += "&lt;"
        case ">": result += "&gt;"
        case "\"": result += "&quot;"
        case "\n": result += "&#10;"
        case "\t": result += "&#9;"
        default:
            let isAllowed =
                (0x20...0xD7FF).contains(scalar.value) || (0xE000...0xFFFD).contains(scalar.value)
                || scalar.value >= 0x10000
            result.unicodeScalars.append(isAllowed ? scalar : "\u{FFFD}")
        }
    }
    return result
}

/// A report as GitHub Actions annotations: workflow commands on standard output that GitHub shows on a run's page.
///
/// Source: docs.github.com, "Workflow commands for GitHub Actions", setting an error message. GitHub shows at most ten
/// errors and ten warnings per step. If there are more errors or warnings, the tenth one states how many remain.
public struct GitHubAnnotations {
    /// GitHub's limit for each kind.
    static let limit = 10
    /// The title of annotations about neither an obligation nor a case.
    private static let program = "fitiq-mock"

    private let overview: Overview

    public init(_ report: Report, knownBroken: KnownBroken = .none) { overview = Overview(report, knownBroken) }

    /// The workflow commands.
    ///
    /// Each command ends with a line feed.
    public var text: String { (Self.lines("error", errors) + Self.lines("warning", warnings)).joined() }

    private struct Annotation {
        var title: String
        var message: String
    }

    private var errors: [Annotation] {
        (overview.warnings + overview.troubles).map { Annotation(title: Self.program, message: $0) }
            + annotations(.broken)
    }

    private var warnings: [Annotation] { annotations(.warned) }

    private func annotations(_ mark: Report.Mark) -> [Annotation] {
        overview.rows.filter { $0.worst == mark }.map(annotation)
            + overview.toldChecks.filter { $0.mark == mark }.map { _, check in
                Annotation(title: check.address, message: (check.failures + check.notes).joined(separator: "\n"))
            }
    }

    /// The first breach of a broken obligation, and how to fix it.
    private func annotation(_ row: Overview.Row) -> Annotation {
        let places = zip(overview.report.runs, row.cells).filter { $1?.mark == row.worst }.map(\.0.scenario)
        let finding = row.cells.lazy.compactMap { $0 }.first { $0.mark == row.worst }?.verdict.findings.first
        let lines = [
            "\(row.obligation.clause) (\(Messages.source(of: row.obligation)))",
            "In \(Words.list(places)): \(finding?.message ?? "")", "How to fix it: \(row.advice)",
        ]
        return Annotation(title: Messages.heading(row.obligation, row.worst), message: lines.joined(separator: "\n"))
    }

    private static func lines(_ command: String, _ annotations: [Annotation]) -> [String] {
        var shown = annotations
        if annotations.count > limit {
            shown.removeSubrange((limit - 1)...)
            let rest = Messages.moreAnnotations(annotations.count - shown.count, command)
            shown.append(Annotation(title: annotations[limit - 1].title, message: rest))
        }
        return shown.map { annotation in
            let title = escaped(annotation.title.onOneLine(limit: 200)).replacing(":", with: "%3A").replacing(
                ",", with: "%2C")
            let message = annotation.message.split(separator: "\n").map { String($0).onOneLine(limit: 2000) }
            return "::\(command) title=\(title)::\(escaped(message.joined(separator: "\n")))\n"
        }
    }

    /// Escapes characters that would end a command or start another command.
    private static func escaped(_ text: String) -> String {
        text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
    }
}

/// A report as GitHub-flavoured Markdown for a CI job summary: a summary line, a table, and a block for each breach.
///
/// A client cannot inject markup: all text from outside this module is escaped.
public struct MarkdownReport {
    private let overview: Overview

    public init(_ report: Report, knownBroken: KnownBroken = .none) { overview = Overview(report, knownBroken) }

    public var bytes: [UInt8] { Array(text.utf8) }

    private var text: String {
        let runs = overview.report.runs
        let sign = overview.outcome.exitCode == 0 ? "✅" : "❌"
        let summary = "\(sign) \(markdown(Messages.summary(overview.outcome, runs: runs.count)))"
        let blocks =
            [
                ["## \(markdown(Messages.title(overview.report)))"], [summary],
                list(overview.warnings + overview.troubles + overview.notes), table,
            ]
            + checks
            + overview.broken.map(details) + [list(overview.exposures), situations]
        return blocks.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
    }

    private var table: [String] {
        guard !overview.rows.isEmpty else {
            return overview.serverChecks.map { "- \(Self.symbol($0)) \(markdown($1.clause))" }
                + overview.hidden.map(markdown)
        }
        let names = overview.report.runs.map { markdown($0.scenario) }
        let rows = overview.rows.map { row in
            let marks = row.cells.map { Self.symbol($0?.mark) }.joined(separator: " | ")
            return "| `\(row.obligation.id)` | \(row.obligation.level.rawValue) | \(marks) |"
        }
        return ["| obligation | level | \(names.joined(separator: " | ")) |"]
            + ["| --- | --- |" + String(repeating: " :---: |", count: names.count)] + rows
            + ["", Messages.legend.joined(separator: ", ").replacing("~", with: "🟡")]
            + (overview.hidden.isEmpty ? [] : [""] + overview.hidden.map(markdown))
    }

    private static func symbol(_ mark: Report.Mark?) -> String {
        mark.map { $0 == .knownBroken ? "🟡" : $0.words.symbol } ?? " "
    }

    private func details(_ row: Overview.Row) -> [String] {
        let obligation = row.obligation
        var lines = [
            "<details><summary>\(Self.symbol(row.worst)) \(html(Messages.heading(obligation, row.worst)))</summary>",
            "", "\(markdown(obligation.clause)) *(\(markdown(Messages.source(of: obligation))))*",
        ]
        if let tolerance = obligation.tolerance { lines += ["", "Tolerance: \(markdown(tolerance))"] }
        for (run, cell) in zip(overview.report.runs, row.cells) {
            guard let cell, cell.verdict.outcome == .broken else { continue }
            lines += ["", "\(Messages.capitalized(markdown(Messages.broken(in: run.scenario, cell.verdict)))):"]
            for finding in cell.verdict.findings {
                lines += ["", "- \(markdown(Messages.warning(finding, in: obligation)))"]
                guard !finding.evidence.isEmpty else { continue }
                let entries = finding.evidence.map { html(EntryLine($0, since: run.startedAt).text) }
                lines += ["", "<pre>" + entries.joined(separator: "\n") + "</pre>"]
            }
            let hidden = cell.verdict.hiddenCount
            if hidden > 0 { lines += ["", "- \(markdown(Messages.more(hidden)))"] }
        }
        return lines + ["", "How to fix it: \(markdown(row.advice))", "", "</details>"]
    }

    private var checks: [[String]] {
        overview.toldChecks.map { mark, check in
            let note = mark == .knownBroken ? " (\(mark.words.text))" : ""
            return [
                "<details><summary>\(Self.symbol(mark)) \(html(check.address))\(note)</summary>", "",
                markdown(check.clause), "",
            ] + (check.failures + check.notes).map { "- \(markdown($0))" } + ["", "</details>"]
        }
    }

    private func list(_ sentences: [String]) -> [String] { sentences.map { "- \(markdown($0))" } }

    /// A collapsed block with the table of situations, and the situations to face next.
    private var situations: [String] {
        guard overview.hasSituations else { return [] }
        let summary = overview.report.coverageSummary
        let names = CoverageSummary.columns.map { markdown(Messages.words($0)) }
        let rows = summary.table.map { row in
            let cells = row.cells.map { $0.reachable == 0 ? " " : "\($0.faced)/\($0.reachable)" }
            return "| \(row.socket) | \(row.token) | \(cells.joined(separator: " | ")) |"
        }
        let next = summary.next.map(Messages.wayTo)
        return ["<details><summary>\(Messages.faced(summary.facedCount, of: summary.reachableCount))</summary>", ""]
            + ["| socket | token | \(names.joined(separator: " | ")) |"]
            + ["| --- | --- |" + String(repeating: " :---: |", count: names.count)] + rows
            + (next.isEmpty ? [] : ["", Messages.nextOnes, ""] + list(next)) + ["", "</details>"]
    }
}

/// Escapes text for one line of Markdown.
///
/// Punctuation becomes character references, which "cannot be used in place of symbols indicating structure in
/// CommonMark documents" (CommonMark 0.31 §2.5), so it cannot form markup, mentions or links.
func markdown(_ text: String) -> String {
    var result = ""
    for scalar in text.onOneLine(limit: 2000).unicodeScalars {
        switch scalar {
        case "\\", "`", "*", "_", "{", "}", "[", "]", "<", ">", "#", "|", "!", "~", "&", "@", "$":
            result += "&#\(scalar.value);"
        // "https://" and "www." become links without any markup.
        case ":" where result.hasSuffix("http") || result.hasSuffix("https"): result += "&#58;"
        case "." where result.lowercased().hasSuffix("www"): result += "&#46;"
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result
}

func html(_ text: String) -> String { xml(text.onOneLine(limit: 2000)) }
