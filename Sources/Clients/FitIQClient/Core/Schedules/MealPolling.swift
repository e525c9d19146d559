/// How a meal is followed while no socket is open (websocket-architecture, option 1).
public struct MealPolling: Sendable, Hashable {
    /// The time between two polls.
    public var interval = Duration.seconds(5)
    /// The most polls of one meal; the load right after creating is none.
    public var maximumPolls = 12

    /// The polling that keeps all guides.
    public init() {}
}
