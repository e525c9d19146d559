import FitIQAPI
import Scenarios

/// What the person at the keyboard needs to know of a server.
extension Engine {
    /// A token that the default world accepts, good for as long as its scenario says.
    public var token: String { defaultWorld.token }

    /// The scenario that the default world follows.
    public var scenario: Scenario { defaultWorld.settings.scenario }

    /// What the default world's clock shows where it is moved by hand; nil where it is the system's.
    public var manualTime: Timestamp? { defaultWorld.clock.manualTime }
}
