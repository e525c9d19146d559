import FitIQAPI

/// Measures how long a client on the system's clock and its backend have both been idle.
///
/// If both sides are idle, a case need not wait any longer.
struct Idleness {
    /// The state that shows whether the backend is idle.
    struct Backend: Sendable, Hashable {
        /// The number of the journal's last entry that is not a ping or pong.
        var lastTraffic: Int
        /// When the world's next step is due.
        var nextStep: Timestamp?
    }

    /// How quickly a client must notice a dead connection: a ping after 30 s, and 10 s without a pong.
    static let pingTime = Duration.seconds(40)

    private let grace: Duration
    private var seen: (report: ClientReport, traffic: Int)?
    /// When both sides first had this state.
    private var start: Timestamp?

    /// - Parameter grace: How long a client without a connection must stay unchanged before it counts as idle.
    init(grace: Duration) { self.grace = grace }

    /// Checks both sides; returns how long they have been idle, or nil if the idle time is too short.
    ///
    /// - Parameter end: The end of the wait; events that are due later do not count.
    mutating func time(_ report: ClientReport, _ backend: Backend, at now: Timestamp, until end: Timestamp)
        -> Duration?
    {
        let isSame = seen.map { $0.report == report && $0.traffic == backend.lastTraffic } ?? false
        seen = (report, backend.lastTraffic)
        guard isSame, !report.isBusy, backend.nextStep.map({ $0 > end }) ?? true, let start else {
            start = now
            return nil
        }
        let isConnected = [.connected, .connecting].contains(report.connection)
        let time = Duration.nanoseconds(now.nanosecondsSinceEpoch - start.nanosecondsSinceEpoch)
        return time >= (isConnected ? grace + Self.pingTime : grace) ? time : nil
    }
}
