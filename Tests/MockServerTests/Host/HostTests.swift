import Foundation
import JSON
import Scenarios
import TestSupport
import Testing

@testable import Hosting
@testable import MockServer
@testable import Sockets

@Suite("The host over real sockets", .serialized)
struct HostTests {
    /// Whether this machine supports IPv6 at all; many containers do not.
    static let hasIPv6: Bool = {
        guard let address = try? SocketAddress(host: "::1", port: 0), let listener = try? Listener(address: address)
        else { return false }
        listener.close()
        return true
    }()

    static let hosts = hasIPv6 ? ["127.0.0.1", "::1", "::"] : ["127.0.0.1", "0.0.0.0"]

    @Test(
        "A client can send requests, chat and close its socket over a real connection",
        arguments: EventQueue.Kind.allCases, hosts)
    func roundTrip(kind: EventQueue.Kind, name: String) throws {
        let server = try RunningHost(kind, on: name)
        let loopback = try SocketAddress(
            host: name == "::" ? "::1" : name == "0.0.0.0" ? "127.0.0.1" : name, port: server.address.port)
        let client = try HostClient(loopback)
        #expect(try client.exchange(Request()).text == #"{"status":"ok"}"#)
        // A local client needs no token, regardless of where the server listens.
        #expect(try client.exchange(Request(target: "/__admin/health")).status == 200)
        let created = try client.exchange(.create(as: TestUser.anna))
        #expect(created.status == 201)
        let id = try #require(created.json?["data"]?["id"]?.string)
        let avatar = try #require(created.json?["persona"]?["avatar"]?.string)
        let authority = name == "::" || name == "0.0.0.0" ? "localhost:\(loopback.port)" : loopback.description
        #expect(avatar == "http://\(authority)/avatars/nutritionist.svg")

        try client.upgrade(.handshake("/api/v1/consultations/\(id)/ws", as: TestUser.anna))
        let types = try client.ask("hello")
        #expect(types.prefix(2) == ["connected", "message_received"] && types.count > 3)
        try client.close()
        #expect(try client.next() == .closing(code: .normalClosure, reason: ""))
        #expect(try client.next() == nil)
        try server.shutDown()
    }

    @Test(
        "The host serves a thousand simultaneous connections and frees their slots",
        arguments: EventQueue.Kind.allCases)
    func thousand(kind: EventQueue.Kind) throws {
        CurrentProcess.raiseFileDescriptorLimit(to: 8192)
        let server = try RunningHost(kind)
        let watcher = try server.connect()
        var clients = try (0..<1000).map { _ in try server.connect() }
        for client in clients { try client.write(Request().bytes) }
        for client in clients { #expect(try client.response().status == 200) }
        func connections() throws -> JSONValue? {
            try watcher.exchange(Request(target: "/__admin/health")).json?["connections"]
        }
        #expect(try connections() == 1001)
        for client in clients { client.stream.close() }
        clients = []
        try server.untilServed(connections: 1)
        #expect(try connections() == 1 && server.onLoop { $0.engine.connections.places.count } == 1001)
        try server.shutDown()
    }

    @Test("The host immediately detects that a waiting client has closed", arguments: EventQueue.Kind.allCases)
    func leavers(kind: EventQueue.Kind) throws {
        let server = try RunningHost(kind)
        let (one, waiting, held) = (try server.connect(), try server.connect(), try server.connect())
        let breakpoint = #"{"on":"request","match":{"endpoint":"GET /api/v1/goals"}}"#
        #expect(try one.exchange(Request(method: .post, target: "/__admin/breakpoints").json(breakpoint)).status == 201)
        let wait = #"{"for":{"status":404},"within":"10m"}"#
        try waiting.write(Request(method: .post, target: "/__admin/wait").json(wait).bytes)
        try held.write(Request.goals.bytes)
        let deadline = MonotonicInstant.now().advanced(by: RunningHost.patience)
        func arePlacesTaken() throws -> Bool {
            try server.onLoop { $0.engine.followers.count == 1 && $0.engine.defaultWorld.live?.holds.things.count == 1 }
        }
        while try !arePlacesTaken(), MonotonicInstant.now() < deadline {}
        #expect(try arePlacesTaken())
        waiting.stream.close()
        held.stream.close()
        try server.untilServed(connections: 1)
        let journal = try one.exchange(Request(target: "/__admin/journal")).text
        #expect(journal.contains(#""action":"left""#), "\(journal)")
        try server.shutDown()
    }

    @Test("A client that leaves before it is served does not count as local", arguments: EventQueue.Kind.allCases)
    func goneBefore(kind: EventQueue.Kind) throws {
        let server = try RunningHost(kind, on: "0.0.0.0")
        let address = try SocketAddress(host: "127.0.0.1", port: server.address.port)
        // The closure runs on the server's thread, which accepts no client in the meantime.
        let areLocal = try server.onLoop { host -> [Bool] in
            guard let port = host.loop.ports.first, let client = try? BlockingStream.connect(to: address) else {
                return [true]
            }
            client.reset()
            // Some systems do not accept a connection that the client has already closed.
            guard case .accepted(let socket) = port.listener.accept() else { return [] }
            let deadline = MonotonicInstant.now().advanced(by: RunningHost.patience)
            while socket.peerAddress != nil, MonotonicInstant.now() < deadline {}
            host.begin(socket, at: port, .now())
            return host.engine.connections.map(\.isLocal)
        }
        #expect(!areLocal.contains(true))
        try server.shutDown()
    }

    @Test("A delayed last answer precedes the end of the stream", arguments: EventQueue.Kind.allCases, [false, true])
    func lateLastAnswer(kind: EventQueue.Kind, isSecure: Bool) throws {
        let scenario = try Scenario.read("{name: late, faults: [{on: any, delay: 10ms}]}")
        let (server, client) = try RunningHost.connected(kind, isSecure: isSecure) { $0.scenario = scenario }
        let request = Request.authorized(.get, "/api/v1/goals").with("Connection: close")
        #expect(try client.exchange(request).status == 200)
        #expect(try client.read().isEmpty)
        try server.shutDown()
    }

    @Test(
        "A connection over the limit gets a 503, and the host resets any more connections",
        arguments: EventQueue.Kind.allCases)
    func overTheLimit(kind: EventQueue.Kind) throws {
        let server = try RunningHost(kind) {
            $0.limits.closingTime = .seconds(60)
            $0.limits.shutdownTime = .zero
            $0.limits.connections = 2
            $0.limits.refusedConnections = 1
        }
        let served = try (0..<2).map { _ in try server.connect() }
        for client in served { #expect(try client.exchange(Request()).status == 200) }
        let refused = try server.connect()
        #expect(try refused.response().status == 503)
        // The connection lingers until it is closed, so there is no room for the next one.
        #expect(throws: SocketError.self) {
            let outright = try server.connect()
            while try !outright.read().isEmpty {}
        }
        for client in served { #expect(try client.exchange(Request()).status == 200) }
        try server.shutDown()
    }

    #if os(Linux)
        // This cannot happen with poll(2), which watches any descriptor.
        @Test("The host drops a connection over the limit that it cannot watch")
        func unwatched() throws {
            let (server, client) = try RunningHost.connected(.epoll) { $0.limits.connections = 1 }
            #expect(try client.exchange(Request()).status == 200)
            let count = try server.onLoop { host in
                host.begin(Socket(descriptor: open("/dev/null", O_RDONLY)), at: host.loop.ports[0], .now())
                return host.engine.connections.count
            }
            #expect(count == 1)
            #expect(try client.exchange(Request()).status == 200)
            try server.shutDown()
        }

        // On other systems, shutdown(2) does not affect a listener.
        @Test("A broken listener stops the server, which throws the reason", arguments: EventQueue.Kind.allCases)
        func brokenListener(kind: EventQueue.Kind) throws {
            let server = try RunningHost(kind)
            try server.onLoop { _ = shutdown($0.loop.ports[0].listener.descriptor, Int32(SHUT_RD)) }
            let error = #expect(throws: SocketError.self) { try server.join() }
            #expect(error?.operation == .accept && error?.code == EINVAL)
        }
    #endif

    @Test("Starting on a port in use fails with advice", arguments: EventQueue.Kind.allCases)
    func portInUse(kind: EventQueue.Kind) throws {
        let server = try RunningHost(kind)
        let address = server.address
        let error = #expect(throws: StartError.self) {
            _ = try MockServer.Host(listeningOn: address, queueKind: kind, configuration: Engine.Configuration())
        }
        #expect(error?.description == StartError.portInUse(address))
        try server.shutDown()
    }

    @Test("A client that sends a large request before it reads gets the answer", arguments: EventQueue.Kind.allCases)
    func refusedUpload(kind: EventQueue.Kind) throws {
        let (server, client) = try RunningHost.connected(kind) { $0.limits.closingTime = .seconds(30) }
        try client.write(Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4000000\r\n\r\n".utf8))
        try client.write([UInt8](repeating: 0x20, count: 4_000_000))
        #expect(try client.response().status == 413)
        #expect(try client.read().isEmpty)
        client.stream.close()
        try server.shutDown()
    }

    @Test(
        "A client that pipelines many requests and finishes before it reads gets every answer",
        arguments: EventQueue.Kind.allCases, [false, true])
    func halfClose(kind: EventQueue.Kind, isSecure: Bool) throws {
        let (server, client) = try RunningHost.connected(kind, isSecure: isSecure)
        try client.write((0..<300).flatMap { _ in Request.quickActions.bytes })
        if isSecure {
            client.tls?.close()
            try client.flush()
        } else {
            client.stream.finishWriting()
        }
        for _ in 0..<300 { #expect(try client.response().status == 200) }
        #expect(try client.read().isEmpty)
        #expect(client.tls?.phase == (isSecure ? .closed : nil))
        try server.shutDown()
    }

    @Test("The loop sleeps until an idle connection's time-out", arguments: EventQueue.Kind.allCases)
    func idle(kind: EventQueue.Kind) throws {
        let (server, client) = try RunningHost.connected(kind) { $0.limits.idleTime = .seconds(3) }
        #expect(try client.exchange(Request()).status == 200)
        #expect(try server.turns(untilEndOf: client) < 20)
        try server.shutDown()
    }

    @Test(
        "A client that never reads and a half-closed client do not make the loop spin",
        arguments: EventQueue.Kind.allCases)
    func noSpinning(kind: EventQueue.Kind) throws {
        let server = try RunningHost(kind) { $0.limits.idleTime = .seconds(4) }
        let (neverReader, halfClosed) = (try server.echo(), try server.echo())
        for client in [neverReader, halfClosed] { client.fillBuffers(patience: .milliseconds(500)) }
        halfClosed.stream.finishWriting()
        let watch = try server.connect()
        #expect(try watch.exchange(Request()).status == 200)
        // On a busy machine, a few hundred pieces may be left to read; spinning takes more than two thousand turns.
        #expect(try server.turns(untilEndOf: watch) < 1000)
        // Both clients' connections were reset, so unread bytes are lost.
        for client in [neverReader, halfClosed] {
            #expect(throws: SocketError.self) { while try !client.read().isEmpty {} }
        }
        try server.shutDown()
    }
}
