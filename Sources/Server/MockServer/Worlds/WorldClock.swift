import FitIQAPI
import Scenarios

/// What time it is in a world.
struct WorldClock: Sendable {
    /// The time of a clock that is moved by hand; nil for the system's.
    private(set) var manualTime: Timestamp?

    init(_ mode: ClockMode) {
        if case .manual(let start) = mode { manualTime = start }
    }

    /// The world's time when the system's clock shows `system`.
    func now(_ system: Timestamp) -> Timestamp { manualTime ?? system }

    /// Moves a clock that is moved by hand.
    mutating func move(to time: Timestamp) {
        precondition(manualTime.map { $0 <= time } ?? false, "A clock only goes forward, and the system's by itself.")
        manualTime = time
    }
}
