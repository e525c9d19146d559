import Text

/// The origin of a web page: scheme, host and port (RFC 6454).
///
/// Browsers send the origin in the field `Origin`. Two origins are equal if all three parts are equal.
public struct WebOrigin: Hashable, Sendable, CustomStringConvertible {
    /// The scheme in lower case; `http` for `ws` and `https` for `wss`, because some native clients send a socket's
    /// URL.
    let scheme: String
    /// A name or an IPv4 address in lower case, or an IPv6 address in its brackets.
    let host: String
    /// The port; nil for the scheme's default port.
    let port: UInt16?

    /// Reads `scheme://host[:port]` (RFC 6454 §6.2); nil for any other string, including `null`.
    public init?(_ text: String) {
        let parts = URLParts(text)
        guard let scheme = parts.scheme, let authority = parts.authority, parts.origin.utf8.count == text.utf8.count
        else { return nil }
        self.init(scheme: scheme, authority: authority)
    }

    /// The origin of a server's pages at an authority.
    ///
    /// A port with a leading zero is refused, so that each origin has only one spelling.
    init?(scheme: Substring, authority: Substring) {
        guard let parts = HostAndPort(authority), parts.hasPlainHost, parts.port == nil || parts.portNumber != nil,
            parts.port?.first != "0"
        else { return nil }
        let name = scheme.lowercased()
        self.scheme = name == "ws" ? "http" : name == "wss" ? "https" : name
        host = parts.isBracketed ? "[\(parts.host.lowercased())]" : parts.host.lowercased()
        port = parts.portNumber == Self.defaultPorts[self.scheme] ? nil : parts.portNumber
    }

    /// The origin in a browser's notation.
    public var description: String { "\(scheme)://\(host)" + (port.map { ":\($0)" } ?? "") }

    /// Whether its scheme is http or https.
    public var isOfWeb: Bool { Self.defaultPorts[scheme] != nil }

    /// Whether the host is `localhost`, `[::1]` or in 127.0.0.0/8, and the scheme is http or https.
    ///
    /// Subdomains of `localhost` do not count, because some resolvers ask other servers for them.
    var isOfThisMachine: Bool {
        isOfWeb && (host == "localhost" || host == "[::1]" || isLoopback)
    }

    /// Whether the host is an IPv4 address in 127.0.0.0/8, not a name such as `127.0.0.1.example.com`.
    private var isLoopback: Bool { host.hasPrefix("127.") && HostAndPort.isIPv4(host[...]) }

    /// Whether the host is an address or `localhost`, which DNS cannot redirect.
    var hasFixedHost: Bool { HostAndPort(host[...])?.hasFixedHost ?? false }

    private static let defaultPorts: [String: UInt16] = ["http": 80, "https": 443]  // Keys are ASCII, like `scheme`.
}

/// The value of `--allow-origin`: an origin whose pages may write and open sockets.
public enum AllowedOrigin: Hashable, Sendable {
    /// `*`: any web page, including every site that the user of this machine visits.
    case any
    /// `null`: pages that have no origin, such as files and sandboxed pages from any site.
    case null
    /// `file://`: pages in Electron and Cordova apps, and pages from any other file.
    case files
    /// One origin, such as `http://localhost:3000`.
    case origin(WebOrigin)

    /// Reads a value of the option; nil if it is invalid.
    public init?(_ text: String) {
        switch text {
        case "*": self = .any
        case "null": self = .null
        case "file://": self = .files
        default:
            guard let origin = WebOrigin(text) else { return nil }
            self = .origin(origin)
        }
    }
}
