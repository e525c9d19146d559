import Text

/// How much of the header block a message has used; trailers go on counting where the head stopped.
struct FieldSection: Sendable {
    private(set) var byteCount = 0
    private(set) var lineCount = 0

    /// Counts a complete line, its line end included.
    mutating func admit(lineLength: Int, _ limits: Limits) throws(RemoteError) {
        byteCount += lineLength
        guard byteCount <= limits.headerBlock else { throw .headerBlockTooLarge(limits.headerBlock) }
        lineCount += 1
        guard lineCount <= limits.fieldCount else { throw .tooManyFields(limits.fieldCount) }
    }

    /// Refuses a line that has not ended yet as soon as no end could bring it under the limit.
    ///
    /// A lone CR may still become the empty line that ends the section, which counts for nothing.
    func checkPending(_ bytes: Bytes, from start: Int, _ limits: Limits) throws(RemoteError) {
        let length = bytes.count - start
        if length == 0 || (length == 1 && bytes[start] == .carriageReturn) { return }
        guard byteCount + length + 1 <= limits.headerBlock else { throw .headerBlockTooLarge(limits.headerBlock) }
    }

    /// The line without its line end; empty for the end of the section.
    ///
    /// "A recipient MAY recognize a single LF as a line terminator" (RFC 9112 §2.2): we do not, since a peer that does
    /// and one that does not see different messages in the same bytes.
    mutating func line(_ bytes: Bytes, from start: Int, lineFeed: Int, _ limits: Limits) throws(RemoteError)
        -> ByteRange
    {
        let hasCarriageReturn = lineFeed > start && bytes[lineFeed - 1] == .carriageReturn
        if hasCarriageReturn && lineFeed - 1 == start { return .empty }
        try admit(lineLength: lineFeed + 1 - start, limits)
        guard hasCarriageReturn else { throw .bareLineFeed(Excerpt(bytes, ByteRange(start, lineFeed + 1))) }
        return ByteRange(start, lineFeed - 1)
    }
}
