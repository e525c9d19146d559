import Text

/// Where a backend is reached: `http://127.0.0.1:8080`, perhaps with a path that every request begins with.
public struct BaseURL: Hashable, Sendable, CustomStringConvertible {
    /// A name, an IPv4 address, or an IPv6 address without brackets.
    public let host: String
    /// 80 where the URL names none.
    public let port: UInt16
    /// Empty, or a path without a slash at its end.
    public let path: String

    /// Reads a URL.
    ///
    /// - Throws: `ClientError.badURL` for other schemes than http, for anything beside host, port and path, and for what is not
    ///   visible ASCII.
    public init(_ text: String) throws(ClientError) {
        guard text.hasPrefix("http://") else { throw .badURL(text) }
        // Both go into requests as they are.
        guard text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else { throw .badURL(text) }
        let rest = text.dropFirst("http://".count)
        let authority = rest.prefix { $0 != "/" }
        var path = rest.dropFirst(authority.count)
        while path.hasSuffix("/") { path.removeLast() }
        guard !authority.contains("@"), !path.contains("?"), !path.contains("#") else { throw .badURL(text) }

        guard let parts = HostAndPort(authority), !parts.host.isEmpty, parts.port == nil || parts.portNumber != nil
        else {
            throw .badURL(text)
        }
        host = String(parts.host)
        port = parts.portNumber ?? 80
        self.path = String(path)
    }

    /// Host and port as they stand in a `Host` field.
    public var authority: String {
        "\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    /// The URL, with its port.
    public var description: String { "http://\(authority)\(path)" }
}
