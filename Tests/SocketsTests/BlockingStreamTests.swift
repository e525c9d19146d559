import CLibrary
import TestSupport
import Testing

@testable import Sockets

@Suite("Blocking stream")
struct BlockingStreamTests {
    /// A stream and the server's end of it.
    private func connected(host: String = "127.0.0.1") throws -> (BlockingStream, Socket) {
        let listener = try Listener(address: SocketAddress(host: host, port: 0))
        defer { listener.close() }
        let port = listener.localAddress.port
        let stream = try BlockingStream.connect(host: host, port: port, timeout: .seconds(30))
        return (stream, try acceptSoon(listener))
    }

    @Test("A stream carries bytes and the end of the stream both ways", arguments: Loopback.hosts)
    func conversation(_ host: String) throws {
        let (stream, server) = try connected(host: host)
        try stream.write(Array("question".utf8), timeout: .seconds(30))
        #expect(try server.receiveText() == "question")
        server.send("answer")
        #expect(try stream.read(maximum: 3, timeout: .seconds(30)) == Array("ans".utf8))
        #expect(try stream.read(timeout: .seconds(30)) == Array("wer".utf8))
        stream.finishWriting()
        #expect(try server.receiveText() == "")
        server.close()
        #expect(try stream.read(timeout: .seconds(30)).isEmpty)
        stream.close()
        stream.close()
    }

    @Test("localhost reaches a server on either loopback address", arguments: Loopback.hosts)
    func localhost(_ host: String) throws {
        // The other address, which may be tried first, has a port without a listener.
        let nowhere = try RefusingAddress()
        let listener = try Listener(address: SocketAddress(host: host, port: host == "::1" ? nowhere.address.port : 0))
        defer { listener.close() }
        let port = listener.localAddress.port
        let stream = try BlockingStream.connect(host: "localhost", port: port, timeout: .seconds(30))
        #expect(stream.socket.peerAddress == listener.localAddress)
        try acceptSoon(listener).close()
    }

    @Test("Connecting without a listener throws an error that says so")
    func refused() throws {
        let nowhere = try RefusingAddress()
        let port = nowhere.address.port
        let error = #expect(throws: SocketError.self) {
            try BlockingStream.connect(host: "127.0.0.1", port: port, timeout: .seconds(30))
        }
        #expect(error?.code == ECONNREFUSED)
        #expect(error?.description == "cannot connect to 127.0.0.1:\(port): nothing is listening there")
    }

    @Test("A read never times out before its timeout")
    func readTimeout() throws {
        let (stream, server) = try connected()
        defer { server.close() }
        let start = MonotonicInstant.now()
        let error = #expect(throws: SocketError.self) { try stream.read(timeout: .milliseconds(5)) }
        #expect(start.duration(to: .now()) >= .milliseconds(5))
        #expect(error?.isTimeout == true && error?.operation == .read)
        server.send("late")
        #expect(try stream.read(timeout: .seconds(30)) == Array("late".utf8))
    }

    @Test("A blocked write times out")
    func writeTimeout() throws {
        let (stream, server) = try connected()
        defer { server.close() }
        let large = [UInt8](repeating: 1, count: 64 << 20)
        let error = #expect(throws: SocketError.self) { try stream.write(large, timeout: .milliseconds(20)) }
        #expect(error?.isTimeout == true && error?.operation == .write)
        #expect(error?.address == stream.socket.peerAddress)
    }

    @Test("A large write arrives whole while the other side reads")
    func largeWrite() throws {
        let (stream, server) = try connected()
        let large = (0..<(8 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let reader = BlockingReader(server)
        reader.start()
        try stream.write(large, timeout: .seconds(30))
        stream.close()
        #expect(reader.finish() == large)
        server.close()
    }

    @Test("A reset throws an error with the address")
    func reset() throws {
        let (stream, server) = try connected()
        let address = try #require(stream.socket.peerAddress)
        server.reset()
        let error = #expect(throws: SocketError.self) { try stream.read(timeout: .seconds(30)) }
        #expect(error?.description == "cannot read from \(address): the other side reset the connection")
    }

    #if os(Linux)
        @Test("Connecting to a silent server times out")
        func connectTimeout() throws {
            // Once more connections are waiting than the backlog allows, Linux drops further attempts.
            let listener = try Listener(address: SocketAddress(host: "127.0.0.1", port: 0), backlog: 0)
            defer { listener.close() }
            let address = listener.localAddress
            let waiting = try Socket.connect(to: address)
            defer { waiting.close() }
            try waiting.waitUntil(.write)
            let error = #expect(throws: SocketError.self) {
                _ = try (0..<3).map { _ in try BlockingStream.connect(to: address, timeout: .milliseconds(20)) }
            }
            #expect(error?.description == "cannot connect to \(address): no answer within the time limit")
        }
    #endif
}
