/// The server that a proxy stands in front of: scheme, host and port.
public struct UpstreamURL: Hashable, Sendable, CustomStringConvertible {
    /// Whether it speaks TLS.
    public let isSecure: Bool
    /// A name, an IPv4 address, or an IPv6 address without brackets; in lower case.
    public let host: String
    /// 80 or 443 where the URL names none.
    public let port: UInt16

    /// Why a text is no such URL.
    public struct Refusal: Error, Equatable, CustomStringConvertible {
        /// What the person at the keyboard is told.
        public let description: String
    }

    /// Reads a URL: `https://api.example.com`, `http://127.0.0.1:8080`; `ws` and `wss` are taken for `http` and `https`.
    ///
    /// - Throws: for other schemes, a path, a query, credentials, or a host or port that cannot be one.
    public init(_ text: String) throws(Refusal) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].hasPrefix("//") else { throw Refusal(description: Messages.notAURL(text)) }
        switch parts[0].lowercased() {
        case "http", "ws": isSecure = false
        case "https", "wss": isSecure = true
        default: throw Refusal(description: Messages.unknownScheme(String(parts[0])))
        }
        var authority = parts[1].dropFirst(2)
        if authority.hasSuffix("/") { authority.removeLast() }
        guard !authority.contains(where: { "/?#".contains($0) }) else {
            throw Refusal(description: Messages.urlWithPath(text))
        }
        guard !authority.contains("@") else { throw Refusal(description: Messages.urlWithCredentials) }
        guard let (host, port) = UpstreamURL.split(authority) else {
            throw Refusal(description: Messages.badAuthority(String(authority)))
        }
        self.host = host.lowercased()
        guard let port else {
            self.port = isSecure ? 443 : 80
            return
        }
        // "+80" is a number to Swift.
        guard port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(port), number > 0 else {
            throw Refusal(description: Messages.badPort(String(port)))
        }
        self.port = number
    }

    /// `host[:port]`, an IPv6 address in brackets; nil where that is neither.
    private static func split(_ authority: Substring) -> (host: String, port: Substring?)? {
        let hostEnd: Substring.Index
        let host: Substring
        if authority.hasPrefix("[") {
            guard let bracket = authority.firstIndex(of: "]") else { return nil }
            host = authority[authority.index(after: authority.startIndex)..<bracket]
            guard host.contains(":"), host.utf8.allSatisfy({ isHexDigit($0) || $0 == 0x3A || $0 == 0x2E }) else {
                return nil
            }
            hostEnd = authority.index(after: bracket)
        } else {
            hostEnd = authority.firstIndex(of: ":") ?? authority.endIndex
            host = authority[..<hostEnd]
            guard !host.isEmpty, host.utf8.count <= 253, host.utf8.allSatisfy(isNameByte) else { return nil }
        }
        let rest = authority[hostEnd...]
        if rest.isEmpty { return (String(host), nil) }
        return rest.first == ":" ? (String(host), rest.dropFirst()) : nil
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
    }

    /// `http` or `https`.
    public var scheme: String { isSecure ? "https" : "http" }

    /// Host and port as they stand in a `Host` field; the scheme's own port is left out.
    public var authority: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? host : "\(host):\(port)"
    }

    /// The URL without a slash at its end: an origin as RFC 6454 §6.2 writes it.
    public var description: String { "\(scheme)://\(authority)" }
}
