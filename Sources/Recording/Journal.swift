import FitIQAPI

/// What happened in a world, oldest first, as much of it as fits.
public struct Journal: Sendable {
    /// Makes an empty journal.
    public init() {}
}
