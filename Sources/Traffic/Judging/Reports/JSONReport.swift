import FitIQAPI
import JSON
import Text
import Traffic

/// A report as one JSON object, for programs.
///
/// Member names are stable; new members may be added:
///
/// - `format`: 1. `title`. `exit_code`. `summary`: the summary line of the other reports. `incomplete`: why the rest
///   was not run, or null.
/// - `outcome`: `has_connected`; `broken`, `warned`, `known_broken`, `kept`, `not_exercised`: numbers of obligations,
///   by each one's worst mark across all runs; `checks`, `failed_checks`, `failed_commands`; `outdated`: lines of the
///   known-broken list that no longer hold, each `line`, `scenario` or null, `subject`.
/// - `runs`, each: `scenario`, `guide`, `command` or null, `duration_ms` or null, `has_connected`, `missed`,
///   `verdicts`, `exposures`, `coverage`, `checks`. A command has `kind` (`exited`, `signalled`, `timed_out`) with
///   `status`, `signal` or `limit_ms`, and `mark` (`kept`, `broken`, `known_broken`).
/// - a verdict: `id`, `level`, `origin` (`guides`, `all`, `ours`), `guides`, `place`, `clause`, `tolerance` or null,
///   `advice`, `verdict` (`kept`, `broken`, `not_exercised`), `mark` (those, `warned`, `known_broken`), `exercised`,
///   `finding_count`, `findings`, each `level`, `message`, `evidence`: journal entries as the server writes them.
/// - `coverage`, for all runs and for each: `faced` and `reachable`, numbers of situations; for all runs also
///   `situations`, each `socket`, `token`, `meal`, `trouble`, `way` or null, `faced`.
/// - a run with notes also has `notes`.
/// - an exposure: `path`, `count`. A check: `address`, `clause`, `failures`, `known_broken`, `notes` if there are any,
///   and `level` if failures are only warnings.
/// - in an exploration, the first run has `exploration`, and each other run `discovery`: docs/explore.md.
public struct JSONReport {
    private let report: Report
    private let knownBroken: KnownBroken

    public init(_ report: Report, knownBroken: KnownBroken = .none) {
        (self.report, self.knownBroken) = (report, knownBroken)
    }

    public var bytes: [UInt8] {
        var writer = JSONWriter(reserving: 64 * 1024)
        writer.object { writer in
            let outcome = report.outcome(knownBroken: knownBroken)
            writer.member("format", 1)
            writer.member("title", report.title)
            writer.member("exit_code", outcome.exitCode)
            writer.member("summary", Messages.summary(outcome, runs: report.runs.count))
            writer.member("incomplete", orNull: report.incomplete)
            writer.object("outcome") { Self.write(outcome, to: &$0) }
            report.coverageSummary.write(to: &writer, withSituations: true)
            writer.array("runs") { writer in for run in report.runs { write(run, to: &writer) } }
        }
        return writer.takeBytes() + [UInt8(ascii: "\n")]
    }

    private static func write(_ outcome: Report.Outcome, to writer: inout JSONWriter) {
        writer.member("has_connected", outcome.hasConnected)
        for mark in [Report.Mark.broken, .warned, .knownBroken, .kept, .notExercised] {
            writer.key(escaping: mark.words.name)
            writer.value(outcome[mark])
        }
        writer.member("checks", outcome.checkCount)
        writer.member("failed_checks", outcome.failedCheckCount)
        writer.member("failed_commands", outcome.failedCommandCount)
        writer.objects("outdated", outcome.outdated) { writer, line in
            writer.member("line", line.number)
            writer.member("scenario", orNull: line.scenario?.text)
            writer.member("subject", line.subject.text)
        }
    }

    private func write(_ run: Report.Run, to writer: inout JSONWriter) {
        let encoder = JournalEncoder(mode: run.mode)
        writer.object { writer in
            writer.member("scenario", run.scenario)
            writer.member("guide", run.mode.rawValue)
            Self.write(run.command, mark: run.commandMark(knownBroken), to: &writer)
            if let duration = run.duration {
                writer.member("duration_ms", Int(duration / 1_000_000))
            } else {
                writer.memberNull("duration_ms")
            }
            writer.member("has_connected", run.hasConnected)
            writer.member("missed", run.missedCount)
            if !run.notes.isEmpty { writer.strings("notes", run.notes) }
            writer.objects("verdicts", run.verdicts) { writer, verdict in
                Self.write(verdict, mark: run.mark(of: verdict, knownBroken), encoder, to: &writer)
            }
            writer.objects("exposures", run.exposures) { writer, exposure in
                writer.member("path", exposure.path.rawValue)
                writer.member("count", exposure.count)
            }
            CoverageSummary(run.coverage, of: report.reachable).write(to: &writer, withSituations: false)
            writer.objects("checks", run.checks) { writer, check in
                writer.member("address", check.address)
                writer.member("clause", check.clause)
                writer.strings("failures", check.failures)
                if !check.notes.isEmpty { writer.strings("notes", check.notes) }
                writer.member("known_broken", knownBroken.lists(check.address, in: run.scenario))
                if !check.failsRun { writer.member("level", Obligation.Level.should.rawValue) }
            }
            for (name, value) in run.exploring {
                writer.key(escaping: name)
                writer.value(value)
            }
        }
    }

    private static func write(_ command: Report.CommandOutcome?, mark: Report.Mark?, to writer: inout JSONWriter) {
        guard let command, let mark else { return writer.memberNull("command") }
        writer.object("command") { writer in
            switch command {
            case .exited(let status):
                writer.member("kind", "exited")
                writer.member("status", status)
            case .signalled(let signal):
                writer.member("kind", "signalled")
                writer.member("signal", signal)
            case .timedOut(let limit):
                writer.member("kind", "timed_out")
                writer.member("limit_ms", Int(limit / 1_000_000))
            }
            writer.member("mark", mark.words.name)
        }
    }

    private static func write(
        _ verdict: Verdict, mark: Report.Mark, _ encoder: JournalEncoder, to writer: inout JSONWriter
    ) {
        let obligation = verdict.obligation
        writer.member("id", obligation.id)
        writer.member("level", obligation.level.rawValue)
        let (origin, guides) = described(obligation.origin)
        writer.member("origin", origin)
        writer.strings("guides", guides.map(\.rawValue))
        writer.member("place", obligation.place)
        writer.member("clause", obligation.clause)
        writer.member("tolerance", orNull: obligation.tolerance)
        writer.member("advice", verdict.advice)
        writer.member("verdict", verdict.outcome.rawValue)
        if verdict.isLeftToServer { writer.member("not_judged", true) }
        writer.member("mark", mark.words.name)
        writer.member("exercised", verdict.exercisedCount)
        writer.member("finding_count", verdict.findingCount)
        writer.objects("findings", verdict.findings) { writer, finding in
            writer.member("level", finding.level.rawValue)
            writer.member("message", finding.message)
            writer.array("evidence") { writer in for entry in finding.evidence { encoder.write(entry, to: &writer) } }
        }
    }

    private static func described(_ origin: Obligation.Origin) -> (name: String, guides: [GuideMode]) {
        switch origin {
        case .guides(let guides): ("guides", guides)
        case .all: ("all", GuideMode.guides)
        case .ours: ("ours", [])
        }
    }
}

/// The short form of verdicts: the broken obligations and their runs, with the first piece of evidence and how to fix
/// the client.
///
/// Kept and unexercised obligations only appear as counts.
///
/// Member names are stable; new members may be added: `summary`, `exit_code`, `has_connected`, `incomplete` or null,
/// `troubles`, `counts` by mark; `broken`, each `id`, `level`, `mark`, `runs`, `count` of findings, `message`,
/// `entries` and `evidence` of the first finding, `advice`; `failed_checks`, each `address`, `clause`, `run`,
/// `failures`; for an exploration also `exploration`, and `found`, one discovery each.
public struct VerdictSummary {
    private let overview: Overview

    public init(_ report: Report, knownBroken: KnownBroken = .none) { overview = Overview(report, knownBroken) }

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

    /// The summary as lines.
    ///
    /// Each object ends with a line feed.
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

    /// The object, followed by a line feed.
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
