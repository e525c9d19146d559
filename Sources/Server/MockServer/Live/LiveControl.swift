import FitIQAPI

/// What the operator of a world does by hand, while clients use it.
struct LiveControl: Sendable {
    /// What breakpoints hold back.
    var holds = HoldTable()
    /// The marks to which the world can go back, oldest first.
    var marks: [Mark] = []
    /// When sockets that are silenced by hand are reset, by the world's clock.
    var silences = DeadlineQueue<ConnectionID>()

    /// When something held continues by itself, or a silence ends, by the world's clock; nil if nothing does.
    var nextStep: Timestamp? { .earliest(holds.next, silences.next) }

    /// The name among the faults of entries about what was done by hand: judges blame no client for it.
    static let byHand = "by hand"
}
