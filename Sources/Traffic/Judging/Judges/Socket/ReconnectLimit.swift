import FitIQAPI
import Traffic

struct ReconnectLimit: ObligationJudge {
    static let obligation = Obligation(
        id: "ws/reconnect-limit", level: .should, origin: .guides([.consultationWebSocket]), place: "best practice 2",
        clause: "After a socket that the client did not end, it tries at most 5 times in a row to reconnect.",
        tolerance: "Each handshake for the consultation is a try, accepted or not, until `connected` is delivered; one "
            + "with another token after a 401 is part of the previous try. A user who asks to reconnect cannot be told "
            + "from the client. The apps' socket of all meals counts as a consultation.",
        advice: "Count the tries since the last `connected`, show an error after the fifth, and leave the next to the "
            + "user; consultation-websocket's listing resets reconnectAttempts right after resume(), so its limit "
            + "never bites.",
        scenarios: ["drop-mid-stream", "server-restarts"])
    static let needs: Evidence = .socketEnds

    private var reconnects = Reconnects()

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        for event in reconnects.observe(fact, in: scene) {
            switch event {
            case .failed(let series):
                // The client faces the limit only now.
                if series.tryCount == SocketTimes.tryLimit { findings.exercised() }
            case .tried(let attempt):
                // Each series counts as one breach, however long it continues.
                guard attempt.series.tryCount == SocketTimes.tryLimit + 1 else { continue }
                findings.exercised()
                findings.found(
                    SocketMessages.tooManyTries(endedAt: attempt.series.end.time),
                    [attempt.series.end, attempt.series.failure, attempt.entry])
            }
        }
    }

    func conclude(at end: Timestamp, in scene: Scene, _ findings: inout Findings) {
        for series in reconnects.open where (1..<SocketTimes.tryLimit).contains(series.tryCount) {
            // It gave up before the limit.
            guard let knownAt = series.knownAt, end.lag(behind: knownAt) >= SocketTimes.gaveUp else { continue }
            findings.exercised()
        }
    }
}
