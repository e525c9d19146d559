import FitIQAPI
import Text

/// How long the runs of a story may take, based on the client's time without faults.
///
/// Everything is in whole seconds of that, so that equal clients have equal limits.
struct RunPatience: Sendable {
    /// How long the client takes without faults.
    let own: Duration
    private let timeLimit: Duration?
    /// After how much silence a run is cut because it lasts.
    private var cut: Duration

    /// A client that is silent for so long may have waited in vain for something with a usual time limit.
    private static let leastCut = Duration.seconds(8)
    /// A client that takes this long is no longer waiting for an answer.
    private static let leastHang = Duration.seconds(40)

    /// - Parameters:
    ///   - lengths: The runs without faults; the shortest counts, because other programs make runs longer.
    ///   - timeLimit: How long a client may take before it counts as hanging; nil for ten times as long as without
    ///     faults.
    init(_ lengths: [Duration], timeLimit: Duration?) {
        let shortest = lengths.min() ?? .zero
        own = .seconds(max(1, (shortest.nanoseconds + 999_999_999) / 1_000_000_000))
        self.timeLimit = timeLimit
        cut = max(Self.leastCut, own * 4)
    }

    /// How long a run may last.
    ///
    /// - Parameter isWhole: Whether the client hangs if it lasts longer; if not, that is only to be suspected.
    func limit(of schedule: Schedule, isWhole: Bool) -> RunLimit {
        let waits = schedule.faults.reduce(Duration.zero) { $0 + $1.wait }
        let whole = timeLimit ?? min(ExploreLimits.run, max(Self.leastHang, own * 10)) + waits
        return RunLimit(whole: whole, silence: isWhole ? whole : min(whole, cut + waits))
    }

    /// Extends the limit of runs, because the client ended on its own after this time.
    mutating func extend(beyond length: Duration) { cut = max(cut, length * 3 / 2) }

    /// The ranks by which a slow kind comes later: one for each doubling of a run.
    ///
    /// - Parameter hasLasted: Whether a run with such a fault was cut because it lasted.
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
