/// The two ways to chat over a consultation's socket; the client's own frames pick one.
public enum ChatProtocol: Sendable, Hashable {
    /// `message` → `message_received`, `stream_chunk`…, `stream_complete` (consultation-websocket).
    case stream
    /// `user_message` → `user_message`, `assistant_message_start`, `…_chunk`…, `…_end` (enhanced-consultations).
    case assistantMessage
}
