import JSON
import Text
import Traffic

/// The short form of verdicts: what is broken, in which runs, the first evidence, and how to fix it.
///
/// What was kept or not faced is only counted.
///
/// Member names are stable; new members may be added: `summary`, `exit_code`, `has_connected`, `incomplete` or null,
/// `troubles`, `counts` by mark; `broken`, each `id`, `level`, `mark`, `runs`, `count` of findings, `message`, `entries`
/// and `evidence` of the first finding, `advice`; `failed_checks`, each `address`, `clause`, `run`, `failures`; of an
/// exploration also `exploration`, and `found`, a discovery each.
public struct VerdictSummary {
    private let overview: Overview

    public init(_ report: Report, knownBroken: KnownBroken = .none) { overview = Overview(report, knownBroken) }

    /// Writes it as one object.
    public func write(to writer: inout JSONWriter) {
        let (report, outcome) = (overview.report, overview.outcome)
        writer.object { writer in
            writer.member("summary", Messages.summary(outcome, runs: report.runs.count))
            writer.member("exit_code", outcome.exitCode)
            writer.member("has_connected", outcome.hasConnected)
            writer.member("incomplete", orNull: report.incomplete)
            writer.strings("troubles", overview.troubles)
            writer.object("counts") { writer in
                for mark in Report.Mark.allCases.reversed() {
                    writer.key(escaping: mark.words.name)
                    writer.value(outcome[mark])
                }
            }
            writer.objects("broken", overview.broken) { write($1, to: &$0) }
            writer.objects("failed_checks", failedChecks) { writer, failed in
                writer.member("address", failed.check.address)
                writer.member("clause", failed.check.clause)
                writer.member("run", failed.run)
                writer.strings("failures", failed.check.failures)
            }
            guard let exploration = report.runs.first?.exploring["exploration"] else { return }
            writer.member("exploration", exploration)
            writer.array("found") { writer in
                for run in report.runs { if let found = run.exploring["discovery"] { writer.value(found) } }
            }
        }
    }

    /// The same as lines; each ends with a line feed.
    public var text: String {
        var lines = overview.warnings + overview.troubles
        for row in overview.broken {
            let broken = overview.breaches(of: row)
            let runs = broken.map(\.run.scenario).joined(separator: ", ")
            lines.append("\(row.worst.words.symbol) \(Messages.heading(row.obligation, row.worst)), in \(runs)")
            if let first = broken.first, let finding = first.verdict.findings.first {
                lines.append("    \(finding.message)")
                lines += finding.evidence.map { "    \(EntryLine($0, since: first.run.startedAt).text)" }
            }
            lines.append("    How to fix it: \(row.advice)")
        }
        for failed in failedChecks {
            lines.append("\(Report.Mark.broken.words.symbol) \(failed.check.address) in \(failed.run)")
            lines += failed.check.failures.prefix(1).map { "    \($0)" }
        }
        let summary = Messages.summary(overview.outcome, runs: overview.report.runs.count)
        return (lines.map { $0.onOneLine(limit: 2000) } + [summary]).joined(separator: "\n") + "\n"
    }

    /// The object and a line feed.
    public var bytes: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.takeBytes() + [UInt8(ascii: "\n")]
    }

    private var failedChecks: [(run: String, check: Report.Check)] {
        overview.report.runs.flatMap { run in
            run.checks.filter { run.mark(of: $0, overview.knownBroken) == .broken }.map { (run.scenario, $0) }
        }
    }

    private func write(_ row: Overview.Row, to writer: inout JSONWriter) {
        let broken = overview.breaches(of: row)
        writer.member("id", row.obligation.id)
        writer.member("level", row.obligation.level.rawValue)
        writer.member("mark", row.worst.words.name)
        writer.strings("runs", broken.map(\.run.scenario))
        writer.member("count", broken.reduce(0) { $0 + $1.verdict.findingCount })
        if let first = broken.first, let finding = first.verdict.findings.first {
            writer.member("message", finding.message)
            writer.array("entries") { writer in for entry in finding.evidence { writer.value(entry.number) } }
            writer.strings("evidence", finding.evidence.map { EntryLine($0, since: first.run.startedAt).text })
        }
        writer.member("advice", row.advice)
    }
}
