import Text

/// chunk-size = 1*HEXDIG, with chunk-ext = *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] ) after it
/// (RFC 9112 §7.1, §7.1.1).
enum ChunkSize {
    /// The size on a line that has lost its CRLF; `Int.max` where it does not fit, which is above every limit.
    ///
    /// Extensions are ignored: "A recipient MUST ignore unrecognized chunk extensions".
    static func parse(_ bytes: Bytes, _ line: ByteRange) throws(RemoteError) -> Int {
        var index = line.lower
        var size: UInt64 = 0
        while index < line.upper, let digit = bytes[index].hexValue {
            // "Recipients MUST anticipate potentially large hexadecimal numerals and prevent parsing errors".
            guard index - line.lower < 16 else { throw .chunkSizeTooLong(Excerpt(bytes, line)) }
            size = size << 4 | UInt64(digit)
            index += 1
        }
        guard index > line.lower else { throw .badChunkSize(Excerpt(bytes, line)) }
        if index < line.upper {
            while index < line.upper, bytes[index].isWhitespace { index += 1 }
            guard index < line.upper, bytes[index] == .semicolon else { throw .badChunkSize(Excerpt(bytes, line)) }
            for position in index..<line.upper where !bytes[position].isFieldValueCharacter {
                throw .badChunkExtension(bytes[position], Excerpt(bytes, line))
            }
        }
        return Int(exactly: size) ?? .max
    }
}
