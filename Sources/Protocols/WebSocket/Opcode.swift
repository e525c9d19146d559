/// What a frame is.
///
/// Opcodes 3 to 7 and 11 to 15 are reserved and refused with 1002. Source: RFC 6455 §5.2, §11.8.
public enum Opcode: UInt8, Hashable, Sendable {
    /// A further fragment of the message that a text or binary frame began.
    case continuation = 0x0
    /// A text message, or its first fragment.
    case text = 0x1
    /// A binary message, or its first fragment.
    case binary = 0x2
    /// The close frame.
    case close = 0x8
    /// A ping, to be answered with a pong.
    case ping = 0x9
    /// A pong, asked for or not.
    case pong = 0xA

    /// Whether this is a control frame, which may stand between the fragments of a message.
    ///
    /// RFC 6455 §5.5: "Control frames are identified by opcodes where the most significant bit of the opcode is 1."
    public var isControl: Bool { rawValue & 0x8 != 0 }
}
