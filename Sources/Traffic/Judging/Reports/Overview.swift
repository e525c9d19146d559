import JSON

/// A report by obligation, across all runs.
struct Overview {
    let report: Report
    let knownBroken: KnownBroken
    let outcome: Report.Outcome
    /// The obligations that tables show, from all runs, in the contract's order.
    let rows: [Row]
    /// The number of obligations omitted because the client did not exercise them and no selected run requires them.
    let hiddenCount: Int

    struct Row {
        let obligation: Obligation
        /// The verdict and its mark in each run, or nil if the run's guide does not require the obligation.
        var cells: [Cell?]

        /// How to fix the client.
        var advice: String {
            cells.lazy.compactMap { $0?.verdict }.first { $0.outcome == .broken }?.advice ?? obligation.advice
        }

        var worst: Report.Mark { cells.lazy.compactMap { $0?.mark }.max { $0.rawValue < $1.rawValue } ?? .notExercised }
    }

    /// A run that broke an obligation.
    typealias Breach = (run: Report.Run, verdict: Verdict)

    struct Cell {
        let verdict: Verdict
        let mark: Report.Mark
    }

    init(_ report: Report, _ knownBroken: KnownBroken) {
        (self.report, self.knownBroken) = (report, knownBroken)
        outcome = report.outcome(knownBroken: knownBroken)
        var rows: [Row] = []
        var places: [String: Int] = [:]  // Obligation IDs: constants.
        for (index, run) in report.runs.enumerated() {
            for verdict in run.verdicts {
                let id = verdict.obligation.id
                let place = places[id] ?? rows.count
                if place == rows.count {
                    places[id] = place
                    rows.append(
                        Row(obligation: verdict.obligation, cells: Array(repeating: nil, count: report.runs.count)))
                }
                rows[place].cells[index] = Cell(verdict: verdict, mark: run.mark(of: verdict, knownBroken))
            }
        }
        // Guides require different obligations, so a later run may add an obligation that belongs before an earlier
        // run's obligations.
        let ids = Judge.obligations.map(\.id)
        let order = Dictionary(uniqueKeysWithValues: zip(ids, ids.indices))
        // The sort is stable, so obligations outside the contract's table come last, in the order of the runs.
        let sorted = rows.sorted { (order[$0.obligation.id] ?? ids.count) < (order[$1.obligation.id] ?? ids.count) }
        self.rows = sorted.filter { row in
            row.worst != .notExercised || report.faced?.contains(row.obligation.id) ?? true
        }
        hiddenCount = sorted.count - self.rows.count
    }

    /// The sentence about omitted obligations, if any.
    var hidden: [String] {
        let isVerified = report.runs.contains { $0.command != nil }
        return hiddenCount == 0 ? [] : [Messages.hidden(hiddenCount, isVerified: isVerified)]
    }

    /// Why a report is almost empty, shown before the table; for other reports, this is empty.
    var warnings: [String] {
        (report.incomplete.map { [$0] } ?? []) + (outcome.hasConnected || report.runs.isEmpty ? [] : connection)
    }

    private var connection: [String] {
        guard !outcome.hasConnected else {
            let silent = report.runs.filter { !$0.hasConnected }.map(\.scenario)
            return silent.isEmpty ? [] : [Messages.notConnected(scenario: Messages.short(silent))]
        }
        return [neverConnected]
    }

    /// Why a client may have sent nothing, depending on how the client was started.
    var neverConnected: String {
        if report.subject == .server { return Messages.noAnswer }
        let isOfCommand = report.runs.contains { $0.command != nil || !$0.exploring.isEmpty }
        if isOfCommand { return Messages.neverConnected }
        return report.faced == nil ? Messages.nothingRecorded : Messages.neverDriven
    }

    /// The broken obligations: first the failures, then warnings, then known breaches.
    var broken: [Row] {
        [Report.Mark.broken, .warned, .knownBroken].flatMap { mark in rows.filter { $0.worst == mark } }
    }

    func breaches(of row: Row) -> [Breach] {
        zip(report.runs, row.cells).compactMap { run, cell in
            cell.flatMap { $0.verdict.outcome == .broken ? (run, $0.verdict) : nil }
        }
    }

    /// Groups findings that differ only in IDs, numbers and times; returns each group's first finding and its runs.
    static func groups(of breaches: [Breach]) -> [(finding: Finding, runs: [Report.Run])] {
        var groups: [(finding: Finding, runs: [Report.Run])] = []
        var places: [ExactString: Int] = [:]
        for (run, verdict) in breaches {
            // Two findings in one run are different problems even if they have the same text.
            var seen: [ExactString: Int] = [:]
            for finding in verdict.findings {
                let words = finding.message.split(separator: " ").map { $0.contains(where: \.isNumber) ? "#" : $0 }
                let shape = ExactString("\(finding.level) \(words.joined(separator: " "))")
                let key = ExactString("\(seen[shape, default: 0]) \(shape)")
                seen[shape, default: 0] += 1
                if let place = places[key] {
                    groups[place].runs.append(run)
                } else {
                    places[key] = groups.count
                    groups.append((finding, [run]))
                }
            }
        }
        return groups
    }

    /// The verdict in at most three sentences: on broken musts, on broken shoulds, and on failed cases and commands.
    var verdict: [(mark: Report.Mark, sentence: String)] {
        guard report.subject == .client else { return [] }
        var lines: [(mark: Report.Mark, sentence: String)] = []
        for mark in [Report.Mark.broken, .warned] {
            let broken = rows.filter { $0.worst == mark }.map { row in
                (row.obligation.id, zip(report.runs, row.cells).first { $1?.mark == mark }?.0.scenario ?? "")
            }
            if !broken.isEmpty {
                lines.append((mark, Messages.verdict(mark, broken, isSingle: report.runs.count == 1)))
            }
        }
        let cases = toldChecks.filter { $0.mark == .broken }.map(\.check.address)
        let commands = failedCommands.map { "in \($0.scenario)" }
        let others = [Messages.failed(cases, "case"), Messages.failed(commands, "command")].compactMap { $0 }
        return others.isEmpty ? lines : lines + [(.broken, others.joined(separator: " "))]
    }

    private var failedCommands: [Report.Run] { report.runs.filter { $0.commandMark(knownBroken) == .broken } }

    /// Notes other than failures: the runs' notes, and commands that are known to fail.
    var notes: [String] {
        report.runs.flatMap { run in
            let known = run.commandMark(knownBroken) == .knownBroken ? run.command : nil
            return (known.map { [Messages.knownCommand($0, scenario: run.scenario)] } ?? []) + run.notes
        }
    }

    /// Problems other than broken obligations and ``warnings``: commands, runs without a connection, lost entries, and
    /// the known-broken list.
    var troubles: [String] {
        let runs = report.runs
        var failures: [(command: Report.CommandOutcome, scenarios: [String])] = []
        for run in failedCommands {
            guard let command = run.command else { continue }
            if let place = failures.firstIndex(where: { $0.command == command }) {
                failures[place].scenarios.append(run.scenario)
            } else {
                failures.append((command, [run.scenario]))
            }
        }
        var lines = failures.map { Messages.failedCommand($0.command, scenario: Messages.short($0.scenarios)) }
        if outcome.hasConnected { lines += connection }
        lines += runs.filter { $0.missedCount > 0 }.map { Messages.missed($0.missedCount, scenario: $0.scenario) }
        return lines + outcome.outdated.map(Messages.outdated)
    }

    /// The failure paths that the client encountered, and the sentence about its situations.
    var exposures: [String] {
        var counts: [Exposure.Path: Int] = [:]
        for exposure in report.runs.flatMap(\.exposures) { counts[exposure.path, default: 0] += exposure.count }
        let met = Exposure.Path.allCases.compactMap { path in
            counts[path].flatMap { $0 > 0 ? "\(Messages.exposure(path)) ×\($0)" : nil }
        }
        return (met.isEmpty ? [] : ["Error paths encountered: \(met.joined(separator: ", "))."])
            + (hasSituations ? [report.coverageSummary.sentence] : [])
    }

    var hasSituations: Bool { outcome.hasConnected && report.subject == .client }

    /// The mark and clause of each check if the report is about a server; servers have no obligations.
    var serverChecks: [(mark: Report.Mark, check: Report.Check)] {
        guard report.subject == .server else { return [] }
        return report.runs.flatMap { run in run.checks.map { (run.mark(of: $0, knownBroken), $0) } }
    }

    /// The checks that failed or have notes.
    var toldChecks: [(mark: Report.Mark, check: Report.Check)] {
        report.runs.flatMap { run in
            run.checks.filter { !$0.failures.isEmpty || !$0.notes.isEmpty }.map { (run.mark(of: $0, knownBroken), $0) }
        }
    }
}

/// How many of the reachable situations a client has faced.
///
/// A situation that the client has faced counts as reachable even if it is not in the list.
public struct CoverageSummary: Sendable {
    private let faced: Coverage
    /// The listed situations, followed by situations that only this client faced.
    private let reachable: [ReachableSituation]
    /// The completed scenarios; suggestions prefer others.
    private let played: [String]

    /// The maximum number of situations to suggest next.
    static let nextLimit = 10

    public init(_ faced: Coverage, played: [String] = [], of known: [ReachableSituation] = ReachableSituation.all) {
        (self.faced, self.played) = (faced, played)
        let listed = Set(known.map(\.situation))
        reachable = known + faced.situations.filter { !listed.contains($0) }.map { ReachableSituation($0, way: nil) }
    }

    public var facedCount: Int { faced.count }
    public var reachableCount: Int { reachable.count }

    /// The situations to face next, at most ten.
    ///
    /// Ways that use a scenario that was already run come last; otherwise, shorter ways come first.
    public var next: [ReachableSituation] {
        let open = reachable.filter { !faced.contains($0.situation) && $0.way != nil }
        let isPlayed = { (row: ReachableSituation) in row.scenario.map(played.contains) ?? false }
        return Array((open.filter { !isPlayed($0) } + open.filter(isPlayed)).prefix(Self.nextLimit))
    }

    /// The sentence in reports: `Faced 41 of 120 reachable situations; next: …`.
    public var sentence: String {
        let told = next.first.map { "; next: \(Messages.wayTo($0))" } ?? ""
        return Messages.faced(facedCount, of: reachableCount) + told + "."
    }

    /// Writes the members `faced`, `reachable` and optionally `situations`.
    func write(to writer: inout JSONWriter, withSituations: Bool) {
        writer.object("coverage") { writer in
            writer.member("faced", facedCount)
            writer.member("reachable", reachableCount)
            guard withSituations else { return }
            writer.objects("situations", reachable) { writer, row in
                row.write(to: &writer)
                writer.member("faced", faced.contains(row.situation))
            }
        }
    }

    /// Writes the member `coverage` for a page: `faced`, `reachable`, the `next` situations, and the rows of the table.
    package func writeTable(to writer: inout JSONWriter) {
        writer.object("coverage") { writer in
            writer.member("faced", facedCount)
            writer.member("reachable", reachableCount)
            writer.objects("next", next) { writer, row in
                row.write(to: &writer)
                writer.member("words", Messages.words(row.situation))
            }
            writer.objects("table", table) { writer, row in
                writer.member("socket", "\(row.socket)")
                writer.member("token", "\(row.token)")
                writer.array("cells") { writer in
                    for cell in row.cells {
                        writer.array { writer in
                            writer.value(cell.faced)
                            writer.value(cell.reachable)
                        }
                    }
                }
            }
        }
    }

    // MARK: The table

    /// The table's columns: each meal state, before and after trouble.
    static let columns = Situation.Meal.allCases.flatMap { meal in
        [false, true].map { Column(meal: meal, isTroubled: $0) }
    }

    struct Column: Sendable {
        let meal: Situation.Meal
        let isTroubled: Bool
    }

    struct Row: Sendable {
        let socket: Situation.Socket
        let token: Situation.Token
        /// The cells, one for each of ``columns``.
        var cells = [(faced: Int, reachable: Int)](repeating: (0, 0), count: CoverageSummary.columns.count)
    }

    /// A row for each reachable state of the socket and the token.
    var table: [Row] {
        var rows: [Row] = []
        for socket in Situation.Socket.allCases {
            for token in Situation.Token.allCases {
                let here = reachable.map(\.situation).filter { $0.socket == socket && $0.token == token }
                guard !here.isEmpty else { continue }
                var row = Row(socket: socket, token: token)
                for situation in here {
                    let column = 2 * Int(situation.meal.rawValue) + (situation.trouble == .none ? 0 : 1)
                    row.cells[column].reachable += 1
                    if faced.contains(situation) { row.cells[column].faced += 1 }
                }
                rows.append(row)
            }
        }
        return rows
    }
}

extension ReachableSituation {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("socket", "\(situation.socket)")
        writer.member("token", "\(situation.token)")
        writer.member("meal", "\(situation.meal)")
        writer.member("trouble", "\(situation.trouble)")
        writer.member("way", orNull: way)
    }
}

extension Report {
    /// The client's situations in all runs.
    public var coverage: Coverage { runs.reduce(into: Coverage()) { $0.formUnion($1.coverage) } }

    /// The combined coverage of all runs.
    var coverageSummary: CoverageSummary { CoverageSummary(coverage, played: runs.map(\.scenario), of: reachable) }
}
