/// Percent-encoding of URLs (RFC 3986 §2.1) and of forms (WHATWG URL §5).
///
/// Decoding accepts any text and keeps a `%` that does not start an escape. A `+` means a space in a query but not in a
/// path; the caller chooses. Decoding takes linear time and decodes nothing twice.
public enum PercentCoding {
    /// The byte encoded as `%XX` at an index.
    @inlinable public static func byte(at index: Int, in text: UnsafeBufferPointer<UInt8>) -> UInt8? {
        guard index + 2 < text.count, text[index] == .percent else { return nil }
        guard let high = text[index + 1].hexValue, let low = text[index + 2].hexValue else { return nil }
        return high << 4 | low
    }

    public static func decoded(_ text: UnsafeBufferPointer<UInt8>, plusIsSpace: Bool) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            if let byte = byte(at: index, in: text) {
                decoded.append(byte)
                index += 3
            } else {
                decoded.append(plusIsSpace && text[index] == .plus ? .space : text[index])
                index += 1
            }
        }
        return decoded
    }

    /// The decoded text; bytes that are not UTF-8 become U+FFFD.
    public static func string(_ text: UnsafeBufferPointer<UInt8>, plusIsSpace: Bool) -> String {
        var isPlain = true
        for byte in text where byte == .percent || (plusIsSpace && byte == .plus) { isPlain = false }
        if isPlain { return String(decoding: text, as: UTF8.self) }
        return String(decoding: decoded(text, plusIsSpace: plusIsSpace), as: UTF8.self)
    }

    public static func string(_ text: Substring.UTF8View, plusIsSpace: Bool) -> String {
        text.withContiguousStorageIfAvailable { string($0, plusIsSpace: plusIsSpace) }
            ?? Array(text).withUnsafeBufferPointer { string($0, plusIsSpace: plusIsSpace) }
    }

    /// The decoded pairs of a query or a form, in order and with duplicates (WHATWG URL §5.1).
    ///
    /// A name without `=` has an empty value; empty pieces are omitted.
    public static func items(_ query: UnsafeBufferPointer<UInt8>) -> [(name: String, value: String)] {
        var items: [(name: String, value: String)] = []
        forEachItem(in: query) { name, value in
            if name.isEmpty, value == nil { return }
            items.append((string(name, plusIsSpace: true), value.map { string($0, plusIsSpace: true) } ?? ""))
        }
        return items
    }

    /// Calls `body` with each undecoded piece between `&`; a piece without `=` has a nil value.
    public static func forEachItem(
        in query: UnsafeBufferPointer<UInt8>,
        _ body: (_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>?) -> Void
    ) {
        var start = 0
        while start <= query.count {
            var equals = start
            while equals < query.count, query[equals] != .equals, query[equals] != .ampersand { equals += 1 }
            var end = equals
            while end < query.count, query[end] != .ampersand { end += 1 }
            let value = equals < end ? UnsafeBufferPointer(rebasing: query[(equals + 1)..<end]) : nil
            body(UnsafeBufferPointer(rebasing: query[start..<equals]), value)
            start = end + 1
        }
    }

    /// Appends a string with every character except the unreserved ones (RFC 3986 §2.3) as `%XX`.
    public static func append(_ text: some Sequence<UInt8>, spaceIsPlus: Bool = false, to output: inout [UInt8]) {
        for byte in text {
            if byte.isUnreserved {
                output.append(byte)
            } else if spaceIsPlus, byte == .space {
                output.append(.plus)
            } else {
                output += [.percent, (byte >> 4).uppercaseHexDigit, (byte & 15).uppercaseHexDigit]
            }
        }
    }

    /// The text with every character except the unreserved ones (RFC 3986 §2.3) as `%XX`.
    public static func encoded(_ text: String) -> String {
        var output: [UInt8] = []
        append(text.utf8, to: &output)
        return String(decoding: output, as: UTF8.self)
    }
}
