import Text

/// A report as annotations of GitHub Actions: workflow commands on standard output, which the page of a run shows.
///
/// Source: docs.github.com, "Workflow commands for GitHub Actions", setting an error message. GitHub shows at most ten
/// errors and ten warnings of a step; if there are more, the tenth gives the number of the others.
public struct GitHubAnnotations {
    /// GitHub's own limit for each kind.
    static let limit = 10
    /// The title of what is about no obligation and no case.
    private static let program = "fitiq-mock"

    private let overview: Overview

    public init(_ report: Report, knownBroken: KnownBroken = .none) { overview = Overview(report, knownBroken) }

    /// The commands; each ends with a line feed.
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

    /// What has this mark: obligations, then checks.
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
        return Annotation(
            title: Messages.heading(row.obligation, row.worst), message: lines.joined(separator: "\n"))
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

    /// Escapes what would end a command, or begin another.
    private static func escaped(_ text: String) -> String {
        text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
    }
}
