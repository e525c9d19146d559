import Testing

@testable import Sockets

@Suite("The address on the local network")
struct LocalNetworkTests {
    @Test(
        "Home networks precede office networks and container bridges",
        arguments: [
            (["172.17.0.1", "10.0.0.7", "192.168.1.20"], "192.168.1.20"), (["172.17.0.1", "10.0.0.7"], "10.0.0.7"),
            (["172.31.0.1", "203.0.113.9"], "203.0.113.9"), (["172.16.0.2"], "172.16.0.2"),
            (["192.168.1.20", "192.168.1.21"], "192.168.1.20"), (["169.254.7.7"], nil),
            (["169.254.7.7", "11.0.0.1"], "11.0.0.1"), (["fd00::1"], nil), ([], nil),
        ] as [([String], String?)])
    func nearest(_ hosts: [String], _ wanted: String?) throws {
        let addresses = try hosts.map { host in try SocketAddress(host: host, port: 80) }
        #expect(SocketAddress.nearest(addresses)?.host == wanted)
    }

    @Test("The system's address has the port and is neither loopback nor a wildcard")
    func system() {
        guard let address = SocketAddress.ofLocalNetwork(port: 8080) else { return }
        #expect(address.port == 8080 && !address.isLoopback && !address.isUnspecified && !address.isIPv6)
    }
}
