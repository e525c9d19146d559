import Text

/// The elements of a comma-separated field value, trimmed; empty elements are yielded too.
///
/// `#element => [ element ] *( OWS "," OWS [ element ] )` (RFC 9110 §5.6.1.2). Commas in quoted strings are not
/// special here: none of the lists this module reads has quoted strings.
struct ListElements: IteratorProtocol {
    private let bytes: Bytes
    private var position: Int
    private let end: Int

    init(_ bytes: Bytes, _ range: ByteRange) {
        self.bytes = bytes
        position = range.lower
        end = range.upper
    }

    mutating func next() -> ByteRange? {
        guard position <= end else { return nil }
        let start = position
        var index = start
        while index < end, bytes[index] != .comma { index += 1 }
        position = index + 1
        return bytes.trimmingWhitespace(ByteRange(start, index))
    }
}
