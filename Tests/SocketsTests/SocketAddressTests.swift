import Testing

@testable import Sockets

@Suite("Socket addresses")
struct SocketAddressTests {
    @Test(
        "Numeric hosts and localhost do not need a lookup",
        arguments: [
            ("127.0.0.1", "127.0.0.1:80"), ("0.0.0.0", "0.0.0.0:80"), ("255.255.255.255", "255.255.255.255:80"),
            ("10.1.2.3", "10.1.2.3:80"), ("::1", "[::1]:80"), ("[::1]", "[::1]:80"), ("::", "[::]:80"),
            ("[::]", "[::]:80"), ("2001:DB8:0:0:0:0:0:1", "[2001:db8::1]:80"), ("::ffff:127.0.0.1", "127.0.0.1:80"),
            ("localhost", "127.0.0.1:80"), ("LocalHost", "127.0.0.1:80"),
        ])
    func numeric(_ host: String, _ description: String) throws {
        let address = try SocketAddress(host: host, port: 80)
        #expect(address.description == description)
        #expect(try SocketAddress(host: address.host, port: 80) == address)
    }

    @Test(
        "Hosts that are not numeric need the resolver",
        arguments: [("127.1", "127.0.0.1:80"), ("fe80::1%1", "[fe80::1%1]:80")])
    func lookedUp(_ host: String, _ description: String) throws {
        #expect(try SocketAddress(host: host, port: 80).description == description)
        #expect(try SocketAddress.resolve(host: host, port: 80).count == 1)
    }

    @Test("localhost resolves to both loopback addresses, IPv4 first")
    func localhost() throws {
        #expect(try SocketAddress.resolve(host: "localhost", port: 1).map(\.description) == ["127.0.0.1:1", "[::1]:1"])
    }

    @Test(
        "Resolving an unknown host throws",
        arguments: [
            "", "[]", "no such host", "127.0.0.1\0.example.com", "::1\0", "[::1", String(repeating: "a", count: 254),
        ])
    func unknown(_ host: String) {
        let error = #expect(throws: SocketError.self) { try SocketAddress(host: host, port: 80) }
        #expect(error?.operation == .resolve)
        #expect(error?.description.hasPrefix("cannot find the host \"") == true)
    }

    @Test("A lookup accepts a name of 253 bytes and rejects a longer name")
    func longest() throws {
        let longest = String(repeating: "a", count: 253)
        #expect(try SocketAddress.resolveAtOnce(host: longest, port: 80) == nil)
        #expect(throws: SocketError.self) { try SocketAddress.resolveAtOnce(host: longest + "a", port: 80) }
    }

    @Test(
        "An address reports whether it is loopback or unspecified",
        arguments: [
            ("127.0.0.1", true, false), ("127.255.0.9", true, false), ("::1", true, false),
            ("::ffff:127.0.0.1", true, false), ("0.0.0.0", false, true), ("::", false, true),
            ("128.0.0.1", false, false), ("::2", false, false), ("10.0.0.1", false, false),
        ])
    func kinds(_ host: String, _ isLoopback: Bool, _ isUnspecified: Bool) throws {
        let address = try SocketAddress(host: host, port: 0)
        #expect((address.isLoopback, address.isUnspecified) == (isLoopback, isUnspecified))
    }

    @Test(
        "Addresses convert to C structures and back unless the structure is truncated",
        arguments: ["1.2.3.4", "2001:db8::1:2:3", "fe80::9%1"])
    func structures(_ host: String) throws {
        let address = try SocketAddress(host: host, port: 0x1234)
        address.withSockaddr { pointer, length in
            let bytes = UnsafeRawBufferPointer(start: pointer, count: Int(length))
            #expect(SocketAddress(bytes) == address)
            for count in 0..<bytes.count {
                #expect(SocketAddress(UnsafeRawBufferPointer(rebasing: bytes[..<count])) == nil)
            }
        }
        #expect([UInt8](repeating: 0, count: 128).withUnsafeBytes { SocketAddress($0) } == nil)
    }
}
