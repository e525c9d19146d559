import FitIQAPI

/// What the operator of a world does by hand, while clients use it.
struct LiveControl: Sendable {
    /// What breakpoints hold back.
    var holds = HoldTable()
    /// The marks to which the world can go back, oldest first.
    var marks: [Mark] = []
    /// The name among the faults of entries about what was done by hand: judges blame no client for it.
    static let byHand = "by hand"
}
