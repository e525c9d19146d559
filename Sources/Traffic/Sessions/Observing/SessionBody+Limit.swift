extension SessionBody {
    /// Keeps the beginning of bytes that are more than the limit; a character of UTF-8 is not torn.
    init(_ bytes: [UInt8], keeping limit: Int) {
        guard bytes.count > limit else {
            self.init(bytes)
            return
        }
        self.init(Array(bytes[..<Self.boundary(in: bytes, at: limit)]), of: bytes.count)
    }

    /// The last place up to the limit where no character is torn; the limit itself in what is no UTF-8.
    static func boundary(in bytes: [UInt8], at limit: Int) -> Int {
        guard bytes.count > limit else { return bytes.count }
        var end = limit
        while end > 0, limit - end < 3, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return bytes[end] & 0xC0 == 0x80 ? limit : end
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
        return SessionBody(Array(bytes[..<SessionBody.boundary(in: bytes, at: limit)]), of: byteCount)
    }
}
