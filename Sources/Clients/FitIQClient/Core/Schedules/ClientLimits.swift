/// How much a client keeps; what is older goes, or is refused where that would lose the user's words.
public struct ClientLimits: Sendable, Hashable {
    /// The most lines of a transcript; the oldest go.
    public var transcriptLines = 1000
    /// The most bytes of one answer as it streams; the rest is taken from the history.
    public var answerBytes = 1 << 20
    /// The most messages that wait to be sent; more are refused.
    public var waitingMessages = 32
    /// The most problems that are kept; the oldest go.
    public var problems = 100
    /// The most goals that are shown; the oldest go.
    public var goals = 1000
    /// The most meals that are kept; the oldest that is settled goes, and where none is, another is refused.
    public var meals = 100
    /// The most requests at a time, waiting ones included; more are refused.
    public var requests = 64

    /// The usual limits.
    public init() {}
}
