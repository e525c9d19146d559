import FitIQAPI

/// What an operator has done to a world: held items and marks.
struct LiveControl: Sendable {
    /// The held items.
    var holds = HoldTable()
    /// The marks to which the world can rewind, oldest first.
    var marks: [Mark] = []
    /// The name in `faults` for entries about an operator's actions; judges do not count these entries against the
    /// client.
    static let byHand = "by hand"
}
