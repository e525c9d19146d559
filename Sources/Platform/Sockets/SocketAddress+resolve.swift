#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension SocketAddress {
    /// Host names are at most 253 bytes long (RFC 1035 section 2.3.4, less the length bytes).
    public static let longestHostName = 253

    /// Every address of the host, in the order in which to try them; never empty.
    ///
    /// Numeric addresses and `localhost` (127.0.0.1, then ::1: RFC 6761 section 6.3) are answered without asking
    /// anyone; other names go to getaddrinfo(3), which may block for seconds. An empty host, one that is too long and
    /// one with a NUL byte are refused as unknown.
    public static func resolve(host: String, port: UInt16) throws(SocketError) -> [SocketAddress] {
        if let known = try resolveAtOnce(host: host, port: port) { return known }
        return try lookUp(withoutBrackets(host), port: port)
    }

    /// The addresses of a host that ``resolve(host:port:)`` knows without asking; nil where it has to ask.
    public static func resolveAtOnce(host: String, port: UInt16) throws(SocketError) -> [SocketAddress]? {
        let name = withoutBrackets(host)
        guard !name.isEmpty, name.utf8.count <= longestHostName, !name.utf8.contains(0) else {
            throw SocketError(.resolve, code: EAI_NONAME, host: host)
        }
        if let ip = numeric(name) { return [SocketAddress(ip: ip, port: port)] }
        if name.utf8.elementsEqual("localhost".utf8, by: { $0 | 0x20 == $1 }) {
            return [
                SocketAddress(ip: .v4(0x7F00_0001), port: port),
                SocketAddress(ip: .v6(high: 0, low: 1, scope: 0), port: port),
            ]
        }
        return nil
    }

    /// An IPv6 address may come in the brackets that it has in a URL.
    private static func withoutBrackets(_ host: String) -> String {
        guard host.utf8.first == UInt8(ascii: "["), host.utf8.last == UInt8(ascii: "]"), host.utf8.count > 2 else {
            return host
        }
        return String(host.dropFirst().dropLast())
    }

    private static func numeric(_ name: String) -> IP? {
        var v4 = in_addr()
        if inet_pton(AF_INET, name, &v4) == 1 { return .v4(UInt32(bigEndian: v4.s_addr)) }
        var v6 = in6_addr()
        guard inet_pton(AF_INET6, name, &v6) == 1 else { return nil }
        let (high, low) = v6.words
        return .v6(high: high, low: low, scope: 0)
    }

    private static func lookUp(_ name: String, port: UInt16) throws(SocketError) -> [SocketAddress] {
        var first: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(name, nil, nil, &first)
        guard code == 0 else { throw SocketError(.resolve, code: code, host: name) }
        defer { freeaddrinfo(first) }
        var found: [SocketAddress] = []
        var next = first
        while let entry = next?.pointee {
            // Each address comes once for each socket type: keep one.
            if let bytes = entry.ai_addr,
                var address = SocketAddress(UnsafeRawBufferPointer(start: bytes, count: Int(entry.ai_addrlen)))
            {
                address.port = port
                if !found.contains(address) { found.append(address) }
            }
            next = entry.ai_next
        }
        guard !found.isEmpty else { throw SocketError(.resolve, code: EAI_NONAME, host: name) }
        return found
    }
}
