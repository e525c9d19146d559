/// The header of the frame being read, taken byte by byte and judged as early as it can be.
///
/// RFC 6455 §5.2:
/// ```
/// ws-frame = frame-fin frame-rsv1 frame-rsv2 frame-rsv3 frame-opcode
///            frame-masked frame-payload-length [ frame-masking-key ] frame-payload-data
/// ```
struct FrameHeader: Hashable, Sendable {
    /// Which field the next byte belongs to.
    enum Field: UInt8, Hashable, Sendable {
        case flagsAndOpcode
        case maskAndLength
        case extendedLength
        case maskKey
        case payload
    }

    /// What became known with a byte.
    enum Progress {
        case nothing
        case opcode
        case length
    }

    private(set) var field = Field.flagsAndOpcode
    private(set) var opcode = Opcode.continuation
    private(set) var isFinal = false
    private var isMasked = false
    /// Bytes of the current multi-byte field that are still due.
    private var due: UInt8 = 0
    private var extendedBytes: UInt8 = 0
    /// The payload's length, and once it is being read, the bytes of it that are still due.
    var remaining: UInt64 = 0
    private var keyOctets: UInt32 = 0

    /// The key of this frame; zero, which changes nothing, when it is not masked.
    var maskKey: MaskKey { MaskKey(networkOrder: keyOctets) }

    mutating func consume(_ byte: UInt8, role: Role) throws(ProtocolViolation) -> Progress {
        switch field {
        case .flagsAndOpcode:
            try readFlags(byte)
            return .opcode
        case .maskAndLength:
            try readLength(byte, role: role)
            return due == 0 || field == .maskKey ? .length : .nothing
        case .extendedLength:
            remaining = remaining << 8 | UInt64(byte)
            due -= 1
            guard due == 0 else { return .nothing }
            try judgeExtendedLength()
            enterMaskKeyOrPayload()
            return .length
        case .maskKey:
            keyOctets = keyOctets << 8 | UInt32(byte)
            due -= 1
            if due == 0 { field = .payload }
            return .nothing
        case .payload:
            preconditionFailure(Misuse.headerIsComplete)
        }
    }

    private mutating func readFlags(_ byte: UInt8) throws(ProtocolViolation) {
        // "RSV1, RSV2, RSV3: MUST be 0 unless an extension is negotiated that defines meanings for non-zero values."
        // None is ever negotiated here.
        guard byte & 0x70 == 0 else { throw .reservedBits(firstByte: byte) }
        // "If an unknown opcode is received, the receiving endpoint MUST _Fail the WebSocket Connection_."
        guard let known = Opcode(rawValue: byte & 0x0F) else { throw .reservedOpcode(byte & 0x0F) }
        opcode = known
        isFinal = byte & 0x80 != 0
        // §5.5: "All control frames ... MUST NOT be fragmented."
        if known.isControl, !isFinal { throw .fragmentedControlFrame(known) }
        field = .maskAndLength
    }

    private mutating func readLength(_ byte: UInt8, role: Role) throws(ProtocolViolation) {
        isMasked = byte & 0x80 != 0
        // §5.1: "The server MUST close the connection upon receiving a frame that is not masked." and "A client MUST
        // close a connection if it detects a masked frame."
        switch role {
        case .server: guard isMasked else { throw .unmaskedFrame }
        case .client: if isMasked { throw .maskedFrame }
        }
        let length = byte & 0x7F
        // §5.5: "All control frames MUST have a payload length of 125 bytes or less".
        if opcode.isControl, length > 125 { throw .longControlFrame(opcode) }
        switch length {
        case 126, 127:
            extendedBytes = length == 126 ? 2 : 8
            due = extendedBytes
            field = .extendedLength
        default:
            remaining = UInt64(length)
            // §5.5.1: "the first two bytes of the body MUST be a 2-byte unsigned integer".
            if opcode == .close, length == 1 { throw .closePayloadOfOneByte }
            enterMaskKeyOrPayload()
        }
    }

    private func judgeExtendedLength() throws(ProtocolViolation) {
        // "If 127, the following 8 bytes interpreted as a 64-bit unsigned integer (the most significant bit MUST be
        // 0) are the payload length."
        guard remaining >> 63 == 0 else { throw .lengthWithTopBit(remaining) }
        // "Note that in all cases, the minimal number of bytes MUST be used to encode the length".
        guard remaining > (extendedBytes == 2 ? 125 : 0xFFFF) else {
            throw .lengthNotMinimal(remaining, fieldBytes: Int(extendedBytes))
        }
    }

    private mutating func enterMaskKeyOrPayload() {
        due = isMasked ? 4 : 0
        field = isMasked ? .maskKey : .payload
    }
}
