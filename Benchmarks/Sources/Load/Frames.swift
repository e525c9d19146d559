import Glibc

/// A frame from the server, as ranges of the scanned bytes (RFC 6455, section 5.2).
public struct ServerFrame: Equatable, Sendable {
    /// 1 text, 8 close, 9 ping, 10 pong.
    public let opcode: UInt8
    /// The position of the payload.
    public let payload: Range<Int>
    /// Where the next frame starts.
    public var end: Int { payload.upperBound }
}

/// The result of scanning bytes from an index on.
public enum FrameScan: Equatable, Sendable {
    /// A whole frame.
    case frame(ServerFrame)
    /// The start of one; more bytes are needed.
    case incomplete
    /// Not a frame that this generator accepts: masked, fragmented, compressed or over 64 KiB.
    case violation(String)
}

/// Finds the frame that starts at `start`.
public func scanFrame(_ bytes: UnsafeRawBufferPointer, from start: Int) -> FrameScan {
    guard bytes.count - start >= 2 else { return .incomplete }
    let first = bytes[start]
    guard first & 0xF0 == 0x80 else { return .violation("a frame with first byte \(first): fragmented or extended") }
    let second = bytes[start + 1]
    switch second {
    case ...125:
        return whole(first & 0x0F, start + 2, Int(second), in: bytes)
    case 126:
        guard bytes.count - start >= 4 else { return .incomplete }
        let length = Int(bytes[start + 2]) << 8 | Int(bytes[start + 3])
        return whole(first & 0x0F, start + 4, length, in: bytes)
    case 127: return .violation("a frame over 64 KiB")
    default: return .violation("a masked frame")
    }
}

private func whole(_ opcode: UInt8, _ start: Int, _ length: Int, in bytes: UnsafeRawBufferPointer) -> FrameScan {
    guard bytes.count - start >= length else { return .incomplete }
    return .frame(ServerFrame(opcode: opcode, payload: start..<start + length))
}

/// The bytes of a client's frame; payloads over 65,535 bytes are a misuse.
///
/// RFC 6455, section 5.3 requires an unpredictable mask, because proxies could mistake frames for requests. Loopback
/// has no proxies, and a constant mask keeps the bytes the same in every run.
public func clientFrame(opcode: UInt8, _ payload: some Collection<UInt8>) -> [UInt8] {
    precondition(payload.count <= 65_535, "only short frames are sent")
    let mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
    var frame: [UInt8] = [0x80 | opcode]
    if payload.count <= 125 {
        frame.append(0x80 | UInt8(payload.count))
    } else {
        frame += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
    }
    frame += mask
    for (index, byte) in payload.enumerated() { frame.append(byte ^ mask[index & 3]) }
    return frame
}

/// The fields that turn a GET into a WebSocket handshake, with the sample key of RFC 6455, section 1.3.
public let webSocketFields = """
    Upgrade: websocket\r
    Connection: Upgrade\r
    Sec-WebSocket-Version: 13\r
    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n
    """

/// The server's answer to that key.
public let webSocketAccept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
