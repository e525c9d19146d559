import FitIQAPI
import Traffic

@testable import Judging

/// A report with every possible part, and texts from a client that tries to inject markup.
enum SampleReport {
    static let evil = "<b>&\"'|`*_]]>\u{1B}[31m\u{202E}@octocat https://evil.example"

    static let start = Timestamp(nanosecondsSinceEpoch: 1_738_146_600_000_000_000)

    /// The entries in a journal's lines.
    static func entries(_ lines: String...) -> [JournalEntry] {
        var reader = JournalReader()
        for line in lines { reader.receive(Array((line + "\n").utf8)) }
        var entries: [JournalEntry] = []
        while let line = (try? reader.next()) ?? nil { entries.append(line.entry) }
        precondition(entries.count == lines.count, "a sample line is wrong")
        return entries
    }

    static let reconnect = Obligation(
        id: "ws/reconnect-backoff", level: .must,
        origin: .guides([.consultationWebSocket, .enhancedConsultations]), place: "best practice 2",
        clause: "After an unexpected close no try sooner than 1 s, and delays never shrink.",
        tolerance: "50 ms.", advice: "Wait 1, 2, 4 s … before webSocketTask(with:) is called again.")
    static let keepalive = Obligation(
        id: "ws/keepalive", level: .should, origin: .guides([.mealLogWebSocket]),
        clause: "A ping at least every 30 s when idle.", advice: "Call sendPing on a timer.",
        scenarios: ["silent-coach", "missed-pongs"])
    static let lowercase = Obligation(
        id: "ids/lowercase", level: .must, origin: .all, clause: "The client sends ids in paths in lower case.",
        advice: "Use uuidString.lowercased().")
    static let history = Obligation(
        id: "ws/recovers-history", level: .should, origin: .ours, clause: "Messages are fetched once reconnected.",
        advice: "Load the messages after connected.")
    static let goal = Obligation(
        id: "goal/links-created-goal", level: .must, origin: .guides([.goalLinking]), place: "flow 2",
        clause: "A goal that the coach suggested is linked.", advice: "PATCH the goal.", scenarios: ["scripted-coach"])

    /// A run in which the client connected.
    static func run(
        _ scenario: String = "a", _ verdicts: [Verdict] = [], command: Report.CommandOutcome? = nil,
        checks: [Report.Check] = []
    ) -> Report.Run {
        Report.Run(
            scenario: scenario, mode: .union, command: command, hasConnected: true, verdicts: verdicts, exposures: [],
            checks: checks)
    }

    static func verdict(
        _ obligation: Obligation, _ outcome: Verdict.Outcome, exercised: Int = 0, _ findings: [Finding] = [],
        count: Int? = nil
    ) -> Verdict {
        Verdict(
            obligation: obligation, outcome: outcome, exercisedCount: exercised, findings: findings,
            findingCount: count ?? findings.count)
    }

    static let evidence = entries(
        #"{"number":12,"time":"2025-01-29T10:30:01.250Z","connection":3,"kind":"closed","by":"server","cause":"fault","server_close":{"code":1001,"reason":"bye"},"faults":["drop"]}"#,
        #"{"number":13,"time":"2025-01-29T10:30:01.450Z","connection":4,"kind":"opened","endpoint":"openSocket","requested_at":"2025-01-29T10:30:01.449Z","request":{"method":"GET","target":"/api/v1/consultations/x/ws?token=<b>|`","version":"1.1","fields":[{"name":"Host","value":"a"}]},"response":{"status":101,"fields":[]}}"#,
        #"{"number":14,"time":"2025-01-29T10:30:02Z","connection":4,"kind":"frame","direction":"client_to_server","opcode":"text","payload":"{\"type\":\"message\",\"content\":\"<b>|`*\\u001b[31m```\"}","delivery":"partial"}"#,
        #"{"number":15,"time":"2025-01-29T10:29:59Z","kind":"exchange","endpoint":"createGoal","requested_at":"2025-01-29T10:30:01.449Z","request":{"method":"POST","target":"/api/v1/goals","version":"1.1","fields":[{"name":"Host","value":"a"}],"body":"{\n}"},"response":{"status":201,"fields":[],"body":"{\"id\":1}"}}"#
    )

    static let report: Report = {
        var report = judged
        report.reachable = reachable
        return report
    }()

    private static let judged = Report(
        title: "verify -- ./run \(evil)",
        runs: [
            Report.Run(
                scenario: "default", mode: .union, command: .exited(0), duration: 1_234_000_000, startedAt: start,
                hasConnected: true,
                verdicts: [
                    verdict(lowercase, .kept, exercised: 7),
                    verdict(keepalive, .notExercised),
                    verdict(reconnect, .kept, exercised: 1),
                    verdict(history, .kept, exercised: 1),
                    verdict(goal, .notExercised),
                ],
                exposures: [Exposure(path: .conflict, count: 1), Exposure(path: .drop, count: 0)],
                coverage: coverage(["none good none none", "idle good none none", "idle good none refused"]),
                checks: [
                    Report.Check(
                        address: "consultation/create/201", clause: "consultation-websocket: created.", failures: []),
                    Report.Check(
                        address: "consultation/create/409", clause: "consultation-websocket: \(evil)",
                        failures: ["expected the existing consultation; the client showed \(evil)"]),
                ]),
            Report.Run(
                scenario: "drop-mid-stream", mode: .consultationWebSocket, command: .timedOut(60_000_000_000),
                duration: 60_000_000_000, startedAt: start, hasConnected: true,
                verdicts: [
                    verdict(
                        lowercase, .broken, exercised: 2,
                        [Finding(level: .must, message: "The path has A; the backend's id is a.", evidence: [])]),
                    verdict(
                        keepalive, .broken, exercised: 1,
                        [Finding(level: .should, message: "No ping for 31.5 s.", evidence: [evidence[2]])]),
                    verdict(
                        reconnect, .broken, exercised: 9,
                        [
                            Finding(
                                level: .must, message: "The client tried again 0.2 s after the socket closed.",
                                evidence: Array(evidence[..<3])),
                            Finding(level: .should, message: "It said \(evil)", evidence: [evidence[3]]),
                        ], count: 7),
                ],
                exposures: [Exposure(path: .conflict, count: 0), Exposure(path: .drop, count: 3)],
                coverage: coverage(["none good none none", "streaming good none none", "none revoked done cut"]),
                missedCount: 40),
        ])

    /// The table for the report's coverage; it lacks a situation that the client encountered.
    static let reachable: [ReachableSituation] = [
        row("none good none none", "default"), row("idle good none none", "default"),
        row("streaming good none none", "default"), row("awaiting good none none", "default"),
        row("idle good none refused", "conflict"), row("none good none cut", "drop-mid-stream"),
        row("streaming expired none refused", "token-expires-mid-session"),
        row("silent good pending silence", "explore --only silence"), row("closing revoked done told", nil),
    ]

    static func row(_ names: String, _ way: String?) -> ReachableSituation {
        ReachableSituation(situation(names), way: way)
    }

    static func situation(_ names: String) -> Situation {
        guard let situation = Situation(names: names.split(separator: " ").map(String.init)) else {
            preconditionFailure("there is no situation \(names)")
        }
        return situation
    }

    static func coverage(_ names: [String]) -> Coverage { names.reduce(into: Coverage()) { $0.insert(situation($1)) } }

    static let knownBroken: KnownBroken = {
        do {
            return try KnownBroken(
                reading: Array("drop-mid-stream ids/lowercase\nconsultation/create/201 # mended\n".utf8),
                checks: ["consultation/create/201", "consultation/create/409"])
        } catch { preconditionFailure("the sample list is wrong: \(error)") }
    }()
}

extension JSONReport { var text: String { String(decoding: bytes, as: UTF8.self) } }
extension JUnitReport { var text: String { String(decoding: bytes, as: UTF8.self) } }
extension MarkdownReport { var text: String { String(decoding: bytes, as: UTF8.self) } }
