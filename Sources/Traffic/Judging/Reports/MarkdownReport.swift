import Traffic

/// A report as GitHub-flavoured Markdown for a CI job summary: a summary line, a table, and a block for each breach.
///
/// Nothing that a client sent can affect the page: all text from outside this module is escaped.
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
            + ["", Messages.legend.replacing("~", with: "🟡").replacing("   ", with: ", ")]
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

    /// The table of situations, and the ones to face next, folded.
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
/// CommonMark documents" (CommonMark 0.31 §2.5), so it forms no markup, mentions or links.
func markdown(_ text: String) -> String {
    var result = ""
    for scalar in text.onOneLine(limit: 2000).unicodeScalars {
        switch scalar {
        case "\\", "`", "*", "_", "{", "}", "[", "]", "<", ">", "#", "|", "!", "~", "&", "@", "$":
            result += "&#\(scalar.value);"
        // "https://" and "www." are links without any markup.
        case ":" where result.hasSuffix("http") || result.hasSuffix("https"): result += "&#58;"
        case "." where result.lowercased().hasSuffix("www"): result += "&#46;"
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result
}

/// Escapes text for one line within an HTML element.
func html(_ text: String) -> String { xml(text.onOneLine(limit: 2000)) }
