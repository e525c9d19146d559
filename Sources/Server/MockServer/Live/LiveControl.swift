import FitIQAPI

/// The operator's actions on a world while clients use it.
struct LiveControl: Sendable {
    /// The held things.
    var holds = HoldTable()
    /// The marks to which the world can rewind, oldest first.
    var marks: [Mark] = []
    /// The fault name of entries about actions by hand, for which judges do not blame the client.
    static let byHand = "by hand"
}
