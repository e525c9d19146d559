import ArgumentParser
import JSON
import Judging
import MockServer
import Sockets
import Synchronization
import Traffic

struct PageOption: ParsableArguments {
    @Option("Write the report, with the traffic, as a web page to this file.", "file", .file())
    var html: String?

    func validate() throws { if html == "" { throw ValidationError(Messages.empty("--html")) } }

    /// Collects the entries for a page, or nil if there is no page.
    var journal: ReportJournal? { html.map { _ in ReportJournal() } }

    func file(
        _ report: Report, _ journal: ReportJournal?, _ knownBroken: KnownBroken
    ) -> (path: String, bytes: [UInt8])? {
        html.map { ($0, HTMLReport(report, journal ?? ReportJournal(), knownBroken).bytes) }
    }
}

/// The entries for a report's page, from all its runs.
///
/// Any thread may add entries; beyond the limits, the oldest are dropped.
final class ReportJournal: Sendable {
    /// The maximum number of entries on the page.
    static let entryLimit = 100_000
    /// The maximum total size of the heads, bodies and frames on the page, in bytes.
    static let byteLimit = 64 * 1024 * 1024

    private struct State {
        var entries: [(run: ExactString, entry: JournalEntry)] = []
        var droppedCount = 0
        var byteCount = 0
    }

    private let state = Mutex(State())

    /// Adds an entry to the run that has this name; an entry larger than the limit replaces all others.
    func append(_ entry: JournalEntry, of run: String) {
        state.withLock { state in
            state.entries.append((ExactString(run), entry))
            state.byteCount += entry.byteCount
            while state.droppedCount < state.entries.count - 1,
                state.byteCount > Self.byteLimit || state.entries.count - state.droppedCount > Self.entryLimit
            {
                state.byteCount -= state.entries[state.droppedCount].entry.byteCount
                state.droppedCount += 1
            }
            // Remove half of the entries at once, so that each entry is moved only once.
            if state.droppedCount > 1024, state.droppedCount > state.entries.count / 2 {
                state.entries.removeFirst(state.droppedCount)
                state.droppedCount = 0
            }
        }
    }

    /// The entries of a run, oldest first.
    func entries(of run: String) -> [JournalEntry] {
        let run = ExactString(run)
        return state.withLock { $0.entries[$0.droppedCount...].filter { $0.run == run }.map(\.entry) }
    }
}

/// A report as the admin API's page, including a journal and verdicts for each run.
///
/// The page reads the runs from elements `<script type="application/json" class="run">`, which browsers do not execute.
/// The text in these elements contains no `<`, so data from clients cannot end an element or begin another.
struct HTMLReport {
    /// Where the page expects the runs.
    private static let room = Array("<!-- runs -->".utf8)
    private let report: Report
    private let journal: ReportJournal
    private let knownBroken: KnownBroken

    init(_ report: Report, _ journal: ReportJournal, _ knownBroken: KnownBroken = .none) {
        (self.report, self.journal, self.knownBroken) = (report, journal, knownBroken)
    }

    var bytes: [UInt8] {
        let page = APIDescription.adminPageBytes
        guard let place = page.firstRange(of: Self.room) else {
            preconditionFailure("The page must have a placeholder for runs.")
        }
        var bytes = Array(page[..<place.lowerBound])
        for index in report.runs.indices {
            bytes += Array("<script type=\"application/json\" class=\"run\">".utf8)
            for byte in element(index) {
                if byte == UInt8(ascii: "<") { bytes += Array("\\u003c".utf8) } else { bytes.append(byte) }
            }
            bytes += Array("</script>\n".utf8)
        }
        return bytes + page[place.upperBound...]
    }

    private func element(_ index: Int) -> [UInt8] {
        let run = report.runs[index]
        let entries = journal.entries(of: run.scenario)
        let encoder = JournalEncoder(mode: run.mode)
        let unmatchedCount = entries.count { entry in
            if case .exchange(let exchange) = entry.event { exchange.unmatched != nil } else { false }
        }
        let judgement = Judgement(
            verdicts: run.verdicts, exposures: run.exposures, coverage: run.coverage,
            hasConnected: run.hasConnected, missedCount: run.missedCount, unmatchedCount: unmatchedCount)
        return JSONWriter.object { writer in
            writer.member("title", report.title)
            writer.member("id", String(index))
            writer.member("name", run.scenario)
            writer.strings("troubles", run.troubles(knownBroken))
            writer.array("journal") { writer in for entry in entries { encoder.write(entry, to: &writer) } }
            writer.key("verdicts")
            judgement.write(to: &writer, encoder)
        }
    }
}
