/// The server behind a proxy or a world: scheme, host and port.
public struct UpstreamURL: Hashable, Sendable, CustomStringConvertible {
    public let isSecure: Bool
    /// A name, an IPv4 address, or an IPv6 address without brackets; in lower case.
    public let host: String
    /// 80 or 443 if the URL has none.
    public let port: UInt16

    /// Parses a URL: `https://api.example.com`, `http://127.0.0.1:8080`; `ws` and `wss` count as `http` and `https`.
    ///
    /// - Throws: An error for other schemes, a path, a query, credentials, or an invalid host or port.
    public init(_ text: String) throws(Refusal) {
        let url = URLParts(text)
        guard let scheme = url.scheme, let authority = url.authority else { throw .notAURL(text) }
        switch scheme.lowercased() {
        case "http", "ws": isSecure = false
        case "https", "wss": isSecure = true
        default: throw .unknownScheme(scheme)
        }
        guard url.target == "/", url.fragment == nil else { throw .urlWithPath(text) }
        guard !authority.contains("@") else { throw .urlWithCredentials }
        guard let parts = HostAndPort(authority), parts.hasPlainHost, parts.isBracketed || parts.host.utf8.count <= 253
        else { throw .badAuthority(authority) }
        host = parts.host.lowercased()
        port = parts.portNumber ?? (isSecure ? 443 : 80)
        if let text = parts.port, parts.portNumber ?? 0 == 0 { throw .badPort(text) }
    }

    public var scheme: String { isSecure ? "https" : "http" }

    /// The host and port as they appear in a `Host` field; the scheme's default port is omitted.
    public var authority: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? host : "\(host):\(port)"
    }

    /// The URL without a trailing slash: an origin in the form of RFC 6454 §6.2.
    public var description: String { "\(scheme)://\(authority)" }
}

extension Refusal {
    fileprivate static func notAURL(_ text: String) -> Refusal {
        Refusal(
            TerminalText.quoted(text) + " is not a URL: specify the upstream server as https://api.example.com or "
                + "http://127.0.0.1:8080")
    }
    fileprivate static func unknownScheme(_ scheme: Substring) -> Refusal {
        Refusal(
            "the upstream URL begins with \(TerminalText.quoted(scheme)), but the proxy supports only http and https")
    }
    fileprivate static func urlWithPath(_ text: String) -> Refusal {
        Refusal(
            TerminalText.quoted(text)
                + " has a path: write only scheme, host and port; the proxy forwards every path unchanged")
    }
    fileprivate static let urlWithCredentials = Refusal(
        "the upstream URL contains a user name or password: remove it; clients send their own credentials")
    fileprivate static func badAuthority(_ text: Substring) -> Refusal {
        Refusal(
            TerminalText.quoted(text)
                + " is neither a host name nor an address; write an IPv6 address in brackets, http://[::1]:8080")
    }
    fileprivate static func badPort(_ text: Substring) -> Refusal {
        Refusal(TerminalText.quoted(text) + " is not a port: use one from 1 to 65535")
    }
}
