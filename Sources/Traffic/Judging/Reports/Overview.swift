/// A report by obligation, across all runs.
struct Overview {
    let report: Report
    let knownBroken: KnownBroken
    let outcome: Report.Outcome
    /// The obligations of all runs, in the contract's order.
    let rows: [Row]

    /// An obligation across all runs.
    struct Row {
        let obligation: Obligation
        /// The verdict and its mark in each run, or nil if the run's guide does not require the obligation.
        var cells: [Cell?]

        /// The worst mark of all runs.
        var worst: Report.Mark { cells.lazy.compactMap { $0?.mark }.max { $0.rawValue < $1.rawValue } ?? .notExercised }
    }

    struct Cell {
        let verdict: Verdict
        let mark: Report.Mark
    }

    init(_ report: Report, _ knownBroken: KnownBroken) {
        self.report = report
        self.knownBroken = knownBroken
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
        // Guides require different obligations, so a later run may add some that belong before those of an earlier one.
        let order = Dictionary(
            Judge.obligations.enumerated().map { ($0.element.id, $0.offset) }, uniquingKeysWith: { first, _ in first })
        self.rows = rows.enumerated().sorted {
            (order[$0.element.obligation.id] ?? order.count, $0.offset)
                < (order[$1.element.obligation.id] ?? order.count, $1.offset)
        }.map(\.element)
    }

    /// The broken obligations: first those that fail the run, then warnings, then known breaches.
    var broken: [Row] {
        [Report.Mark.broken, .warned, .knownBroken].flatMap { mark in rows.filter { $0.worst == mark } }
    }

    /// The obligations that the client faced in no run.
    var neverExercised: [Obligation] { rows.filter { $0.worst == .notExercised }.map(\.obligation) }

    /// The failed contract cases with their runs.
    var failedChecks: [(run: Report.Run, check: Report.Check)] {
        report.runs.flatMap { run in run.checks.filter { !$0.failures.isEmpty }.map { (run, $0) } }
    }

    /// How often the client met each failure path, in all runs.
    var exposures: [Exposure] {
        var counts: [Exposure.Path: Int] = [:]
        for exposure in report.runs.flatMap(\.exposures) { counts[exposure.path, default: 0] += exposure.count }
        return Exposure.Path.allCases.map { Exposure(path: $0, count: counts[$0] ?? 0) }
    }
}

/// Built-in scenarios that make a client face an obligation: advice for obligations that were not exercised.
enum ScenarioHints {
    /// Scenario names by obligation ID; an empty list means that any scenario works if the client does its part.
    static let scenarios: [String: [String]] = [  // Obligation IDs: constants.
        "auth/credentials-on-every-request": [],
        "auth/websocket-credentials": [],
        "auth/refresh-after-401": ["token-expires-mid-session"],
        "ids/lowercase": [],
        "ids/backend-goal-id": ["established-account"],
        "ids/gone-not-reused": [],
        "request/shape": [],
        "consultation/conflict-continues-existing": ["conflict"],
        "consultation/limit-stops-creating": ["limit-reached"],
        "consultation/history-before-connect": [],
        "ws/endpoint": [],
        "ws/single-connection": [],
        "ws/waits-for-connected": [],
        "ws/refused-handshake": ["token-expires-mid-session"],
        "ws/message-shape": [],
        "ws/no-send-while-streaming": ["slow-coach"],
        "ws/keepalive": ["silent-coach", "missed-pongs"],
        "ws/reconnect-backoff": ["drop-mid-stream", "server-restarts"],
        "ws/reconnect-limit": ["drop-mid-stream", "server-restarts"],
        "ws/no-reconnect-after-own-close": [],
        "ws/recovers-history": ["drop-mid-stream"],
        "ws/close-handshake": [],
        "retry/backoff-on-5xx": ["flaky-500", "timeouts"],
        "goal/reuses-conversation": ["established-account"],
        "goal/links-created-goal": ["scripted-coach"],
        "meal/no-fetch-after-completed": ["meal-completes"],
        "meal/no-poll-while-connected": ["meal-completes"],
        "meal/polling-cadence": ["meal-never-finishes"],
    ]
}
