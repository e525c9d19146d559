import Traffic

/// The settings of a replay.
public struct ReplaySettings: Sendable, Equatable {
    public var match: Match
    public var speed: Speed
    public var frames: FrameOrder

    /// Which requests are accepted, and when.
    public enum Match: String, Sendable, CaseIterable {
        /// Each recorded request once, in the recorded order, with the recorded body; anything else fails the run.
        case strict
        /// Each request as recorded, in any order; equal requests get their responses in turn.
        case ordered
        /// By method and route alone: IDs, query and body may differ.
        case route
    }

    public enum Speed: Sendable, Equatable {
        /// A multiple of the recorded speed, over 0.
        case factor(Double)
        /// Without any delay.
        case instant
    }

    /// When the server's frames are sent.
    ///
    /// Keep-alives of the API, `{"type":"ping"}` with its `{"type":"pong"}`, follow a client's own clock. Except in
    /// `timed` they are separate: nothing waits for a ping, and each gets the recorded pong in turn, repeating the last
    /// one.
    public enum FrameOrder: String, Sendable, CaseIterable {
        /// At their recorded times, regardless of what the client sends.
        case timed
        /// After the client's recorded frames before them, and then the recorded pauses.
        case lockStep = "lock-step"
        /// A client's frame that matches a recorded one triggers the frames that followed it, in any order and
        /// repeatedly.
        case triggered
    }

    public init(match: Match = .ordered, speed: Speed = .factor(1), frames: FrameOrder = .lockStep) {
        (self.match, self.speed, self.frames) = (match, speed, frames)
    }

    /// A recorded time span at the replay's speed, in nanoseconds.
    func played(_ nanoseconds: Int64) -> Int64 {
        guard nanoseconds > 0 else { return 0 }
        switch speed {
        case .instant: return 0
        case .factor(1): return min(nanoseconds, ReplayLimits.longestWait)
        case .factor(let factor):
            let span = Double(nanoseconds) / factor
            return span < Double(ReplayLimits.longestWait) ? Int64(span) : ReplayLimits.longestWait
        }
    }
}

/// The limits of a replay: sessions over some of them are refused, over others the excess is omitted and noted.
public enum ReplayLimits {
    /// The maximum entries of a session; more are refused (``ReplayError/tooManyEntries(_:)``).
    public static let entries = 100_000
    /// The maximum frames of a session's sockets together; more are refused (``ReplayError/tooManyFrames(_:)``).
    public static let frames = 1_000_000
    /// The maximum bytes of fields, bodies and frames together, with what entries and frames count besides, 512 MiB;
    /// more are refused (``ReplayError/tooManyBytes(_:)``).
    public static let bytes = 512 * 1_024 * 1_024
    /// The maximum recorded IDs, dates and tokens; later ones are not followed, which the plan notes.
    public static let recordedValues = 1_000_000
    /// The maximum bytes of an ID or e-mail address that is followed; a longer text is compared literally.
    public static let valueLength = ValueScanner.longestValue
    /// The maximum bytes of a token that is followed.
    public static let tokenLength = ValueScanner.longestToken
    /// The maximum number of bindings at once; a value beyond is not followed, which the report counts.
    public static let bindings = 10_000
    /// How many recorded requests that differ only in their IDs are searched for one with new IDs.
    public static let candidates = 256
    /// The maximum concurrent recorded requests, which may come in any order in `strict`.
    public static let concurrentRequests = 256
    /// How far ahead of its turn a client's frame is recognised in lock-step, in messages of the client.
    public static let framesAhead = 64
    /// The maximum concurrent runs of frames on a triggered socket; a frame that would start another one is a miss.
    public static let runs = 64
    /// The maximum misses of each kind in a report; more are only counted.
    public static let misses = 100
    /// The maximum differences in a miss.
    public static let differences = 8
    /// The maximum bytes of a JSON text whose differences are listed one by one.
    public static let comparedBody = 64 * 1_024
    /// The maximum wait between two events, 24 h; a longer one is shortened to it.
    public static let longestWait: Int64 = 24 * 3_600 * 1_000_000_000
}

/// Why a session cannot be replayed.
public enum ReplayError: Error, Equatable, Sendable, CustomStringConvertible {
    /// It contains no request.
    case empty
    /// The server answers all of its requests, of this number, itself.
    case nothingToPlay(Int)
    case tooManyEntries(Int)
    case tooManyFrames(Int)
    case tooManyBytes(Int)

    /// What is wrong and how to fix it.
    public var description: String { Messages.refusal(self) }
}

extension Int64 {
    /// The sum, capped at the largest number.
    func advanced(capped span: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(span)
        return overflow ? .max : sum
    }
}
