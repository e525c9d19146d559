/// What an adapter is given: bytes for a line, and time for an answer.
public struct AdapterLimits: Sendable, Hashable {
    /// The most bytes that a line may have, either way: 1 MiB.
    public static let lineBytes = 1 << 20

    /// How long an answer may take by the system's clock; 10 s.
    public var answerTime = Duration.seconds(10)
    /// How long it may take to end once its standard input is closed, and again after SIGTERM; 2 s.
    public var endTime = Duration.seconds(2)

    /// The documented limits.
    public init() {}
}
