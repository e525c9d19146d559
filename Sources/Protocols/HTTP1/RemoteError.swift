import HTTPTypes
import Text

/// What the peer did wrong, with the status to answer and a message for the person who wrote the peer.
///
/// The message says what arrived, what was expected and what to do. All of them are in `RemoteError+Messages.swift`.
public struct RemoteError: Error, Sendable, Equatable {
    /// The status a server should answer with; 502 where a server's response is at fault.
    public var status: HTTPResponse.Status
    /// What arrived, what was expected, what to do.
    public var message: String
    /// The clause that was broken, such as `RFC 9112 §5.1`.
    public var source: String

    /// An error with all its parts.
    public init(status: HTTPResponse.Status, message: String, source: String) {
        self.status = status
        self.message = message
        self.source = source
    }
}

extension RemoteError: CustomStringConvertible {
    /// The message with its clause.
    public var description: String { "\(status.code) \(message) (\(source))" }
}

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
