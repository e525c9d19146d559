import CLibrary

extension SocketAddress {
    /// This machine's IPv4 address on the local network, from getifaddrs(3); nil if it has none.
    public static func ofLocalNetwork(port: UInt16) -> SocketAddress? {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return nil }
        defer { freeifaddrs(first) }
        var found: [SocketAddress] = []
        var next = first
        while let entry = next?.pointee {
            next = entry.ifa_next
            // Point-to-point interfaces are tunnels to other networks.
            let states = entry.ifa_flags & UInt32(IFF_UP | IFF_RUNNING | IFF_LOOPBACK | IFF_POINTOPOINT)
            guard states == UInt32(IFF_UP | IFF_RUNNING), let address = entry.ifa_addr,
                Int32(address.pointee.sa_family) == AF_INET,
                var own = SocketAddress(UnsafeRawBufferPointer(start: address, count: MemoryLayout<sockaddr_in>.size))
            else { continue }
            own.port = port
            found.append(own)
        }
        return nearest(found)
    }

    /// The address most likely to be on a home or office network; container bridges often use 172.16.0.0/12.
    ///
    /// Link-local addresses (169.254.0.0/16, RFC 3927) are ignored.
    static func nearest(_ addresses: [SocketAddress]) -> SocketAddress? {
        func rank(_ address: SocketAddress) -> Int? {
            guard case .v4(let bits) = address.ip, bits >> 16 != 0xA9FE else { return nil }
            return bits >> 16 == 0xC0A8 ? 0 : bits >> 24 == 10 ? 1 : bits >> 20 == 0xAC1 ? 3 : 2
        }
        return addresses.compactMap { address in rank(address).map { ($0, address) } }.min { $0.0 < $1.0 }?.1
    }
}
