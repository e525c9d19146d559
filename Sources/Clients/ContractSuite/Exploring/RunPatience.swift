import FitIQAPI
import Text

/// The time limits for a story's runs, based on the client's time without faults.
///
/// The time is rounded to whole seconds, so that identical clients have identical limits.
struct RunPatience: Sendable {
    /// The client's time without faults.
    let own: Duration
    private let timeLimit: Duration?
    /// How long a run that takes too long must be silent before it is ended.
    private var cut: Duration

    /// The silence after which a client with a typical time limit may have been waiting in vain.
    private static let leastCut = Duration.seconds(8)
    /// The time after which a client is no longer waiting for a response.
    private static let leastHang = Duration.seconds(40)

    /// - Parameters:
    ///   - lengths: The durations of runs without faults; the shortest one counts, because other programs can slow down
    ///     runs.
    ///   - timeLimit: The time after which a client counts as hanging, or nil for ten times its time without faults.
    init(_ lengths: [Duration], timeLimit: Duration?) {
        let shortest = lengths.min() ?? .zero
        own = .seconds(max(1, (shortest.nanoseconds + 999_999_999) / 1_000_000_000))
        self.timeLimit = timeLimit
        cut = max(Self.leastCut, own * 2)
    }

    /// The time limit of a run.
    ///
    /// - Parameter isWhole: Whether a client that exceeds the limit is hanging, or is only suspected of hanging.
    func limit(of schedule: Schedule, isWhole: Bool) -> RunLimit {
        let waits = schedule.faults.reduce(Duration.zero) { $0 + $1.wait }
        let whole = timeLimit ?? min(ExploreLimits.run, max(Self.leastHang, own * 10)) + waits
        return RunLimit(whole: whole, silence: isWhole ? whole : min(whole, cut + waits))
    }

    /// Extends the limit because the client ended on its own after this time.
    mutating func extend(beyond length: Duration) { cut = max(cut, length * 3 / 2) }

    /// By how many ranks a slow kind is delayed: one for each doubling of a run's duration.
    ///
    /// - Parameter hasLasted: Whether a run with such a fault reached its time limit.
    func delay(of kind: FaultKind, hasLasted: Bool = false) -> Int {
        let wait: Duration =
            switch kind.wait {
            case .none: hasLasted ? cut : .zero
            case .exactly(let time): hasLasted ? max(time, cut) : time
            case .endless: cut
            case .beyondPatience: Agenda.unknownPatience
            }
        var (delay, expected) = (0, own * 2)
        while expected <= own + wait { (delay, expected) = (delay + 1, expected * 2) }
        return delay
    }
}
