import FitIQAPI
import JSON
import Traffic

struct PollingCadence: ObligationJudge {
    static let obligation = Obligation(
        id: "meal/polling-cadence", level: .must, origin: .guides([.webSocketArchitecture]), place: "option 1",
        clause: "Polls for a meal log, or of the list while one is processed, are at least 5 s apart and at most 12.",
        tolerance: "50 ms. One load within 5 s of creating or of a socket's opening, and what is loaded after the "
            + "final status, do not count as polls, nor does a repeat after a failed one; with several logs in "
            + "processing, each has its own polls. A load more than 60 s after the previous poll counts as the user's.",
        advice: "Poll each log every 5 s, at most 12 times, until it is completed or failed; stop when its view "
            + "disappears.",
        swiftAdvice: "Use one task per log: for _ in 0..<12 { try await Task.sleep(for: .seconds(5)); … }",
        scenarios: ["meal-never-finishes"])

    static let shortestWait = 5 * Tolerance.second
    static let mostPolls = 12
    /// A load this late comes from the user.
    static let longestWait = 60 * Tolerance.second

    private struct Poll: Sendable {
        let entry: JournalEntry
        let requestedAt: Timestamp
        /// The time of the poll that it repeats, or its own time if it repeats none.
        let dueFrom: Timestamp
        let logCount: Int
    }

    private var watch = MealWatch()
    /// The last polls, as many as there can be logs; a different filter of the list is a different target.
    private var polls = Recent<Target, [Poll]>(capacity: RecentLimits.fewest)
    /// When a poll failed that has not been repeated yet.
    private var failures = Recent<Target, Timestamp>(capacity: RecentLimits.fewest)

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        guard case .poll(let logs) = watch.observe(fact, in: scene), case .request(let request) = fact.kind,
            let client = request.client
        else { return }
        let target = Target(request, of: client)
        let failedAt = failures[target].flatMap { request.requestedAt.lag(behind: $0) < Self.shortestWait ? $0 : nil }
        guard request.isSuccess else {
            failures[target] = failedAt ?? request.requestedAt
            return
        }
        failures[target] = nil
        findings.exercised()
        let last = polls[target] ?? []
        judgeWait(request, last, logs, fact.entry, &findings)
        let dueFrom = failedAt ?? request.requestedAt
        let poll = Poll(entry: fact.entry, requestedAt: request.requestedAt, dueFrom: dueFrom, logCount: logs.count)
        polls[target] = last.suffix(MealWatch.mostLogs - 1) + [poll]

        let isUsers = last.last.map { request.requestedAt.lag(behind: $0.requestedAt) > Self.longestWait }
        // A list poll covers several logs; it counts for the one with the fewest polls.
        guard isUsers != true, let log = logs.min(by: { $0.pollCount < $1.pollCount }) else { return }
        watch.count(log.id, of: client)
        if log.pollCount == Self.mostPolls {
            findings.found(
                RESTMessages.polledTooOften(log.id.text, createdAt: log.entry.time), [log.entry, fact.entry])
        }
    }

    /// Polls for several logs may interleave, so the poll that many places earlier is the one to compare.
    private func judgeWait(
        _ request: RequestFact, _ last: [Poll], _ logs: [MealWatch.Log], _ entry: JournalEntry,
        _ findings: inout Findings
    ) {
        let recent = last.filter { request.requestedAt.lag(behind: $0.requestedAt) < Self.shortestWait }
        let places = max(logs.count, recent.map(\.logCount).max() ?? 1)
        guard places <= last.count else { return }
        let before = last[last.count - places]
        let wait = request.requestedAt.lag(behind: before.requestedAt)
        guard wait >= 0, request.requestedAt.lag(behind: before.dueFrom) < Self.shortestWait - Tolerance.interval else {
            return
        }
        findings.found(RESTMessages.polledTooSoon(request.title, after: wait), [before.entry, entry])
    }
}
