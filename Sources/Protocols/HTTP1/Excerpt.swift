import Text

/// A short, printable copy of bytes that arrived, for messages.
///
/// At most 40 bytes, in double quotes; anything unprintable is escaped, so that a message never carries control
/// characters into a terminal or a log.
struct Excerpt: CustomStringConvertible, Sendable {
    static let limit = 40
    let description: String

    init(_ bytes: Bytes, _ range: ByteRange) { self.init(bytes[range]) }

    init(_ bytes: Bytes) {
        var text = "\""
        for byte in bytes.prefix(Self.limit) { text += Excerpt.escaped(byte) }
        text += bytes.count > Self.limit ? "…\"" : "\""
        description = text
    }

    /// One byte as a reader can see it.
    static func escaped(_ byte: UInt8) -> String {
        switch byte {
        case .tab: "\\t"
        case .lineFeed: "\\n"
        case .carriageReturn: "\\r"
        case .quote: "\\\""
        case .backslash: "\\\\"
        case 0x20..<0x7f: String(UnicodeScalar(byte))
        default: "\\x" + byte.uppercaseHex
        }
    }
}
