import JSON

/// What a client faced of the situations that clients are known to reach.
///
/// A situation that it faced and that is not in the list of known ones counts as reachable.
public struct CoverageSummary: Sendable {
    private let faced: Coverage
    /// The known situations, then those that only this client faced.
    private let reachable: [ReachableSituation]
    /// The scenarios that were played: another one is the better advice.
    private let played: [String]

    /// The maximum number of situations that are named as the next ones.
    static let nextLimit = 10

    public init(_ faced: Coverage, played: [String] = [], of known: [ReachableSituation] = ReachableSituation.all) {
        self.faced = faced
        self.played = played
        let listed = Set(known.map(\.situation))
        reachable =
            known + faced.situations.filter { !listed.contains($0) }.map { ReachableSituation($0, way: nil) }
    }

    public var facedCount: Int { faced.count }
    public var reachableCount: Int { reachable.count }

    /// The situations to face next, at most ten: those with the least way first, and of these first the ones whose
    /// scenario was not played.
    public var next: [ReachableSituation] {
        let open = reachable.filter { !faced.contains($0.situation) && $0.way != nil }
        let isPlayed = { (row: ReachableSituation) in row.scenario.map(played.contains) ?? false }
        return Array((open.filter { !isPlayed($0) } + open.filter(isPlayed)).prefix(Self.nextLimit))
    }

    /// The sentence for people: `Faced 41 of 120 reachable situations; next: …`.
    public var sentence: String {
        let told = next.first.map { "; next: \(Messages.wayTo($0))" } ?? ""
        return Messages.faced(facedCount, of: reachableCount) + told + "."
    }

    /// Writes the members `faced`, `reachable` and, if wanted, `situations`.
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

    /// Writes the member `coverage` for a page: `faced`, `reachable`, the `next` ones, and the rows of the table.
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

    /// The columns of the table: for each state of the meals, before anything went wrong and after.
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
        /// One for each of ``columns``.
        var cells = [(faced: Int, reachable: Int)](repeating: (0, 0), count: CoverageSummary.columns.count)
    }

    /// A row for each state of the socket and the token that can be reached.
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
    /// Every situation that the client was in, in any run.
    public var coverage: Coverage {
        runs.reduce(into: Coverage()) { $0.formUnion($1.coverage) }
    }

    /// What the client faced in all runs.
    var coverageSummary: CoverageSummary {
        CoverageSummary(coverage, played: runs.map(\.scenario), of: reachable)
    }
}
