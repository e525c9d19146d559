/// What goes wrong with a WebSocket's handshake.
public enum HandshakeFault: Sendable, Equatable {
    /// An HTTP answer in place of 101.
    case refuse(Replacement)
    /// The 101 comes so many nanoseconds late.
    case delay(Int64)
    /// A `Sec-WebSocket-Accept` that belongs to another key.
    case wrongAccept
    /// The connection ends (FIN) without a byte.
    case emptyReply
    /// The connection is reset (RST).
    case reset
    /// No answer.
    case hang
}
