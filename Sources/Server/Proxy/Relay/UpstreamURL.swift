import Text

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
        guard let parts = HostAndPort(authority), parts.hasPlainHost, parts.isBracketed || parts.host.utf8.count <= 253
        else { throw Refusal(description: Messages.badAuthority(String(authority))) }
        host = parts.host.lowercased()
        guard let port = parts.port else {
            self.port = isSecure ? 443 : 80
            return
        }
        guard let number = parts.portNumber, number > 0 else {
            throw Refusal(description: Messages.badPort(String(port)))
        }
        self.port = number
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
