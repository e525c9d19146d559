import Text
import Traffic

/// A report for a terminal: the verdict, the breaches and how to fix them, the kept obligations, and a summary line.
///
/// The report shows identical findings from several runs only once, and unbroken obligations only by name. The JSON
/// contains everything.
public struct TerminalReport {
    /// The column after which lines wrap, or nil to never wrap.
    public var width: Int?
    /// Whether to colour marks and headings (ECMA-48 SGR).
    ///
    /// Text from outside this module is never coloured.
    public var usesColor = false

    private let overview: Overview

    public init(_ report: Report, knownBroken: KnownBroken = .none, usesColor: Bool = false, width: Int? = nil) {
        overview = Overview(report, knownBroken)
        (self.usesColor, self.width) = (usesColor, width)
    }

    /// The report; each line ends with a line feed.
    public var text: String {
        let sections = [
            verdict, overview.warnings.flatMap { lines($0) },
            (overview.troubles + overview.notes).flatMap { lines($0) },
            checks, obligations, table, overview.exposures.flatMap { lines($0) },
        ].filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }
        let summary = Messages.summary(overview.outcome, runs: overview.report.runs.count)
        let blocks =
            [lines(Messages.title(overview.report), .bold).joined(separator: "\n")] + sections
            + [lines(summary, overview.outcome.exitCode == 0 ? .green : .red).joined(separator: "\n")]
        return blocks.joined(separator: "\n\n") + "\n"
    }

    private var verdict: [String] {
        let broken = overview.verdict.flatMap { lines($1, style($0)) }
        let hasNews = !broken.isEmpty || overview.rows.isEmpty || overview.outcome.exitCode != 0
        return hasNews ? broken : lines(Messages.nothingBroken, .green)
    }

    // MARK: The table

    private var table: [String] {
        guard !overview.rows.isEmpty else {
            return overview.serverChecks.map { "  \(symbol($0)) \(clean($1.clause))" } + hidden
        }
        let runs = overview.report.runs
        let isSingle = runs.count == 1
        let shown = overview.rows.filter { row in row.worst != .notExercised && (isSingle || row.worst != .kept) }
        let idWidth = shown.lazy.map { $0.obligation.id.count }.max() ?? 0
        let rows = shown.map { row in
            let note = isSingle ? Messages.faced(row) : Messages.brokenRuns(row)
            let name = "\(padded(row.obligation.id, idWidth))  \(padded(row.obligation.level.rawValue, 6))"
            return "  \(symbol(row.worst)) \(name)  \(note)"
        }
        let kept = isSingle ? [] : overview.rows.filter { $0.worst == .kept }.map(\.obligation.id)
        let title = isSingle ? ["\(clean(runs[0].scenario)), \(runs[0].mode.rawValue)"] : []
        return (rows.isEmpty ? [] : title + legend + rows)
            + (kept.isEmpty ? [] : lines(Messages.kept(kept))) + hidden
    }

    /// The legend, which wraps between its entries.
    private var legend: [String] {
        var lines: [String] = []
        for entry in Messages.legend {
            if let line = lines.last.map({ "\($0)   \(entry)" }), line.count <= max(width ?? .max, Self.narrowest) {
                lines[lines.count - 1] = line
            } else {
                lines.append(entry)
            }
        }
        return lines
    }

    private var hidden: [String] {
        let unfaced = overview.rows.count { $0.worst == .notExercised }
        return ((unfaced == 0 ? [] : [Messages.unfaced(unfaced)]) + overview.hidden).flatMap { lines($0) }
    }

    private func symbol(_ mark: Report.Mark) -> String { paint(mark.words.symbol, style(mark)) }

    private func style(_ mark: Report.Mark) -> Style { mark == .broken ? .red : mark == .kept ? .green : .yellow }

    // MARK: Problems

    private var checks: [String] {
        overview.toldChecks.flatMap { (mark, check) -> [String] in
            let note = mark == .knownBroken ? " (\(mark.words.text))" : ""
            return lines("\(mark.words.symbol) \(check.address)\(note)", style(mark)) + lines("  \(check.clause)")
                + (check.failures + check.notes).flatMap { lines("    \(clean($0))") }
        }
    }

    private var obligations: [String] {
        var lines: [String] = []
        for row in overview.broken {
            if !lines.isEmpty { lines.append("") }
            let obligation = row.obligation
            lines.append(paint("\(symbol(row.worst)) \(Messages.heading(obligation, row.worst))", .bold))
            lines += self.lines("  \(obligation.clause)") + self.lines("  Source: \(Messages.source(of: obligation))")
            if let tolerance = obligation.tolerance { lines += self.lines("  Tolerance: \(tolerance)") }
            let breaches = overview.breaches(of: row)
            lines += self.lines("  \(Messages.capitalized(Messages.broken(breaches))):")
            for group in Overview.groups(of: breaches) {
                lines += self.lines("    - \(clean(Messages.warning(group.finding, in: obligation)))")
                if breaches.count > 1 { lines += self.lines("      \(Messages.seen(in: group.runs.map(\.scenario)))") }
                lines += group.finding.evidence.flatMap { entry in
                    self.lines("        \(clean(EntryLine(entry, since: group.runs[0].startedAt).text))")
                }
            }
            let hidden = breaches.reduce(0) { $0 + $1.verdict.hiddenCount }
            if hidden > 0 { lines.append("    - \(Messages.more(hidden))") }
            lines += self.lines("  How to fix it: \(row.advice)")
        }
        return lines
    }

    // MARK: Characters

    private enum Style: String { case bold = "1", red = "31", green = "32", yellow = "33" }

    private func paint(_ text: String, _ style: Style?) -> String {
        usesColor ? style.map { "\u{1B}[\($0.rawValue)m\(text)\u{1B}[0m" } ?? text : text
    }

    /// Replaces terminal control characters in a client's or file's text.
    private func clean(_ text: String) -> String { text.onOneLine(limit: 2000) }

    /// Wraps text to ``width`` columns (except for longer words), and keeps its indentation.
    private func lines(_ text: String, _ style: Style? = nil) -> [String] {
        var rest = clean(text)[...]
        let indent = String(repeating: " ", count: min(20, rest.prefix { $0 == " " || $0 == "-" }.count))
        var lines: [String] = []
        while let width, rest.count > max(width, Self.narrowest) {
            let first = rest.index(rest.startIndex, offsetBy: indent.count)
            let last = rest.index(rest.startIndex, offsetBy: max(width, Self.narrowest))
            guard let space = rest[first...last].lastIndex(of: " ") ?? rest[last...].firstIndex(of: " ") else { break }
            lines.append(paint(String(rest[..<space]), style))
            rest = (indent + rest[rest.index(after: space)...])[...]
        }
        return lines + [paint(String(rest), style)]
    }

    /// The minimum number of columns to wrap to.
    private static let narrowest = 40

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
