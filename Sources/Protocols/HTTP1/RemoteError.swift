import HTTPTypes
import Text

/// A violation by the peer, with the status to respond with and a message for the peer's developer.
///
/// All messages are in `RemoteError+Messages.swift`.
public struct RemoteError: Error, Sendable, Equatable {
    /// The status a server should respond with; 502 if a server's response is wrong.
    public var status: HTTPResponse.Status
    /// What arrived, what was expected and how to fix it.
    public var message: String
    /// The violated clause, such as `RFC 9112 §5.1`.
    public var source: String

    public init(status: HTTPResponse.Status, message: String, source: String) {
        (self.status, self.message, self.source) = (status, message, source)
    }
}

extension RemoteError: CustomStringConvertible {
    public var description: String { "\(status.code) \(message) (\(source))" }
}

/// A short, printable excerpt of received bytes, for messages.
///
/// At most 40 bytes, in double quotes. Unprintable bytes are escaped, so no control character reaches a terminal or a
/// log.
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

    /// An excerpt of a target or an authority without its userinfo (RFC 3986 §3.2.1), which may be a password.
    init(target range: ByteRange, in bytes: Bytes) {
        let target = bytes[range]
        var start = 0
        if let slash = target.firstIndex(of: .slash), slash > 0, target[slash - 1] == .colon, slash + 1 < target.count,
            target[slash + 1] == .slash
        {
            start = slash + 2
        }
        let authority = target[start...].prefix { $0 > .space && $0 != .slash && $0 != .questionMark && $0 != .hash }
        guard let at = authority.lastIndex(of: .at), at > start else {
            self.init(target)
            return
        }
        let shown = Array(target[..<start]) + Array("***".utf8) + Array(target[at...])
        self = shown.withUnsafeBufferPointer { Excerpt($0) }
    }

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
