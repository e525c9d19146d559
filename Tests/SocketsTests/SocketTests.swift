import CLibrary
import Testing

@testable import Sockets

@Suite("Sockets and listeners")
struct SocketTests {
    private func option(_ socket: Socket, _ level: Int32, _ name: Int32) -> Int32 {
        var value: Int32 = -1
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(socket.descriptor, level, name, &value, &length)
        return value
    }

    @Test("A socket carries bytes and the end of the stream both ways", arguments: Loopback.hosts)
    func conversation(_ host: String) throws {
        let pair = try Loopback(host: host)
        defer { pair.close() }
        #expect(pair.server.receive() == .wouldBlock)
        #expect(try (pair.client.send("hello"), pair.server.receiveText()) == (.wrote(5), "hello"))
        #expect(pair.server.send("world") == .wrote(5))
        pair.server.shutdownWriting()
        #expect(try [pair.client.receiveText(), pair.client.receiveText()] == ["world", ""])
        #expect(pair.client.receive() == .endOfStream)
        #expect(try (pair.client.send("still"), pair.server.receiveText()) == (.wrote(5), "still"))
    }

    @Test("Each side of a connection reports both addresses", arguments: Loopback.hosts)
    func addresses(_ host: String) throws {
        let pair = try Loopback(host: host)
        defer { pair.close() }
        let server = try #require(pair.server.localAddress)
        #expect(server.host == host && server.port != 0 && server.isLoopback)
        #expect((pair.client.peerAddress, pair.server.peerAddress) == (server, pair.client.localAddress))
    }

    @Test("Connected and accepted sockets set no delay, non-blocking and close-on-exec")
    func options() throws {
        let pair = try Loopback()
        defer { pair.close() }
        for socket in [pair.client, pair.server] {
            #expect(option(socket, Int32(IPPROTO_TCP), TCP_NODELAY) != 0)
            #expect(fcntl(socket.descriptor, F_GETFL) & O_NONBLOCK != 0)
            #expect(fcntl(socket.descriptor, F_GETFD) & FD_CLOEXEC != 0)
        }
    }

    @Test("A full send buffer accepts part of a write and then would block")
    func partialWrite() throws {
        let pair = try Loopback()
        defer { pair.close() }
        let large = [UInt8](repeating: 1, count: 64 << 20)
        guard case .wrote(let count) = large.withUnsafeBytes({ pair.client.write($0) })
        else { throw Unexpected("nothing was written") }
        #expect(count > 0 && count < large.count)
        _ = try pair.client.fill()
        #expect(pair.client.send("x") == .wouldBlock)
        #expect(pair.client.write(UnsafeRawBufferPointer(start: nil, count: 0)) == .wrote(0))
    }

    @Test("A reset fails the other side's read with the cause", arguments: Loopback.hosts)
    func reset(_ host: String) throws {
        let pair = try Loopback(host: host)
        defer { pair.server.close() }
        pair.client.reset()
        try pair.server.waitUntil(.read)
        guard case .failed(let error) = pair.server.receive() else { throw Unexpected("the reset was not seen") }
        #expect(error.operation == .read && error.code == ECONNRESET)
        #expect(pair.server.peerAddress == nil)
    }

    @Test("Writing to a closed peer fails without SIGPIPE")
    func brokenPipe() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            unblock(SIGPIPE)
            let pair = try Loopback()
            pair.client.shutdownWriting()
            guard case .failed(let own) = pair.client.send("x") else { throw Unexpected("sent after the end") }
            #expect(own.code == EPIPE && own.operation == .write)
            pair.client.close()
            // The first write causes the reset, and later writes fail.
            pair.server.send("x")
            try pair.server.waitUntil(.read)
            _ = pair.server.receive()
            let deadline = MonotonicInstant.patience
            while case .wrote = pair.server.send("x"), .now() < deadline {}
            guard case .failed = pair.server.send("x") else { throw Unexpected("a closed peer takes bytes") }
        }
    }

    @Test("Listening on a port in use throws an error that says so", arguments: Loopback.hosts)
    func addressInUse(_ host: String) throws {
        let first = try Listener(address: SocketAddress(host: host, port: 0))
        defer { first.close() }
        let error = #expect(throws: SocketError.self) { try Listener(address: first.localAddress) }
        #expect(error?.listenerChoice == .port)
        #expect(
            error?.description
                == "cannot listen on \(first.localAddress): another process is using the port; choose another port, "
                + "or 0 for any free port")
    }

    @Test("Listening on another machine's address fails")
    func foreignAddress() throws {
        // RFC 5737 reserves 192.0.2.0/24 for documentation, so it belongs to no host.
        let address = try SocketAddress(host: "192.0.2.1", port: 0)
        let error = #expect(throws: SocketError.self) { try Listener(address: address) }
        #expect(error?.operation == .bind && error?.code == EADDRNOTAVAIL && error?.address == address)
    }

    @Test("A closed listener's port is free immediately, even with old connections")
    func restart() throws {
        let first = try Listener(address: SocketAddress(host: "127.0.0.1", port: 0))
        let pair = try Loopback(through: first)
        first.close()
        // The side that closes first keeps the port in TIME_WAIT.
        pair.server.close()
        #expect(try pair.client.receiveText() == "")
        pair.client.close()
        let second = try Listener(address: first.localAddress)
        #expect(second.localAddress == first.localAddress)
        second.close()
    }

    @Test("A listener on :: accepts IPv4 and shows the addresses as IPv4", .enabled(if: Loopback.hasIPv6))
    func dualStack() throws {
        let listener = try Listener(address: SocketAddress(host: "::", port: 0))
        defer { listener.close() }
        for host in Loopback.hosts {
            let client = try Socket.connect(to: SocketAddress(host: host, port: listener.localAddress.port))
            let server = try acceptSoon(listener)
            #expect(server.peerAddress?.host == host)
            #expect(server.peerAddress == client.localAddress)
            client.close()
            server.close()
        }
    }

    @Test("A listener accepts each of many waiting connections once")
    func backlog() throws {
        let listener = try Listener(address: SocketAddress(host: "127.0.0.1", port: 0))
        defer { listener.close() }
        let clients = try (0..<100).map { _ in try Socket.connect(to: listener.localAddress) }
        var peers: Set<SocketAddress> = []
        for client in clients {
            try client.waitUntil(.write)
            #expect(client.connectResult() == nil)
            let server = try acceptSoon(listener)
            peers.insert(try #require(server.peerAddress))
            server.close()
        }
        #expect(listener.accept() == .wouldBlock)
        #expect(peers == Set(clients.compactMap(\.localAddress)))
        clients.forEach { $0.close() }
    }
}
