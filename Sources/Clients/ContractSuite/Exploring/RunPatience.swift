import FitIQAPI
import Text

/// How long the runs of a story may take, based on how long the client takes without faults.
///
/// That time is rounded to whole seconds, so that equal clients have equal limits.
struct RunPatience: Sendable {
    /// How long the client takes without faults.
    let own: Duration
    private let timeLimit: Duration?
    /// How much silence ends a run that takes too long.
    private var cut: Duration

    /// A client that is silent for this long may have waited in vain for something with a usual time limit.
    private static let leastCut = Duration.seconds(8)
    /// A client that takes this long is no longer waiting for an answer.
    private static let leastHang = Duration.seconds(40)

    /// - Parameters:
    ///   - lengths: the durations of runs without faults. The shortest counts, because other programs slow runs down.
    ///   - timeLimit: how long a client may take before it counts as hanging, or nil for ten times as long as without
    ///     faults.
    init(_ lengths: [Duration], timeLimit: Duration?) {
        let shortest = lengths.min() ?? .zero
        own = .seconds(max(1, (shortest.nanoseconds + 999_999_999) / 1_000_000_000))
        self.timeLimit = timeLimit
        cut = max(Self.leastCut, own * 2)
    }

    /// The time limit of a run.
    ///
    /// - Parameter isWhole: whether the client hangs if it exceeds the limit. Otherwise it is only suspected of it.
    func limit(of schedule: Schedule, isWhole: Bool) -> RunLimit {
        let waits = schedule.faults.reduce(Duration.zero) { $0 + $1.wait }
        let whole = timeLimit ?? min(ExploreLimits.run, max(Self.leastHang, own * 10)) + waits
        return RunLimit(whole: whole, silence: isWhole ? whole : min(whole, cut + waits))
    }

    /// Extends the limit of runs, because the client ended on its own after this time.
    mutating func extend(beyond length: Duration) { cut = max(cut, length * 3 / 2) }

    /// How many ranks later a slow kind comes: one for each doubling of a run's duration.
    ///
    /// - Parameter hasLasted: whether a run with such a fault reached its time limit.
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
