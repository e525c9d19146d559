#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

// To and from the C structures of ip(7) and ipv6(7). BSD's length byte is left zero: its kernel fills it in.
extension SocketAddress {
    var family: Int32 { isIPv6 ? AF_INET6 : AF_INET }

    /// Lends the address as the C structure that bind(2) and connect(2) take.
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

    /// The address in a C structure of that length; nil if it is of another family or cut short.
    init?(_ address: UnsafeRawBufferPointer) {
        guard address.count >= MemoryLayout<sockaddr>.size else { return nil }
        switch Int32(address.loadUnaligned(as: sockaddr.self).sa_family) {
        case AF_INET where address.count >= MemoryLayout<sockaddr_in>.size:
            let storage = address.loadUnaligned(as: sockaddr_in.self)
            self.init(
                ip: .v4(UInt32(bigEndian: storage.sin_addr.s_addr)), port: UInt16(bigEndian: storage.sin_port))
        case AF_INET6 where address.count >= MemoryLayout<sockaddr_in6>.size:
            let storage = address.loadUnaligned(as: sockaddr_in6.self)
            let (high, low) = storage.sin6_addr.words
            self.init(
                ip: .v6(high: high, low: low, scope: storage.sin6_scope_id),
                port: UInt16(bigEndian: storage.sin6_port))
        default:
            return nil
        }
    }

    /// What getsockname(2) or getpeername(2) says of the descriptor; nil if it fails.
    init?(
        _ descriptor: Int32, by query: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { query(descriptor, $0, &length) }
        }
        guard result == 0 else { return nil }
        let address = withUnsafeBytes(of: &storage) {
            SocketAddress(UnsafeRawBufferPointer(rebasing: $0[..<Int(length)]))
        }
        guard let address else { return nil }
        self = address
    }
}

private func lend<Storage, Result>(
    _ storage: inout Storage, to body: (UnsafePointer<sockaddr>, socklen_t) -> Result
) -> Result {
    withUnsafePointer(to: &storage) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<Storage>.size))
        }
    }
}

extension in6_addr {
    init(high: UInt64, low: UInt64) {
        self.init()
        withUnsafeMutableBytes(of: &self) { bytes in
            bytes.storeBytes(of: high.bigEndian, toByteOffset: 0, as: UInt64.self)
            bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
    }

    var words: (high: UInt64, low: UInt64) {
        withUnsafeBytes(of: self) { bytes in
            (
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }
}
