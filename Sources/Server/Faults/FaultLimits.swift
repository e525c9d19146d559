/// How much may go wrong: what readers of rules refuse to take more of.
///
/// The transforms themselves take any value: waits, sizes and numbers outside the limits are cut to them, so that no rule
/// can crash a server or fill its memory. Durations are nanoseconds.
public enum FaultLimits {
    /// How many rules a world has at once; more are refused (``FaultBookError/tooManyRules(limit:)``).
    public static let rules = 1_000
    /// How long the name of a rule may be, in bytes of UTF-8.
    public static let ruleName = 100
    /// The longest wait that a rule may ask for: 1 h.
    public static let longestWait: Int64 = 3_600 * 1_000_000_000
    /// After how long the server gives up a connection that hangs or is silent: 10 min.
    public static let hang: Int64 = 600 * 1_000_000_000
    /// The longest window of a quota: 24 h.
    public static let longestWindow: Int64 = 24 * 3_600 * 1_000_000_000
    /// How many requests a quota may allow in a window.
    public static let quotaRequests = 1_000_000
    /// The statuses that a replacement may have.
    public static let statuses = 200...599
    /// The longest `Retry-After` in seconds: 366 d.
    public static let retryAfter = 366 * 86_400
    /// The body of a replacement in bytes, and the text that replaces a frame's: 1 MiB.
    public static let replacementBody = 1_024 * 1_024
    /// By how much a Content-Length may be off, either way: 1 GiB.
    public static let contentLengthError = 1_024 * 1_024 * 1_024
    /// How many fragments a message may come in.
    public static let fragments = 1_000
    /// How many messages may come in one frame.
    public static let coalesced = 100
    /// How many bytes of text may wait to come in one frame: 1 MiB.
    ///
    /// Beyond, they are sent before their number is complete.
    public static let waitingBytes = 1_024 * 1_024
    /// How many pieces a transmission may be dribbled in; what is left then comes at once.
    public static let pieces = 65_536
    /// How long the reason of a close frame may be, in bytes: what is longer is cut (RFC 6455 §5.5).
    public static let closeReason = 123

    /// A wait that is within the limit.
    static func wait(_ nanoseconds: Int64) -> Int64 { min(max(nanoseconds, 0), longestWait) }
}
