import Text

/// The bytes of a body or a frame as they came, and how many there were before they were cut.
public struct RecordedBody: Sendable, Hashable {
    /// The bytes, shared with whoever else holds them.
    public private(set) var bytes: [UInt8]
    /// How many bytes there were.
    public let byteCount: Int

    /// Keeps bytes by reference.
    public init(_ bytes: [UInt8] = []) {
        self.bytes = bytes
        byteCount = bytes.count
    }

    /// Keeps what is left of a body that had more bytes.
    public init(_ bytes: [UInt8], of byteCount: Int) {
        precondition(byteCount >= bytes.count, "a part is no larger than the whole")
        self.bytes = bytes
        self.byteCount = byteCount
    }

    /// Whether some of the bytes were not kept.
    public var isCut: Bool { bytes.count < byteCount }

    /// Copies the first bytes and lets go of the rest, where there are more than the limit.
    ///
    /// A character of UTF-8 is not torn: up to three bytes fewer are kept.
    mutating func cut(to limit: Int) {
        guard bytes.count > limit else { return }
        bytes = Array(bytes[..<UTF8Sequence.boundary(in: bytes, at: limit)])
    }
}
