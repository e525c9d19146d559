import Text

extension SessionBody {
    /// Keeps the beginning of bytes that are more than the limit; a character of UTF-8 is not torn.
    init(_ bytes: [UInt8], keeping limit: Int) {
        guard bytes.count > limit else {
            self.init(bytes)
            return
        }
        self.init(Array(bytes[..<UTF8Sequence.boundary(in: bytes, at: limit)]), of: bytes.count)
    }
}

/// A body as it arrives: its beginning, and how many bytes there were.
struct BodyCollector: Sendable {
    private var bytes: [UInt8] = []
    private var byteCount = 0

    var heldByteCount: Int { bytes.count }

    /// Takes a piece; what is beyond the limit is counted only.
    mutating func append(_ piece: ArraySlice<UInt8>, limit: Int) {
        byteCount += piece.count
        // One byte more than the limit tells whether the limit tears a character.
        bytes.append(contentsOf: piece.prefix(max(0, limit + 1 - bytes.count)))
    }

    /// The body so far.
    func body(limit: Int) -> SessionBody {
        guard bytes.count > limit else { return SessionBody(bytes, of: byteCount) }
        return SessionBody(Array(bytes[..<UTF8Sequence.boundary(in: bytes, at: limit)]), of: byteCount)
    }
}
