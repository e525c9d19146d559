import FitIQAPI
import Foundation
import Hosting
import MockServer
import Sockets
import TLS
import TestSupport
import Testing
import Text

@testable import Proxy

@Suite("A proxy with sockets", .timeLimit(.minutes(1)))
final class RelayingHostTests {
    private let listener: Listener
    private var upstream: String { "http://\(listener.localAddress)" }

    init() throws { listener = try Listener(address: SocketAddress(host: "127.0.0.1", port: 0)) }

    deinit { listener.close() }

    private static let get = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n"
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
    private static let handshake = "GET /ws HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
    private static let accepted =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"

    private func connect(_ proxy: LocalProxy, sending text: String = get) throws -> BlockingStream {
        let client = try BlockingStream.connect(to: proxy.address)
        try client.send(text)
        return client
    }

    /// Accepts a connection of the proxy's, and reads a request's head.
    private func accept() throws -> BlockingStream {
        let server = try BlockingStream.accept(listener)
        _ = try server.receive(until: "\r\n\r\n")
        return server
    }

    /// A tunnel through the proxy, with both ends.
    private func tunnel(_ proxy: LocalProxy) throws -> (client: BlockingStream, server: BlockingStream) {
        let client = try connect(proxy, sending: Self.handshake)
        let server = try accept()
        try server.send(Self.accepted)
        #expect(try client.receive(until: "\r\n\r\n") == Self.accepted)
        return (client, server)
    }

    @Test("Requests share one upstream connection, which is replaced after the upstream closes it")
    func reconnects() throws {
        let proxy = try LocalProxy(upstream)
        let client = try connect(proxy)
        let server = try BlockingStream.accept(listener)
        let head = "GET /a HTTP/1.1\r\nHost: \(listener.localAddress)\r\n"
        #expect(try server.receive(until: "\r\n\r\n").hasPrefix(head))
        try server.send(Self.ok)
        #expect(try client.receive(until: "hi") == Self.ok)
        server.finishWriting()
        // The proxy also closes its side.
        #expect(try server.receive() == nil)
        server.close()
        try client.send("POST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi")
        let other = try BlockingStream.accept(listener)
        #expect(try other.receive(until: "hi").hasPrefix("POST /b HTTP/1.1\r\n"))
        try other.send(Self.ok)
        #expect(try client.receive(until: "hi") == Self.ok)
        client.finishWriting()
        #expect(try other.receive() == nil && client.receive() == nil)
        for wire in [client, other] { wire.close() }
    }

    @Test("A tunnel forwards the end of one stream and keeps the other stream open", arguments: [true, false])
    func halfClosed(_ byClient: Bool) throws {
        let proxy = try LocalProxy(upstream)
        let (client, server) = try tunnel(proxy)
        let (first, second) = byClient ? (client, server) : (server, client)
        try first.send("last words")
        first.finishWriting()
        #expect(try second.receiveToEnd() == "last words")
        try second.send("still here")
        second.finishWriting()
        #expect(try first.receiveToEnd() == "still here")
        for wire in [client, server] { wire.close() }
    }

    @Test("A reset on one side of a tunnel resets the other side", arguments: [true, false])
    func reset(_ byClient: Bool) throws {
        let proxy = try LocalProxy(upstream)
        let (client, server) = try tunnel(proxy)
        let (first, second) = byClient ? (client, server) : (server, client)
        first.reset()
        #expect(try second.isReset())
        second.close()
    }

    @Test("If the upstream resets during an answer, the client gets the partial answer and a reset")
    func resetWithinAnswer() throws {
        let proxy = try LocalProxy(upstream)
        let client = try connect(proxy)
        let server = try accept()
        try server.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi")
        #expect(try client.receive(until: "hi").hasSuffix("\r\n\r\nhi"))
        server.reset()
        #expect(try client.isReset())
        client.close()
    }

    @Test("A recording numbers each connection and says who ended it and whether it was reset")
    func tapped() throws {
        let tap = TapOfTests()
        let proxy = try LocalProxy(upstream, tap: tap)
        for number in 1...3 {
            let client = try connect(proxy)
            let server = try accept()
            try server.send(Self.ok)
            _ = try client.receive(until: "hi")
            switch number {
            case 1:
                client.finishWriting()
                #expect(try server.receive() == nil && client.receive() == nil)
            case 2:
                try client.send(Self.get)
                _ = try server.receive(until: "\r\n\r\n")
                try server.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")
                _ = try client.receive(until: "\r\n\r\n")
                server.reset()
                #expect(try client.isReset())
            default:
                server.finishWriting()
                #expect(try server.receive() == nil)
            }
            for wire in [client, server] { wire.close() }
        }
        proxy.stop()
        #expect(
            tap.told == [
                "1 opened: http", "1 client", "1 server", "1 ended by client", "2 opened: http", "2 client", "2 server",
                "2 client", "2 server", "2 ended by server, reset", "3 opened: http", "3 client", "3 server",
                "3 finished by server", "3 ended by server",
            ])
    }

    @Test("A repeated request is recorded on the connection that answers it", arguments: [true, false])
    func crossing(_ isReset: Bool) throws {
        let tap = TapOfTests()
        let proxy = try LocalProxy(upstream, tap: tap)
        let client = try connect(proxy)
        let first = try accept()
        try first.send(Self.ok)
        _ = try client.receive(until: "hi")
        try client.send(Self.get)
        _ = try first.receive(until: "\r\n\r\n")
        if isReset { first.reset() } else { first.close() }
        let second = try accept()
        try second.send(Self.ok)
        #expect(try client.receive(until: "hi") == Self.ok)
        client.finishWriting()
        #expect(try client.receive() == nil)
        proxy.stop()
        #expect(
            tap.told == [
                "1 opened: http", "1 client", "1 server", "1 ended by server\(isReset ? ", reset" : "")",
                "2 opened: http", "2 client", "2 server", "2 ended by client",
            ])
        for wire in [client, second] { wire.close() }
    }

    @Test("A client that does not read slows the sender down and later receives every byte")
    func backPressure() throws {
        var limits = RelayLimits()
        limits.unsentBytes = 64 * 1024
        let proxy = try LocalProxy(upstream, limits: limits)
        let (client, server) = try tunnel(proxy)
        let piece = [UInt8](repeating: 7, count: 1 << 20)
        var sent = 0
        // Write until nothing more is accepted for a while; a proxy without limits would accept everything.
        sending: while sent < 1 << 30 {
            switch piece.withUnsafeBytes({ server.socket.write($0) }) {
            case .wrote(let count): sent += count
            case .wouldBlock:
                var entry = pollfd(fd: server.socket.descriptor, events: Int16(POLLOUT), revents: 0)
                if poll(&entry, 1, 300) == 0 { break sending }
            case .failed(let error): throw error
            }
        }
        #expect(sent < 64 << 20, "The kernel holds some megabytes on each of two connections, the proxy 64 KiB.")
        server.finishWriting()
        var received = 0
        while let text = try client.receive() { received += text.utf8.count }
        #expect(received == sent)
        for wire in [client, server] { wire.close() }
    }

    @Test("An upstream without a listener immediately causes a 502")
    func unreachable() throws {
        let nowhere = try RefusingAddress()
        let proxy = try LocalProxy("http://\(nowhere.address)")
        let client = try connect(proxy, sending: Self.get + Self.get)
        var answers = ""
        while answers.components(separatedBy: "is running.\"}}").count < 3 {
            answers += try client.receive(until: "is running.\"}}")
        }
        #expect(answers.hasPrefix("HTTP/1.1 502 Bad Gateway\r\n") && answers.contains("nothing is listening there"))
        client.close()
    }

    @Test("An upstream that stalls in the handshake or does not answer causes a 504", arguments: [true, false])
    func timeouts(_ isSecure: Bool) throws {
        var limits = RelayLimits()
        limits.connectTime = .milliseconds(isSecure ? 100 : 10_000)
        limits.answerTime = .milliseconds(100)
        let proxy = try LocalProxy(isSecure ? "https://\(listener.localAddress)" : upstream, limits: limits)
        let client = try connect(proxy)
        let answer = try client.receive(until: "\"}}")
        #expect(answer.hasPrefix("HTTP/1.1 504 Gateway Timeout\r\n"))
        #expect(answer.contains(isSecure ? "could not connect" : "sent nothing for 100 ms"))
        client.close()
    }

    @Test("A client that sends nothing or half a request is disconnected on time", arguments: ["", "GET / HT"])
    func idle(_ beginning: String) throws {
        var (limits, clients) = (RelayLimits(), ServerLimits())
        (limits.idleTime, clients.idleTime) = (.milliseconds(50), .milliseconds(50))
        let proxy = try LocalProxy(upstream, limits: limits, clients: clients)
        let client = try connect(proxy, sending: beginning)
        #expect(try client.receive() == nil)
        client.close()
    }

    @Test("A tunnel may stay silent for longer than any time limit")
    func silentTunnel() throws {
        var (limits, clients) = (RelayLimits(), ServerLimits())
        (limits.idleTime, limits.answerTime, clients.idleTime) = (.seconds(1), .seconds(1), .seconds(1))
        let proxy = try LocalProxy(upstream, limits: limits, clients: clients)
        let (client, server) = try tunnel(proxy)
        // Another client's deadline passes in the meantime.
        let other = try BlockingStream.connect(to: proxy.address)
        #expect(try other.receive() == nil)
        try server.send("late")
        #expect(try client.receive(until: "late") == "late")
        for wire in [client, server, other] { wire.close() }
    }

    @Test("A client that reads its connection's last answer slowly gets the whole answer")
    func slowClient() throws {
        var (limits, clients) = (RelayLimits(), ServerLimits())
        (limits.unsentBytes, clients.closingTime) = (64 << 20, .zero)
        let proxy = try LocalProxy(upstream, limits: limits, clients: clients)
        let client = try connect(proxy, sending: "GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
        let server = try accept()
        let length = 16 << 20
        try server.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: \(length)\r\n\r\n")
        try server.send(String(repeating: "x", count: length))
        // The proxy has received all bytes and finished with the upstream before the client has read any.
        #expect(try server.receive() == nil)
        #expect(try client.receiveToEnd().utf8.count > length)
        for wire in [client, server] { wire.close() }
    }

    @Test("A client beyond the connection limit gets a 503, and the other clients continue")
    func limit() throws {
        var clients = ServerLimits()
        clients.connections = 1
        let proxy = try LocalProxy(upstream, clients: clients)
        let (client, server) = try tunnel(proxy)
        let second = try connect(proxy)
        #expect(try second.receiveToEnd().hasPrefix("HTTP/1.1 503 Service Unavailable\r\n"))
        try client.send("x")
        #expect(try server.receive(until: "x") == "x")
        for wire in [client, server, second] { wire.close() }
    }

    /// A free port for TLS, and the CA's certificate.
    static func secureEndpoint() throws -> (endpoint: SecureEndpoint, authority: [UInt8]) {
        let now = WallClock.nanosecondsSinceEpoch() / 1_000_000_000
        let authority = try CertificateAuthority.make(subject: "Tests", now: now, serial: [1])
        let identity = try authority.issue(for: CertificateName.local, now: now, serial: [2])
        let address = try SocketAddress(host: "127.0.0.1", port: 0)
        return (
            SecureEndpoint(address: address, certificates: identity.certificates, key: identity.key),
            authority.certificate
        )
    }

    @Test("Plain HTTP on the TLS port gets one answer, even beyond the connection limit", arguments: [true, false])
    func plainOnTLSPort(_ isBeyondLimit: Bool) throws {
        var clients = ServerLimits()
        clients.connections = isBeyondLimit ? 1 : 2
        let proxy = try LocalProxy(upstream, clients: clients, secure: Self.secureEndpoint().endpoint)
        let (client, server) = try tunnel(proxy)
        let second = try BlockingStream.connect(to: try #require(proxy.secureAddress))
        try second.send(Self.get)
        let answer = try second.receiveToEnd()
        #expect(answer.hasPrefix(isBeyondLimit ? "HTTP/1.1 503 " : "HTTP/1.1 400 "))
        #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2, "\(answer)")
        for wire in [client, server, second] { wire.close() }
    }

    @Test("A TLS client beyond the connection limit gets a 503")
    func limitOverTLS() throws {
        var clients = ServerLimits()
        clients.connections = 1
        let (secure, authority) = try Self.secureEndpoint()
        let proxy = try LocalProxy(upstream, clients: clients, secure: secure)
        let (client, server) = try tunnel(proxy)
        let second = try BlockingStream.connect(to: try #require(proxy.secureAddress))
        let session = TLSSession(client: try .client(trust: .only(authority)), host: "127.0.0.1")
        var answer: [UInt8] = []
        while session.phase == .handshaking || session.phase == .open {
            if case .wrote(let count) = session.withCiphertext(second.socket.write) { session.takeCiphertext(count) }
            let bytes = try second.read()
            if bytes.isEmpty { break }
            bytes.withUnsafeBytes { session.receive($0) }
            while session.readPlaintext(into: &answer, limit: 65_536) {}
        }
        #expect(String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 503 Service Unavailable\r\n"))
        #expect(session.phase == .closed)
        for wire in [client, server, second] { wire.close() }
    }

    @Test("A client's close_notify reaches the server after the server's own end, even without a FIN")
    func farewell() throws {
        let (secure, authority) = try Self.secureEndpoint()
        let proxy = try LocalProxy(upstream, secure: secure)
        let client = try BlockingStream.connect(to: try #require(proxy.secureAddress))
        let session = TLSSession(client: try .client(trust: .only(authority)), host: "127.0.0.1")
        var received: [UInt8] = []
        func exchange(until isDone: () -> Bool) throws {
            while true {
                if case .wrote(let count) = session.withCiphertext(client.socket.write) {
                    session.takeCiphertext(count)
                }
                if isDone() { return }
                try client.read().withUnsafeBytes { session.receive($0) }
                while session.readPlaintext(into: &received, limit: 65_536) {}
            }
        }
        try exchange { session.phase == .open }
        _ = Array(Self.handshake.utf8).withUnsafeBytes { session.write($0) }
        try exchange { !session.hasCiphertext }
        let server = try accept()
        try server.send(Self.accepted)
        server.finishWriting()
        try exchange { session.phase == .closed }
        #expect(String(decoding: received, as: UTF8.self) == Self.accepted)
        session.close()
        try exchange { !session.hasCiphertext }
        #expect(try server.receive() == nil)
        for wire in [client, server] { wire.close() }
    }

    @Test("A client that does not complete the TLS handshake in time is disconnected")
    func silentHandshake() throws {
        var clients = ServerLimits()
        clients.handshakeTime = .milliseconds(50)
        let proxy = try LocalProxy(upstream, clients: clients, secure: Self.secureEndpoint().endpoint)
        let client = try BlockingStream.connect(to: try #require(proxy.secureAddress))
        #expect(try client.receive() == nil)
        client.close()
    }

    @Test("An upstream that is untrusted or hangs up in the handshake causes a 502", arguments: [true, false])
    func failedHandshake(_ hasCertificate: Bool) throws {
        let proxy = try LocalProxy("https://\(listener.localAddress)")
        let client = try connect(proxy)
        let server = try BlockingStream.accept(listener)
        if hasCertificate {
            // The certificate was issued by a CA that no system trusts.
            let identity = try Self.secureEndpoint().endpoint
            let session = TLSSession(server: try .server(certificates: identity.certificates, key: identity.key))
            try server.read().withUnsafeBytes { session.receive($0) }
            _ = session.withCiphertext(server.socket.write)
        } else {
            _ = try server.receive()
            server.finishWriting()
        }
        let answer = try client.receive(until: "\"}}")
        #expect(answer.hasPrefix("HTTP/1.1 502 Bad Gateway\r\n"))
        #expect(answer.contains("cannot be trusted") == hasCertificate, "\(answer)")
        if !hasCertificate { #expect(try !server.isReset()) }
        for wire in [client, server] { wire.close() }
    }

    @Test(
        "A client that sends invalid HTTP, or TLS on the plain port, gets a 400",
        arguments: ["GARBAGE\r\n\r\n", "\u{16}"])
    func badBytes(_ bytes: String) throws {
        let proxy = try LocalProxy(upstream)
        let client = try connect(proxy, sending: bytes)
        #expect(try client.receiveToEnd().hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        client.close()
    }

    @Test("A stopping proxy waits for answers in progress and records no end for a tunnel")
    func stops() throws {
        let tap = TapOfTests()
        let proxy = try LocalProxy(upstream, tap: tap)
        let (client, server) = try tunnel(proxy)
        let other = try connect(proxy)
        let answering = try accept()
        proxy.requestStop()
        // Wait until the proxy has begun to stop and has closed its listener.
        while let late = try? BlockingStream.connect(to: proxy.address) { late.close() }
        try answering.send(Self.ok)
        #expect(try other.receive(until: "hi") == Self.ok)
        proxy.stop()
        #expect(try client.receive() == nil)
        #expect(tap.told == ["1 opened: http", "1 client", "1 server", "2 opened: http", "2 client", "2 server"])
        for wire in [client, server, other, answering] { wire.close() }
    }

    @Test("A slow lookup of the upstream's name throws an error")
    func stalledLookup() throws {
        let end = try Gate()
        defer { end.open() }
        let start = MonotonicInstant.now()
        var limits = RelayLimits()
        limits.connectTime = .milliseconds(100)
        let host = UpstreamHost(
            in: try HostLoop(listeningOn: SocketAddress(host: "127.0.0.1", port: 0), secure: nil), limits: limits)
        #expect {
            try host.resolve(UpstreamURL("http://fitiq.invalid")) { _, _ throws(SocketError) in
                end.wait()
                return []
            }
        } throws: {
            "\($0)".hasPrefix("cannot find the host \"fitiq.invalid\": ")
        }
        #expect(start.duration(to: .now()) < .seconds(30))
    }

    @Test("A proxy rejects itself as its upstream")
    func itself() throws {
        let free = try Listener(address: SocketAddress(host: "127.0.0.1", port: 0))
        let address = free.localAddress
        free.close()
        #expect { try LocalProxy.host(at: address, "http://\(address)") } throws: {
            "\($0)" == "http://\(address) is this proxy itself: use a different port or upstream"
        }
        // A different address or port on this machine is not the proxy.
        for (own, upstream) in [
            (address, "http://127.0.0.2:\(address.port)"),
            (try SocketAddress(host: "0.0.0.0", port: 0), "http://\(address)"),
        ] { #expect(throws: Never.self) { try LocalProxy.host(at: own, upstream) } }
        #expect(throws: StartError.self) {
            try LocalProxy.host(at: SocketAddress(host: "0.0.0.0", port: address.port), "http://\(address)")
        }
    }
}
