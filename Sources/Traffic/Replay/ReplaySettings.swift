import Sessions

/// How a session is played back.
public struct ReplaySettings: Sendable, Equatable {
    /// Which requests may come, and when.
    public var match: Match
    /// How time passes between what the server sends.
    public var speed: Speed
    /// When the server's frames go.
    public var frames: FrameOrder

    /// Which requests may come, and when.
    public enum Match: String, Sendable, CaseIterable {
        /// Each recorded request once, in the recorded order, with the recorded body; anything else fails the run.
        case strict
        /// Each request as recorded, in any order; equal ones get their answers in turn.
        case ordered
        /// By method and route alone: ids, query and body may differ.
        case route
    }

    /// How fast what was recorded comes.
    public enum Speed: Sendable, Equatable {
        /// So many times as fast as recorded; over 0.
        case factor(Double)
        /// Without any wait.
        case instant
    }

    /// What the server's frames wait for.
    ///
    /// Keep-alives of the API, `{"type":"ping"}` with its `{"type":"pong"}`, go by a client's own clock. Except when `timed`
    /// they stand apart: nothing waits for a ping, and each brings the pong that was recorded, in turn, the last again.
    public enum FrameOrder: String, Sendable, CaseIterable {
        /// Their recorded times, whatever the client sends.
        case timed
        /// The client's recorded frames before them, and then the recorded pauses.
        case lockStep = "lock-step"
        /// A client's frame like a recorded one brings what followed that one, in any order and again.
        case triggered
    }

    /// Makes settings; what is left out has the documented default.
    public init(match: Match = .ordered, speed: Speed = .factor(1), frames: FrameOrder = .lockStep) {
        self.match = match
        self.speed = speed
        self.frames = frames
    }
}

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

/// Why a session cannot be replayed.
public enum ReplayError: Error, Equatable, Sendable, CustomStringConvertible {
    /// There is no request in it.
    case empty
    /// All its requests, so many, are such as the server answers itself.
    case nothingToPlay(Int)
    /// More entries than ``ReplayLimits/entries``.
    case tooManyEntries(Int)
    /// More frames than ``ReplayLimits/frames``.
    case tooManyFrames(Int)
    /// More bytes than ``ReplayLimits/bytes``.
    case tooManyBytes(Int)

    /// What is wrong and what to do about it.
    public var description: String { Sentences.refusal(self) }
}
