import Sessions

/// How much a replay may hold: what a session over one of these is refused with, or what is left out and noted.
public enum ReplayLimits {
    /// The most entries of a session; more are refused (``ReplayError/tooManyEntries(_:)``).
    public static let entries = 100_000
    /// The most frames of a session's sockets together; more are refused (``ReplayError/tooManyFrames(_:)``).
    public static let frames = 1_000_000
    /// The most bytes of bodies and frames together, 512 MiB; more are refused (``ReplayError/tooManyBytes(_:)``).
    public static let bytes = 512 * 1_024 * 1_024
    /// The most recorded ids, dates and tokens that are known; later ones are not followed, which the plan notes.
    public static let recordedValues = 1_000_000
    /// The longest id or e-mail address in bytes that is followed; a longer text is compared as it is.
    public static let valueLength = ValueScanner.longestValue
    /// The longest token in bytes that is followed.
    public static let tokenLength = ValueScanner.longestToken
    /// The most recorded values that stand for others at once; a value beyond is not followed, which the report counts.
    public static let bindings = 10_000
    /// How many recorded requests that are alike save for their ids are looked at for one with new ids.
    public static let candidates = 256
    /// How many recorded requests may have been under way at once, so that they may come in any order when `strict`.
    public static let concurrentRequests = 256
    /// How far ahead of its turn a client's frame is recognised in lock-step, in messages of the client.
    public static let framesAhead = 64
    /// How many runs of frames may be under way on a triggered socket; a frame that would begin one more is a miss.
    public static let runs = 64
    /// The most misses that a report keeps of each kind; more are counted.
    public static let misses = 100
    /// The most differences that a miss names.
    public static let differences = 8
    /// The largest JSON text in bytes whose differences are named one by one.
    public static let comparedBody = 64 * 1_024
    /// The longest wait between two things, 24 h; a longer one is cut to it.
    public static let longestWait: Int64 = 24 * 3_600 * 1_000_000_000
}
