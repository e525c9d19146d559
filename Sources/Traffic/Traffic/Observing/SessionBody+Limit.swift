import Text

extension SessionBody {
    /// Keeps the beginning of bytes that exceed the limit, without splitting a UTF-8 character.
    init(_ bytes: [UInt8], keeping limit: Int) {
        guard bytes.count > limit else {
            self.init(bytes)
            return
        }
        self.init(Array(bytes[..<UTF8Sequence.boundary(in: bytes, at: limit)]), of: bytes.count)
    }
}

/// A body as it arrives: its beginning, and its total size.
struct BodyCollector: Sendable {
    private var bytes: [UInt8] = []
    private var byteCount = 0

    var heldByteCount: Int { bytes.count }

    /// Appends a piece; bytes beyond the limit are only counted.
    mutating func append(_ piece: ArraySlice<UInt8>, limit: Int) {
        byteCount += piece.count
        // One byte more than the limit shows whether the limit splits a character.
        bytes.append(contentsOf: piece.prefix(max(0, limit + 1 - bytes.count)))
    }

    /// The body so far.
    func body(limit: Int) -> SessionBody {
        guard bytes.count > limit else { return SessionBody(bytes, of: byteCount) }
        return SessionBody(Array(bytes[..<UTF8Sequence.boundary(in: bytes, at: limit)]), of: byteCount)
    }
}
