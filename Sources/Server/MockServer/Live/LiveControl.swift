import FitIQAPI

/// What the operator of a world does by hand, while clients use it.
struct LiveControl {
    /// What breakpoints hold back.
    var holds = HoldTable()
    /// The marks to which the world can go back, oldest first.
    var marks: [Mark] = []
    /// The connections of requests that wait for an entry of the journal.
    var waits: [ConnectionID] = []

    /// When something held continues by itself, by the world's clock; nil if nothing does.
    var nextStep: Timestamp? { holds.next }

    /// The name among the faults of entries about what was done by hand: judges blame no client for it.
    static let byHand = "by hand"
}
