import Text

/// An HTTP version this module speaks (RFC 9112 §2.3).
///
/// Any `HTTP/1.x` with x > 0 counts as ``http11``: minor versions add nothing to trip over (RFC 9110 §2.5).
public enum Version: Sendable, Hashable {
    /// `HTTP/1.0`.
    case http10
    /// `HTTP/1.1`.
    case http11

    // HTTP-name "/" DIGIT "." DIGIT, case-sensitive (RFC 9112 §2.3).
    static let length = 8

    static func parse(_ bytes: Bytes, _ range: ByteRange) throws(RemoteError) -> Version {
        let start = range.lower
        guard range.count == length, bytes.equals(ByteRange(start, start + 5), "HTTP/"),
            bytes[start + 5].isDigit, bytes[start + 6] == .dot, bytes[start + 7].isDigit
        else { throw .malformedVersion(Excerpt(bytes, range)) }
        guard bytes[start + 5] == UInt8(ascii: "1") else { throw .unsupportedVersion(Excerpt(bytes, range)) }
        return bytes[start + 7] == UInt8(ascii: "0") ? .http10 : .http11
    }
}
