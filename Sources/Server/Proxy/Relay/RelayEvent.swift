/// Something that a relay did, for the log and for counting.
public enum RelayEvent: Sendable, Equatable {
    /// A request was answered by the upstream, to its last byte.
    case answered(method: String, target: String, status: Int)
    /// A WebSocket was opened.
    case opened(target: String)
    /// The proxy itself answered, with that status; the message says why, and what to do.
    case refused(status: Int, message: String)
    /// An exchange ended before its answer was complete; the sentence says how.
    case brokenOff(String)
}

/// How one side of a relay is to be ended, after what waits for it was sent.
public enum RelayEnding: Sendable, Equatable {
    /// Not yet.
    case none
    /// By the end of our stream (FIN, with TLS a close_notify before it), while the other direction goes on.
    case finish
    /// In good order: FIN, then what still arrives is dropped until the peer ends its stream too.
    case close
    /// By a reset.
    case reset
}

/// What a relay waits for, which decides how long it may.
public enum RelayPhase: Sendable, Equatable {
    /// For a request to begin.
    case idle
    /// For the rest of a request.
    case request
    /// For an answer, or the rest of one.
    case answer
    /// For nothing: a WebSocket may be silent for as long as both sides like.
    case tunnel
    /// For the client to take what is left and go.
    case ending
}
