import Text

/// The bytes of a body or a frame as received, and their number before truncation.
public struct RecordedBody: Sendable, Hashable {
    /// The bytes, which may be shared.
    public var bytes: [UInt8]
    /// The number of bytes before truncation.
    public var byteCount: Int

    /// Keeps bytes by reference.
    public init(_ bytes: [UInt8] = []) {
        self.bytes = bytes
        byteCount = bytes.count
    }

    /// Keeps the rest of a body that had more bytes.
    public init(_ bytes: [UInt8], of byteCount: Int) {
        precondition(byteCount >= bytes.count, "a part is no larger than the whole")
        self.bytes = bytes
        self.byteCount = byteCount
    }

    /// Whether some of the bytes were not kept.
    public var isCut: Bool { bytes.count < byteCount }

    /// Copies the first bytes and releases the rest if there are more than the limit.
    ///
    /// It does not split a UTF-8 character: up to three bytes fewer are kept.
    mutating func cut(to limit: Int) {
        guard bytes.count > limit else { return }
        bytes = Array(bytes[..<UTF8Sequence.boundary(in: bytes, at: limit)])
    }
}

public typealias SessionBody = RecordedBody
