import Text
import Traffic

/// A report for a terminal: a table, the breaches and how to fix them, and a summary line.
public struct TerminalReport {
    /// The maximum columns of a table line; scenarios that do not fit go into further tables.
    public var width = 100
    /// Whether marks and headings are coloured (ECMA-48 SGR); only this module's own text is.
    public var usesColor = false

    private let overview: Overview

    public init(_ report: Report, knownBroken: KnownBroken = .none, usesColor: Bool = false) {
        overview = Overview(report, knownBroken)
        self.usesColor = usesColor
    }

    /// The report; each line ends with a line feed.
    public var text: String {
        let sections = [
            overview.warnings.map(clean), table, (overview.troubles + overview.report.runs.flatMap(\.notes)).map(clean),
            checks, obligations, overview.exposures.map(clean),
        ].filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }
        let summary = Messages.summary(overview.outcome, runs: overview.report.runs.count)
        let lines =
            [paint(clean(Messages.title(overview.report)), .bold)] + sections
            + [paint(summary, overview.outcome.exitCode == 0 ? .green : .red)]
        return lines.joined(separator: "\n\n") + "\n"
    }

    // MARK: The table

    private var table: [String] {
        guard !overview.rows.isEmpty else {
            return overview.serverChecks.map { "  \(symbol($0)) \(clean($1.clause))" } + overview.hidden
        }
        let runs = overview.report.runs
        let idWidth = overview.rows.lazy.map { $0.obligation.id.count }.max() ?? 0
        guard runs.count > 1 else {
            let lines = overview.rows.map { row in
                let cell = row.cells[0]
                let faced = cell?.verdict.exercisedCount ?? 0
                let note = faced > 0 ? "  faced \(Messages.times(faced))" : ""
                return "  \(symbol(cell?.mark)) \(padded(row.obligation.id, idWidth))  \(level(row.obligation))\(note)"
            }
            return ["\(clean(runs[0].scenario)), \(runs[0].mode.rawValue)", Messages.legend] + lines + overview.hidden
        }
        let perTable = max(1, (width - idWidth - 10) / 3)
        var lines = [Messages.legend]
        for (index, run) in runs.enumerated() {
            let duration = run.duration.map { ", \(Durations.seconds($0)) s" } ?? ""
            lines.append("  \(aligned(index + 1, 2)) \(clean(run.scenario)), \(run.mode.rawValue)\(duration)")
        }
        for start in stride(from: 0, to: runs.count, by: perTable) {
            let columns = start..<min(start + perTable, runs.count)
            lines += ["", padded("", idWidth + 10) + columns.map { aligned($0 + 1, 2) }.joined(separator: " ")]
            for row in overview.rows {
                let marks = columns.map { " " + symbol(row.cells[$0]?.mark) }.joined(separator: " ")
                let line = "  \(padded(row.obligation.id, idWidth))  \(level(row.obligation))\(marks)"
                lines.append(String(line.prefix(line.count - line.reversed().prefix { $0 == " " }.count)))
            }
        }
        return lines + (overview.hidden.isEmpty ? [] : [""] + overview.hidden)
    }

    private func level(_ obligation: Obligation) -> String { padded(obligation.level.rawValue, 6) }

    private func symbol(_ mark: Report.Mark?) -> String {
        guard let mark else { return " " }
        return mark == .notExercised ? mark.words.symbol : paint(mark.words.symbol, style(mark))
    }

    private func style(_ mark: Report.Mark) -> Style { mark == .broken ? .red : mark == .kept ? .green : .yellow }

    // MARK: What is wrong

    private var checks: [String] {
        overview.toldChecks.flatMap { mark, check in
            let note = mark == .knownBroken ? " (\(mark.words.text))" : ""
            return [
                paint(clean("\(mark.words.symbol) \(check.address)\(note)"), style(mark)), "  \(clean(check.clause))",
            ]
                + (check.failures + check.notes).map { "    \(clean($0))" }
        }
    }

    private var obligations: [String] {
        var lines: [String] = []
        for row in overview.broken {
            if !lines.isEmpty { lines.append("") }
            let obligation = row.obligation
            lines += [
                paint("\(symbol(row.worst)) \(Messages.heading(obligation, row.worst))", .bold),
                "  \(obligation.clause)", "  Source: \(Messages.source(of: obligation))",
            ]
            if let tolerance = obligation.tolerance { lines.append("  Tolerance: \(tolerance)") }
            for (run, cell) in zip(overview.report.runs, row.cells) {
                guard let cell, cell.verdict.outcome == .broken else { continue }
                lines.append("  \(Messages.capitalized(Messages.broken(in: clean(run.scenario), cell.verdict))):")
                for finding in cell.verdict.findings {
                    lines.append("    - \(clean(Messages.warning(finding, in: obligation)))")
                    lines += finding.evidence.map { "        \(clean(EntryLine($0, since: run.startedAt).text))" }
                }
                let hidden = cell.verdict.hiddenCount
                if hidden > 0 { lines.append("    - \(Messages.more(hidden))") }
            }
            lines.append("  How to fix it: \(row.advice)")
        }
        return lines
    }

    // MARK: Characters

    private enum Style: String { case bold = "1", red = "31", green = "32", yellow = "33" }

    private func paint(_ text: String, _ style: Style) -> String {
        usesColor ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// Replaces characters that act on a terminal in a client's or file's text.
    private func clean(_ text: String) -> String { text.onOneLine(limit: 2000) }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private func aligned(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
