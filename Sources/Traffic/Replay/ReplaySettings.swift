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
