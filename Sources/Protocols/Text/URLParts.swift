/// The parts of a URL or a relative reference as written (RFC 3986 §3).
///
///     https://api.example.com:8443/a/b?x=1#top
///     scheme  authority            path query fragment
///
/// Splitting takes linear time, never fails and decodes nothing. Splitting works on bytes, because a slash and a
/// following combining mark form one character.
public struct URLParts: Sendable {
    /// Nil in a relative reference, such as a request target.
    public let scheme: Substring?
    /// The text between `//` and the path; nil without `scheme://`.
    public let authority: Substring?
    /// Empty, or starts with `/` if there is an authority.
    public let path: Substring
    /// The query without its `?`.
    public let query: Substring?
    /// The fragment without its `#`.
    public let fragment: Substring?
    /// `https://api.example.com:8443`; empty without `scheme://`.
    public let origin: Substring
    public init(_ text: String) { self.init(Substring(text)) }

    public init(_ text: Substring) {
        let utf8 = text.utf8
        var rest = utf8[...]
        if let colon = Self.endOfScheme(utf8), utf8[colon...].starts(with: "://".utf8) {
            let start = utf8.index(colon, offsetBy: 3)
            let end = utf8[start...].firstIndex { $0 == .slash || $0 == .questionMark || $0 == .hash } ?? utf8.endIndex
            scheme = text[..<colon]
            authority = text[start..<end]
            origin = text[..<end]
            rest = utf8[end...]
        } else {
            (scheme, authority, origin) = (nil, nil, "")
        }
        let hash = rest.firstIndex(of: .hash)
        fragment = hash.map { text[utf8.index(after: $0)...] }
        rest = rest[..<(hash ?? rest.endIndex)]
        let mark = rest.firstIndex(of: .questionMark)
        query = mark.map { text[utf8.index(after: $0)..<rest.endIndex] }
        path = Substring(rest[..<(mark ?? rest.endIndex)])
    }

    /// The path (`/` if empty) and the query.
    public var target: String { (path.isEmpty ? "/" : String(path)) + (query.map { "?" + $0 } ?? "") }

    /// The decoded pairs of the query, in order and with duplicates.
    public var items: [(name: String, value: String)] {
        var query = query ?? ""
        return query.withUTF8 { PercentCoding.items($0) }
    }

    /// RFC 3986 §3.1: `scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )`.
    private static func endOfScheme(_ text: Substring.UTF8View) -> Substring.Index? {
        guard text.first?.isLetter == true,
            let end = text.firstIndex(where: { !($0.isAlphanumeric || $0 == .plus || $0 == .minus || $0 == .dot) }),
            text[end] == .colon
        else { return nil }
        return end
    }
}

/// The host and the port of an authority as written (RFC 3986 §3.2).
public struct HostAndPort: Sendable {
    /// A name or an IPv4 address, or the text between the brackets of an IPv6 address.
    public let host: Substring
    public let isBracketed: Bool
    /// The text after the colon; nil if there is no colon.
    public let port: Substring?

    /// Splits an authority; nil if a bracket is not closed, or if text other than a port follows it.
    public init?(_ authority: Substring) {
        let utf8 = authority.utf8
        let end: Substring.Index
        isBracketed = utf8.first == .leftBracket
        if isBracketed {
            guard let bracket = utf8.firstIndex(of: .rightBracket) else { return nil }
            host = authority[utf8.index(after: utf8.startIndex)..<bracket]
            end = utf8.index(after: bracket)
        } else {
            end = utf8.firstIndex(of: .colon) ?? utf8.endIndex
            host = authority[..<end]
        }
        guard end == utf8.endIndex || utf8[end] == .colon else { return nil }
        port = end == utf8.endIndex ? nil : authority[utf8.index(after: end)...]
    }

    /// Whether the host can be a DNS name or an address.
    ///
    /// Letters, digits, `-`, `.` and `_` are allowed; in brackets, hexadecimal digits, `.` and at least one colon.
    public var hasPlainHost: Bool {
        isBracketed
            ? host.utf8.contains(.colon) && host.utf8.allSatisfy { $0.isHexDigit || $0 == .colon || $0 == .dot }
            : !host.isEmpty && host.utf8.allSatisfy { $0.isWordCharacter || $0 == .dot }
    }

    /// Whether the host is an address or `localhost`, which DNS cannot redirect.
    public var hasFixedHost: Bool { isBracketed || host.lowercased() == "localhost" || Self.isIPv4(host) }

    /// Whether a host is four decimal numbers.
    public static func isIPv4(_ host: Substring) -> Bool {
        let parts = host.utf8.split(separator: .dot, omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                // Some parsers read a leading zero as octal.
                (1...3).contains(part.count) && part.allSatisfy(\.isDigit) && UInt8(Substring(part)) != nil
                    && (part.count == 1 || part.first != UInt8(ascii: "0"))
            }
    }

    /// The port as a number; nil if it is missing, not decimal or too large for TCP.
    public var portNumber: UInt16? {
        // Swift parses "+80" as a number.
        port.flatMap { $0.utf8.allSatisfy(\.isDigit) ? UInt16($0) : nil }
    }
}
