import Text
import Traffic

/// A report as JUnit XML for CI systems: one suite per scenario, one case per obligation and check.
///
/// Warnings are not failures; they appear in the case's `system-out`. Known-broken obligations are skipped; unexercised
/// ones are no cases. The command, the connection, outdated lines of the known-broken list, what all runs made the
/// client face, and the reason why a report is incomplete are separate cases.
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
/// Characters that XML cannot represent, most control characters (§2.2), become U+FFFD. Line ends in attributes become
/// references, since parsers turn bare ones into spaces (§3.3.3).
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
