#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The address of one end of a TCP connection: an IPv4 or IPv6 address and a port.
///
/// An IPv4-mapped IPv6 address (`::ffff:127.0.0.1`, RFC 4291 section 2.5.5.2) is held as the IPv4 address that it
/// stands for, so a peer compares equal whichever listener accepted it.
public struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
    /// The address without the port, in host byte order.
    enum IP: Sendable, Hashable {
        case v4(UInt32)
        case v6(high: UInt64, low: UInt64, scope: UInt32)
    }

    let ip: IP

    /// The port; 0 asks the system for any free one when listening.
    public var port: UInt16

    init(ip: IP, port: UInt16) {
        if case .v6(high: 0, let low, _) = ip, low >> 32 == 0xFFFF {
            self.ip = .v4(UInt32(truncatingIfNeeded: low))
        } else {
            self.ip = ip
        }
        self.port = port
    }

    /// The address of the host: numeric IPv4 or IPv6 (with or without brackets), `localhost`, or a name to look up.
    ///
    /// A name with several addresses gives its first IPv4 address, otherwise its first one; use
    /// `resolve(host:port:)` to have them all. Only names other than `localhost` are looked up, which may block.
    public init(host: String, port: UInt16) throws(SocketError) {
        let all = try SocketAddress.resolve(host: host, port: port)
        // resolve(host:port:) throws rather than return no address.
        self = all.first { !$0.isIPv6 } ?? all[0]
    }

    /// Whether this is an IPv6 address.
    public var isIPv6: Bool {
        if case .v6 = ip { true } else { false }
    }

    /// Whether the address reaches this machine only: 127.0.0.0/8 (RFC 1122 section 3.2.1.3) or ::1 (RFC 4291).
    public var isLoopback: Bool {
        switch ip {
        case .v4(let address): address >> 24 == 127
        case .v6(let high, let low, _): high == 0 && low == 1
        }
    }

    /// Whether the address stands for every interface: 0.0.0.0 or ::.
    public var isUnspecified: Bool {
        switch ip {
        case .v4(let address): address == 0
        case .v6(let high, let low, _): high == 0 && low == 0
        }
    }

    /// The address without the port, in numbers and without brackets: `127.0.0.1`, `::1`, `fe80::1%2`.
    public var host: String {
        switch ip {
        case .v4(let address):
            return "\(address >> 24).\(address >> 16 & 0xFF).\(address >> 8 & 0xFF).\(address & 0xFF)"
        case .v6(let high, let low, let scope):
            var bytes = in6_addr(high: high, low: low)
            let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
                // The buffer is as long as the longest text, and the family is known: inet_ntop cannot fail.
                inet_ntop(AF_INET6, &bytes, buffer.baseAddress, socklen_t(buffer.count)).map { String(cString: $0) }
            }
            return (text ?? "::") + (scope == 0 ? "" : "%\(scope)")
        }
    }

    /// `127.0.0.1:8080` or `[::1]:8080`, as in a URL (RFC 3986 section 3.2.2).
    public var description: String {
        isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
