import FitIQAPI

/// What breakpoints hold back in a world, by the number of the journal's entry about it.
struct HoldTable: Sendable {
    /// When each continues by itself, by the world's clock.
    var deadlines = DeadlineQueue<Int>()

    /// The earliest of these times; nil if nothing is held.
    var next: Timestamp? { deadlines.next }
}
