/// What goes wrong with an open WebSocket; "the frame" is the one that the rule's point names, a text message of the server's.
///
/// At a ``SocketPoint/byte(_:)`` what ends the connection, `delay` and `dribble` set in at that byte, which is the first that
/// is not sent, or sent late; all else concerns the whole frame. ``SocketFaults`` says how several faults go together.
public enum SocketFault: Sendable, Equatable {
    /// A close frame in place of the frame; without a code an empty one. Any code, those that must not be sent as well.
    case close(code: UInt16?, reason: String)
    /// FIN in place of the frame, without a close frame.
    case finish
    /// RST in place of the frame.
    case reset
    /// From the frame on nothing is sent and nothing read, pings included; the connection stays open.
    case silence
    /// The first bytes of the frame, header included, then FIN, or RST; at a byte, so many more from there.
    case cut(after: Int, reset: Bool)
    /// The frame is masked, which a server must not do (RFC 6455 §5.1).
    case masked
    /// The frame has reserved bits set, 1 to 7: 4 is RSV1 (RFC 6455 §5.2).
    case reservedBits(UInt8)
    /// The last byte of the text is no UTF-8 (RFC 6455 §8.1).
    case invalidUTF8
    /// The message comes in fragments that begin at these bytes of the text, inside a character too.
    ///
    /// Places outside the text are left out.
    case fragments(at: [Int])
    /// The message waits for those that follow, and so many come in one frame, separated by newlines.
    ///
    /// Fewer come where the next message is not meant, an answer ends, the connection closes, or, unless the point names a
    /// type, where the server would say nothing more by itself: after `connected`, `pong`, `error` and meal events.
    case coalesce(count: Int)
    /// The text comes in a binary frame.
    case binary
    /// The frame is not sent.
    case lose
    /// The frame is sent twice.
    case double
    /// The frame is sent after the next one; lost if the connection closes before.
    case swap
    /// So many nanoseconds before the frame, and what follows it.
    case delay(Int64)
    /// The frame in pieces of so many bytes, with so many nanoseconds between.
    case dribble(bytes: Int, every: Int64)
    /// Another text in place of the frame's.
    case replace(text: String)
    /// Times in the frame have nine digits of a second's fraction.
    case nanosecondTimestamps
    /// From the frame on, pings (of both kinds) are not answered: a JSON `pong` that would be the frame is not sent.
    case withholdPong
    /// From the frame on, nothing that the client sends is read.
    case stallReading
}

/// Where on a WebSocket connection a fault sets in.
public enum SocketPoint: Sendable, Equatable {
    /// The server's text messages after the handshake, counted from `connected`, which is the first.
    case frames(Selection)
    /// The messages of this `type`.
    case type(String, Selection)
    /// The chunks of an answer, counted in each answer; of the n-th answer on the connection, or of each.
    ///
    /// A chunk is a `stream_chunk` or an `assistant_message_chunk`. An answer ends with `stream_complete` or
    /// `assistant_message_end`; one that broke off, with the next `assistant_message_start`.
    case chunks(Selection, ofAnswer: Int?)
    /// The n-th byte of the server's text messages, frame headers included, from 1; the frame in which it lies is cut there.
    ///
    /// Counted as they would be sent without faults, and without control frames, whose number depends on the client.
    case byte(Int)
}
