/// Writes frames: a header in its shortest form, then the payload, masked if a key is given.
///
/// A server's frame has no mask, so it can be encoded once and written to many sockets. Nothing is checked here that
/// depends on a connection; ``Connection`` writes only what its state allows.
/// Source: RFC 6455 §5.2.
public enum FrameEncoder {
    /// The longest payload of a control frame in bytes.
    ///
    /// RFC 6455 §5.5: "All control frames MUST have a payload length of 125 bytes or less".
    public static let longestControlPayload = 125

    /// Returns a complete unmasked frame with FIN set.
    public static func serverFrame(_ opcode: Opcode, _ payload: [UInt8]) -> [UInt8] {
        var frame: [UInt8] = []
        frame.reserveCapacity(headerLength(payload: payload.count) + payload.count)
        append(opcode, payload, into: &frame)
        return frame
    }

    /// Appends one frame; `maskKey` is in network order, and nil leaves the payload unmasked.
    ///
    /// - Precondition: a control frame is final and its payload has at most 125 bytes.
    public static func append(
        _ opcode: Opcode, _ payload: [UInt8], isFinal: Bool = true, maskKey: UInt32? = nil, into out: inout [UInt8]
    ) {
        precondition(
            !opcode.isControl || (isFinal && payload.count <= longestControlPayload), Misuse.controlFrame)
        appendRaw(
            firstByte: opcode.rawValue | (isFinal ? 0x80 : 0), payload[...], maskKey: maskKey, into: &out)
    }

    /// Appends one frame with any first byte and any announced length: what the RFC forbids, for those who need it.
    ///
    /// The length that is announced takes its shortest form, and is that of the payload unless told otherwise. Nothing is
    /// checked. Source: RFC 6455 §5.2.
    public static func appendRaw(
        firstByte: UInt8, _ payload: ArraySlice<UInt8>, maskKey: UInt32? = nil, announcedLength: UInt64? = nil,
        into out: inout [UInt8]
    ) {
        let masked: UInt8 = maskKey == nil ? 0 : 0x80
        let length = announcedLength ?? UInt64(payload.count)
        out.append(firstByte)
        switch length {
        case ...125:
            out.append(UInt8(length) | masked)
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

    /// The length of the header in front of a payload of so many bytes, without a masking key: 2, 4 or 10.
    public static func headerLength(payload count: Int) -> Int {
        count <= 125 ? 2 : count <= 0xFFFF ? 4 : 10
    }
}
