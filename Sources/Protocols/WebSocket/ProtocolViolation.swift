/// What a peer did that RFC 6455 forbids.
///
/// Each becomes one `Event.failed`: `code` goes into our close frame, `message` beside it and into the event.
enum ProtocolViolation: Error, Hashable, Sendable {
    /// RSV bits are set; the value is the frame's first byte.
    case reservedBits(firstByte: UInt8)
    case reservedOpcode(UInt8)
    case fragmentedControlFrame(Opcode)
    /// The length field of a control frame is over 125: 126 and 127 stand for longer lengths.
    case longControlFrame(Opcode)
    case continuationWithoutStart
    case interruptedMessage(Opcode)
    case unmaskedFrame
    case maskedFrame
    case lengthNotMinimal(UInt64, fieldBytes: Int)
    case lengthWithTopBit(UInt64)
    /// The total is that of all fragments announced so far.
    case messageTooBig(total: UInt64, limit: Int)
    case invalidText(byte: UInt8, index: Int)
    case truncatedText(count: Int)
    case closePayloadOfOneByte
    case closeCodeNotAllowed(CloseCode)
    case closeReasonNotUTF8(byte: UInt8, index: Int)
    case closeReasonTruncated

    /// The status code for our close frame.
    var code: CloseCode {
        switch self {
        case .messageTooBig: .messageTooBig
        case .invalidText, .truncatedText, .closeReasonNotUTF8, .closeReasonTruncated: .invalidPayload
        default: .protocolError
        }
    }
}
