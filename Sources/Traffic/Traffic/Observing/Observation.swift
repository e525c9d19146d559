import FitIQAPI

/// An observation of a ``ConnectionObserver``.
public enum Observation: Sendable, Equatable {
    /// A request with its response, if there is one.
    case exchange(SessionExchange)
    /// An accepted WebSocket handshake; the value has no frames and no ending yet.
    case socketOpened(SessionSocket)
    /// A message or a control frame on the WebSocket that was opened last.
    case frame(SessionFrame)
    /// The end of the WebSocket that was opened last.
    case socketEnded(SessionEnding)
    /// Why something will be missing, as a sentence for the user.
    case note(String)
}
