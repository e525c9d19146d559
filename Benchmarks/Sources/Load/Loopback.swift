import Glibc

/// Sockets on 127.0.0.1; no other host is possible.
public enum Loopback {
    /// A TCP port that was free a moment ago, chosen by the system.
    public static func freePort() throws -> UInt16 {
        let descriptor = try open()
        defer { close(descriptor) }
        var address = address(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let named = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard named else { throw LoadError.lastCall("bind") }
        return UInt16(bigEndian: address.sin_port)
    }

    /// A connected blocking socket with TCP_NODELAY and a receive time limit of ten seconds.
    public static func connect(port: UInt16) throws -> Int32 {
        let descriptor = try open()
        guard startConnect(descriptor, port: port) == 0 else {
            defer { close(descriptor) }
            throw LoadError.lastCall("connect to port \(port)")
        }
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        return descriptor
    }

    /// A connected or connecting socket that never blocks, with TCP_NODELAY.
    public static func connectWithoutWaiting(port: UInt16) throws -> Int32 {
        let descriptor = try open(flags: Int32(SOCK_NONBLOCK.rawValue))
        guard startConnect(descriptor, port: port) == 0 || errno == EINPROGRESS else {
            defer { close(descriptor) }
            throw LoadError.lastCall("connect to port \(port)")
        }
        return descriptor
    }

    private static func open(flags: Int32 = 0) throws -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | flags
        let descriptor = socket(AF_INET, type, 0)
        guard descriptor >= 0 else { throw LoadError.lastCall("socket") }
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        return descriptor
    }

    private static func startConnect(_ descriptor: Int32, port: UInt16) -> Int32 {
        var address = address(port: port)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}

/// Nanoseconds of the clock that never steps back.
public func monotonicNanoseconds() -> UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
}
