/// The header of the frame being read, parsed byte by byte and checked as early as possible.
///
/// RFC 6455 §5.2:
/// ```
/// ws-frame = frame-fin frame-rsv1 frame-rsv2 frame-rsv3 frame-opcode
///            frame-masked frame-payload-length [ frame-masking-key ] frame-payload-data
/// ```
struct FrameHeader: Hashable, Sendable {
    /// The header field to which the next byte belongs.
    enum Field: UInt8, Hashable, Sendable { case flagsAndOpcode, maskAndLength, extendedLength, maskKey, payload }

    /// The header part that a byte completed.
    enum Progress { case nothing, opcode, length }

    private(set) var field = Field.flagsAndOpcode
    private(set) var opcode = Opcode.continuation
    private(set) var isFinal = false
    /// Whether RSV1 is set, as on the first frame of a compressed message.
    private(set) var isCompressed = false
    private var isMasked = false
    /// The remaining bytes of the current multi-byte field.
    private var due: UInt8 = 0
    private var extendedBytes: UInt8 = 0
    /// The payload's length; during the payload, its remaining bytes.
    var remaining: UInt64 = 0
    private var keyOctets: UInt32 = 0
    /// This frame's key; for an unmasked frame, the key is zero and changes nothing.
    var maskKey: MaskKey { MaskKey(networkOrder: keyOctets) }

    mutating func consume(_ byte: UInt8, role: Role, isCompressing: Bool) throws(ProtocolViolation) -> Progress {
        switch field {
        case .flagsAndOpcode:
            try readFlags(byte, isCompressing: isCompressing)
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
        case .payload: preconditionFailure("The header is complete; payload must follow.")
        }
    }

    private mutating func readFlags(_ byte: UInt8, isCompressing: Bool) throws(ProtocolViolation) {
        // "RSV1, RSV2, RSV3: MUST be 0 unless an extension is negotiated that defines meanings for non-zero values."
        guard byte & 0x70 == 0 || isCompressing else { throw .reservedBits(firstByte: byte) }
        // "If an unknown opcode is received, the receiving endpoint MUST _Fail the WebSocket Connection_."
        guard let known = Opcode(rawValue: byte & 0x0F) else { throw .reservedOpcode(byte & 0x0F) }
        opcode = known
        isFinal = byte & 0x80 != 0
        isCompressed = byte & 0x40 != 0
        // RFC 7692 §6: compression gives RSV1 a meaning only "on the first frame of a message".
        guard byte & 0x30 == 0, !isCompressed || known == .text || known == .binary else {
            throw .bitsBesideCompression(firstByte: byte, known)
        }
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
        guard length < 126 else {
            extendedBytes = length == 126 ? 2 : 8
            (due, field) = (extendedBytes, .extendedLength)
            return
        }
        remaining = UInt64(length)
        // §5.5.1: "the first two bytes of the body MUST be a 2-byte unsigned integer".
        if opcode == .close, length == 1 { throw .closePayloadOfOneByte }
        enterMaskKeyOrPayload()
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

/// Encodes frames: a header in its shortest form and the payload, masked if there is a key.
///
/// Server frames are unmasked, so one encoded frame can be written to many sockets. ``Connection`` checks what its
/// state allows; this type does not. Source: RFC 6455 §5.2.
public enum FrameEncoder {
    /// RFC 6455 §5.5: "All control frames MUST have a payload length of 125 bytes or less".
    public static let longestControlPayload = 125

    /// Appends one frame; `maskKey` is in network order, and nil leaves the payload unmasked.
    ///
    /// - Precondition: A control frame must be final and have at most 125 bytes of payload.
    public static func append(
        _ opcode: Opcode, _ payload: [UInt8], isFinal: Bool = true, maskKey: UInt32? = nil, into out: inout [UInt8]
    ) {
        precondition(!opcode.isControl || (isFinal && payload.count <= longestControlPayload), Misuse.controlFrame)
        appendRaw(firstByte: opcode.rawValue | (isFinal ? 0x80 : 0), payload[...], maskKey: maskKey, into: &out)
    }

    /// Appends one frame with any first byte and any announced length, including frames that the RFC forbids.
    ///
    /// The announced length has its shortest form; its default is the payload's length. Nothing is checked. Source: RFC
    /// 6455 §5.2.
    public static func appendRaw(
        firstByte: UInt8, _ payload: ArraySlice<UInt8>, maskKey: UInt32? = nil, announcedLength: UInt64? = nil,
        into out: inout [UInt8]
    ) {
        let masked: UInt8 = maskKey == nil ? 0 : 0x80
        let length = announcedLength ?? UInt64(payload.count)
        out.append(firstByte)
        switch length {
        case ...125: out.append(UInt8(length) | masked)
        case ...0xFFFF:
            out.append(126 | masked)
            out.append(UInt8(length >> 8))
            out.append(UInt8(length & 0xFF))
        default:
            out.append(127 | masked)
            withUnsafeBytes(of: length.bigEndian) { out.append(contentsOf: $0) }
        }
        guard let maskKey else {
            out.append(contentsOf: payload)
            return
        }
        withUnsafeBytes(of: maskKey.bigEndian) { out.append(contentsOf: $0) }
        let start = out.count
        out.append(contentsOf: payload)
        var key = MaskKey(networkOrder: maskKey)
        out.withUnsafeMutableBytes { key.apply(to: UnsafeMutableRawBufferPointer(rebasing: $0[start...])) }
    }

    /// The length of the header for a payload of `count` bytes, without a masking key: 2, 4 or 10.
    public static func headerLength(payload count: Int) -> Int { count <= 125 ? 2 : count <= 0xFFFF ? 4 : 10 }
}

/// The masking key of a frame, positioned at the next byte of its payload.
///
/// RFC 6455 §5.3: "transformed-octet-i = original-octet-i XOR masking-key-octet-(i MOD 4)".
struct MaskKey: Hashable, Sendable {
    /// The four octets; the octet for the next byte is the least significant.
    private var octets: UInt32
    init(networkOrder: UInt32) { octets = networkOrder.byteSwapped }
    var networkOrder: UInt32 { octets.byteSwapped }

    /// Masks or unmasks `bytes` in place, and advances past them.
    mutating func apply(to bytes: UnsafeMutableRawBufferPointer) {
        let count = bytes.count
        // A zero key changes nothing; clients may use it where masking protects nobody.
        guard octets != 0 else { return }
        let wide = (UInt64(octets) << 32 | UInt64(octets)).littleEndian
        var index = 0
        while index + 8 <= count {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            bytes.storeBytes(of: word ^ wide, toByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < count {
            bytes[index] ^= UInt8(truncatingIfNeeded: octets >> (UInt32(index & 3) * 8))
            index += 1
        }
        let turn = UInt32(count & 3) * 8
        if turn != 0 { octets = octets >> turn | octets << (32 - turn) }
    }
}

/// Generates masking keys from a seed, so that a client's bytes are reproducible.
///
/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
struct MaskKeyGenerator: Hashable, Sendable {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> MaskKey {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return MaskKey(networkOrder: UInt32(truncatingIfNeeded: (mixed ^ (mixed >> 31)) >> 32))
    }
}
