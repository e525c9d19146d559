import FitIQAPI

/// The operator's actions on a world while clients use it.
struct LiveControl: Sendable {
    /// The held things.
    var holds = HoldTable()
    /// The marks to which the world can rewind, oldest first.
    var marks: [Mark] = []
    /// The name in `faults` of entries about an operator's actions, for which judges do not blame the client.
    static let byHand = "by hand"
}
