import FitIQAPI

/// What a ``ConnectionObserver`` saw.
public enum Observation: Sendable, Equatable {
    /// A request with its answer, or with none.
    case exchange(SessionExchange)
    /// A WebSocket's handshake that was accepted; the value has no frames and no ending yet.
    case socketOpened(SessionSocket)
    /// A message or a control frame on the WebSocket that was opened last.
    case frame(SessionFrame)
    /// The end of the WebSocket that was opened last.
    case socketEnded(SessionEnding)
    /// Why something will be missing, as a sentence for the person at the keyboard.
    case note(String)
}
