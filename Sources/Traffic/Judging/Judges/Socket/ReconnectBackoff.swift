import FitIQAPI
import Traffic

struct ReconnectBackoff: ObligationJudge {
    static let obligation = Obligation(
        id: "ws/reconnect-backoff", level: .must,
        origin: .guides([.consultationWebSocket, .enhancedConsultations, .mealLogWebSocket]),
        place: "best practice 2 (consultation-websocket); best practice 1 (enhanced-consultations); step 2, "
            + "reconnection (meal-log-websocket)",
        clause: "After a socket that the client did not end, no handshake for its consultation comes sooner than 1 s "
            + "after the end or after the previous try, and waits never shrink until `connected` comes.",
        tolerance: "50 ms for the network and scheduling. Any end that the client did not begin counts, except 1000 "
            + "after \"Consultation is not active\". A try with another token after a 401 need not wait. If the client "
            + "itself gave up a socket on which the fake had misbehaved, the first wait is unknown and not judged. A "
            + "user who asks to reconnect cannot be told from the client. The apps' socket of all meals counts as a "
            + "consultation.",
        advice: "Wait before each connect, 1 s, 2 s, 3 s or doubling up to 30 s, and reset the count only when "
            + "`connected` has come; consultation-websocket's listing resets reconnectAttempts right after resume(), "
            + "so its waits stay at 1 s.",
        scenarios: ["drop-mid-stream", "server-restarts"])
    static let needs: Evidence = .socketEnds

    private var reconnects = Reconnects()

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        for event in reconnects.observe(fact, in: scene) {
            guard case .tried(let attempt) = event, let wait = attempt.wait else { continue }
            judge(attempt, wait, &findings)
        }
    }

    private func judge(_ attempt: Reconnects.Try, _ wait: Int64, _ findings: inout Findings) {
        let series = attempt.series
        findings.exercised()
        if wait < SocketTimes.shortestWait - Tolerance.interval {
            let failedAt = series.knownAt ?? series.failure.time
            findings.found(
                SocketMessages.tooSoon(wait: wait, failedAt: failedAt, number: series.tryCount),
                [series.failure, attempt.entry])
        } else if let last = series.lastWait, wait < last.nanoseconds - Tolerance.interval {
            let message = SocketMessages.shrunk(wait: wait, previous: last.nanoseconds, number: series.tryCount)
            findings.found(message, [last.tried, series.failure, attempt.entry])
        }
    }
}
