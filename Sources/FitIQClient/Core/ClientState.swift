/// What the user of a client sees.
public struct ClientState: Sendable, Hashable {
    /// Makes the state of a client that has done nothing.
    public init() {}
}
