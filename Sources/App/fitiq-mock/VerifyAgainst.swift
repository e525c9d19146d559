import Judging
import MockServer
import Scenarios
import Sockets
import Traffic

/// Runs an older version of a command, so that the two versions can be compared in identical worlds.
///
/// The older version runs twice, because variation between runs is not a difference between versions.
struct VerifyAgainst: Sendable {
    private let run: CommandRun
    private let progress: JobProgress?

    /// - Parameter command: a command line for the shell.
    init(_ command: String, beside newer: CommandRun, _ progress: JobProgress?) {
        var run = newer
        run.child.command = ["/bin/sh", "-c", command]
        (self.run, self.progress) = (run, progress)
    }

    /// The older version's behaviour in a scenario.
    struct Old: Sendable {
        /// The sessions of both runs.
        fileprivate let sessions: (first: Session, second: Session)
        /// Whether a journal lacks entries.
        fileprivate let hasGaps: Bool
        /// The IDs of the obligations that the older version broke.
        let broken: [String]

        /// A check that fails if the newer version behaves differently.
        func check(of scenario: String, _ entries: [JournalEntry]) -> Report.Check {
            var failures: [String]
            if sessions.first.entries.isEmpty {
                failures = [Messages.oldIsSilent]
            } else {
                let new = VerifyAgainst.session(entries)
                failures = SessionComparison.news(in: new, since: sessions.first, sessions.second)
            }
            if hasGaps || VerifyAgainst.hasGaps(entries) { failures.append(Messages.tooMuchToCompare) }
            return Report.Check(
                address: VerifyAgainst.address(scenario), clause: Messages.againstClause, failures: failures)
        }
    }

    /// - Returns: nil if the run was stopped.
    func run(_ scenario: Scenario, named name: String, index: Int) throws(Failure) -> Old? {
        var sessions: [Session] = []
        var broken: [String] = []
        var gaps = false
        for number in 1...2 {
            progress?.say(index, name, "running the older command for the \(number == 1 ? "first" : "second") time")
            let done = try run.run(scenario, named: name) { engine, world, now in
                (engine.judgement(ofWorld: world.id, at: now), engine.journalEntries(ofWorld: world.id))
            }
            guard let (judgement, entries) = done?.seen else { return nil }
            sessions.append(Self.session(entries))
            gaps = gaps || Self.hasGaps(entries)
            broken += judgement?.verdicts.filter { $0.outcome == .broken }.map(\.obligation.id) ?? []
        }
        return Old(sessions: (sessions[0], sessions[1]), hasGaps: gaps, broken: broken)
    }

    static func address(_ scenario: String) -> String { "against/\(scenario)" }

    private static func session(_ entries: [JournalEntry]) -> Session { Session(entries, origin: "http://127.0.0.1") }

    private static func hasGaps(_ entries: [JournalEntry]) -> Bool { (entries.first?.number ?? 1) > 1 }
}
