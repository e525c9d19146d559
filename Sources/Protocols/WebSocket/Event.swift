/// What a peer's bytes amount to.
public enum Event: Hashable, Sendable {
    /// A complete text message: valid UTF-8, its fragments joined.
    case text([UInt8])
    /// A complete binary message, its fragments joined.
    case binary([UInt8])
    /// A ping; its pong is written or waits for room, unless our close frame is out already or pings are left unanswered.
    case ping([UInt8])
    /// A pong, whether or not a ping of ours asked for it.
    case pong([UInt8])
    /// The peer's close frame; ours has been written in answer if it was not sent before.
    ///
    /// `code` is nil when the frame was empty. No further event follows.
    case closing(code: CloseCode?, reason: String)
    /// The peer broke the protocol; our close frame with `code` is written, unless one was sent before.
    ///
    /// Close the transport once the output is flushed (RFC 6455 §7.1.7). No further event follows.
    case failed(code: CloseCode, message: String)
}
