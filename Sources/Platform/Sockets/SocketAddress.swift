import CLibrary

/// The address of one end of a TCP connection: an IPv4 or IPv6 address and a port.
///
/// An IPv4-mapped IPv6 address (`::ffff:127.0.0.1`, RFC 4291 section 2.5.5.2) is stored as its IPv4 address, so that a
/// peer's address does not depend on the listener.
public struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
    /// The address without the port, in host byte order.
    enum IP: Sendable, Hashable {
        case v4(UInt32)
        case v6(high: UInt64, low: UInt64, scope: UInt32)
    }

    let ip: IP
    /// The port; a listener on port 0 gets a free port.
    public var port: UInt16

    init(ip: IP, port: UInt16) {
        self.ip = if case .v6(0, let low, _) = ip, low >> 32 == 0xFFFF { .v4(UInt32(low & 0xFFFF_FFFF)) } else { ip }
        self.port = port
    }

    /// The address of a host: numeric IPv4 or IPv6 (with or without brackets), `localhost`, or a name to look up.
    ///
    /// If there are several, this is the preferred one; `resolve(host:port:)` returns all of them. The lookup of a name
    /// may block.
    public init(host: String, port: UInt16) throws(SocketError) {
        self = SocketAddress.preferred(in: try SocketAddress.resolve(host: host, port: port))
    }

    /// The first IPv4 address of a host or, if it has none, its first address.
    public static func preferred(in addresses: [SocketAddress]) -> SocketAddress {
        // resolve(host:port:) never returns an empty array.
        addresses.first { !$0.isIPv6 } ?? addresses[0]
    }

    public var isIPv6: Bool { if case .v6 = ip { true } else { false } }

    /// Whether the address is local to this machine: 127.0.0.0/8 (RFC 1122 section 3.2.1.3) or ::1 (RFC 4291).
    public var isLoopback: Bool {
        switch ip {
        case .v4(let address): address >> 24 == 127
        case .v6(let high, let low, _): high == 0 && low == 1
        }
    }

    /// Whether the address means all interfaces: 0.0.0.0 or ::.
    public var isUnspecified: Bool {
        switch ip {
        case .v4(let address): address == 0
        case .v6(let high, let low, _): high == 0 && low == 0
        }
    }

    /// The numeric address without the port and without brackets: `127.0.0.1`, `::1`, `fe80::1%2`.
    public var host: String {
        switch ip {
        case .v4(let address):
            return "\(address >> 24).\(address >> 16 & 0xFF).\(address >> 8 & 0xFF).\(address & 0xFF)"
        case .v6(let high, let low, let scope):
            var bytes = in6_addr(high: high, low: low)
            let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
                // inet_ntop cannot fail: the buffer fits the longest text, and the family is known.
                inet_ntop(AF_INET6, &bytes, buffer.baseAddress, socklen_t(buffer.count)).map { String(cString: $0) }
            }
            return (text ?? "::") + (scope == 0 ? "" : "%\(scope)")
        }
    }

    /// `127.0.0.1:8080` or `[::1]:8080`, as in a URL (RFC 3986 section 3.2.2).
    public var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension SocketAddress {
    /// The maximum length of a host name in bytes (RFC 1035 section 2.3.4, minus the length bytes).
    public static let longestHostName = 253

    /// All addresses of the host, in the order to try them; never empty.
    ///
    /// Numeric addresses and `localhost` (127.0.0.1, then ::1: RFC 6761 section 6.3) are resolved locally; other names
    /// are passed to getaddrinfo(3), which may block for seconds. Host names that are empty, too long, or contain a NUL
    /// byte are rejected as unknown.
    public static func resolve(host: String, port: UInt16) throws(SocketError) -> [SocketAddress] {
        if let known = try resolveAtOnce(host: host, port: port) { return known }
        return try lookUp(withoutBrackets(host), port: port)
    }

    /// The addresses of a host if ``resolve(host:port:)`` needs no lookup for it, otherwise nil.
    public static func resolveAtOnce(host: String, port: UInt16) throws(SocketError) -> [SocketAddress]? {
        let name = withoutBrackets(host)
        guard !name.isEmpty, name.utf8.count <= longestHostName, !name.utf8.contains(0) else {
            throw SocketError(.resolve, code: EAI_NONAME, host: host)
        }
        if let ip = numeric(name) { return [SocketAddress(ip: ip, port: port)] }
        if name.utf8.elementsEqual("localhost".utf8, by: { $0 | 0x20 == $1 }) {
            return [IP.v4(0x7F00_0001), .v6(high: 0, low: 1, scope: 0)].map { SocketAddress(ip: $0, port: port) }
        }
        return nil
    }

    /// Removes the brackets of an IPv6 address in a URL.
    private static func withoutBrackets(_ host: String) -> String {
        let isBracketed = host.utf8.first == UInt8(ascii: "[") && host.utf8.last == UInt8(ascii: "]")
        return isBracketed ? String(host.dropFirst().dropLast()) : host
    }

    private static func numeric(_ name: String) -> IP? {
        var v4 = in_addr()
        if inet_pton(AF_INET, name, &v4) == 1 { return .v4(UInt32(bigEndian: v4.s_addr)) }
        var v6 = in6_addr()
        return inet_pton(AF_INET6, name, &v6) == 1 ? .v6(high: v6.words.high, low: v6.words.low, scope: 0) : nil
    }

    private static func lookUp(_ name: String, port: UInt16) throws(SocketError) -> [SocketAddress] {
        var first: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(name, nil, nil, &first)
        guard code == 0 else { throw SocketError(.resolve, code: code, host: name) }
        defer { freeaddrinfo(first) }
        var found: [SocketAddress] = []
        var next = first
        while let entry = next?.pointee {
            // getaddrinfo returns each address once per socket type; keep one.
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

// Conversion to and from the C structures of ip(7) and ipv6(7). BSD's length byte stays zero: its kernel fills it in.
extension SocketAddress {
    var family: Int32 { isIPv6 ? AF_INET6 : AF_INET }

    /// Passes the address to a closure as the C structure for bind(2) and connect(2).
    func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        switch ip {
        case .v4(let address):
            var storage = sockaddr_in()
            storage.sin_family = sa_family_t(AF_INET)
            storage.sin_port = port.bigEndian
            storage.sin_addr.s_addr = address.bigEndian
            return lend(&storage, to: body)
        case .v6(let high, let low, let scope):
            var storage = sockaddr_in6()
            storage.sin6_family = sa_family_t(AF_INET6)
            storage.sin6_port = port.bigEndian
            storage.sin6_addr = in6_addr(high: high, low: low)
            storage.sin6_scope_id = scope
            return lend(&storage, to: body)
        }
    }

    /// The address in a C structure; nil if it is of a different family or truncated.
    init?(_ address: UnsafeRawBufferPointer) {
        guard address.count >= MemoryLayout<sockaddr>.size else { return nil }
        switch Int32(address.loadUnaligned(as: sockaddr.self).sa_family) {
        case AF_INET where address.count >= MemoryLayout<sockaddr_in>.size:
            let storage = address.loadUnaligned(as: sockaddr_in.self)
            self.init(ip: .v4(UInt32(bigEndian: storage.sin_addr.s_addr)), port: UInt16(bigEndian: storage.sin_port))
        case AF_INET6 where address.count >= MemoryLayout<sockaddr_in6>.size:
            let storage = address.loadUnaligned(as: sockaddr_in6.self)
            let (high, low) = storage.sin6_addr.words
            let ip = IP.v6(high: high, low: low, scope: storage.sin6_scope_id)
            self.init(ip: ip, port: UInt16(bigEndian: storage.sin6_port))
        default: return nil
        }
    }

    /// The result of getsockname(2) or getpeername(2) for the descriptor; nil if the call fails.
    init?(
        _ descriptor: Int32, by query: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { query(descriptor, $0, &length) }
        }
        guard result == 0,
            let address = withUnsafeBytes(of: storage, { Self(UnsafeRawBufferPointer(rebasing: $0[..<Int(length)])) })
        else { return nil }
        self = address
    }
}

private func lend<Storage, Result>(
    _ storage: inout Storage, to body: (UnsafePointer<sockaddr>, socklen_t) -> Result
) -> Result {
    withUnsafePointer(to: &storage) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<Storage>.size)) }
    }
}

extension in6_addr {
    init(high: UInt64, low: UInt64) { self = unsafeBitCast((high.bigEndian, low.bigEndian), to: in6_addr.self) }

    var words: (high: UInt64, low: UInt64) {
        let (high, low) = unsafeBitCast(self, to: (UInt64, UInt64).self)
        return (UInt64(bigEndian: high), UInt64(bigEndian: low))
    }
}
