import Foundation
import Hosting
import Scenarios
import Sockets
import Synchronization
import TLS
import TestSupport
import Testing
import WebSocket

@testable import MockServer

@Suite("The host over TLS", .serialized)
struct SecureHostTests {
    @Test(
        "https and wss share the state of http and ws but return their own URLs",
        arguments: EventQueue.Kind.allCases, TLSVersion.allCases)
    func sharedState(kind: EventQueue.Kind, version: TLSVersion) throws {
        let server = try RunningHost(kind, isSecure: true)
        let secureAddress = try #require(server.secureAddress)
        let client = try server.connectSecurely([version])
        #expect(client.tls?.version == version)
        let created = try client.exchange(.create(as: TestUser.anna))
        #expect(created.status == 201)
        let id = try #require(created.json?["data"]?["id"]?.string)
        #expect(created.json?["persona"]?["avatar"]?.string == "https://\(secureAddress)/avatars/nutritionist.svg")

        let plain = try server.connect()
        #expect(try plain.exchange(.create(as: TestUser.anna)).status == 409)
        let seen = try plain.exchange(.authorized(.get, "/api/v1/consultations/\(id)", as: TestUser.anna))
        #expect(seen.json?["persona"]?["avatar"]?.string == "http://\(server.address)/avatars/nutritionist.svg")
        let world = try client.exchange(Request(target: "/__admin/worlds")).json?["worlds"]?[0]
        #expect(world?["url"] == .string("https://\(secureAddress)"))
        #expect(world?["ws_url"] == .string("wss://\(secureAddress)"))

        try client.upgrade(.handshake("/api/v1/consultations/\(id)/ws", as: TestUser.anna))
        #expect(try client.ask("hello").starts(with: ["connected", "message_received"]))
        let history = try plain.exchange(.authorized(.get, "/api/v1/consultations/\(id)/messages", as: TestUser.anna))
        #expect(history.json?["data"]?["messages"]?.array?.count == 2)
        try client.close()
        #expect(try client.next() == .closing(code: .normalClosure, reason: ""))
        #expect(try client.next() == nil)
        #expect(client.tls?.phase == .closed, "The server says farewell before it closes.")
        try server.shutDown()
    }

    @Test("The server does not rewrite a client's text that looks like an avatar's URL")
    func quotations() throws {
        let (server, client) = try RunningHost.connected(.platformDefault, isSecure: true)
        let title = #"\"avatar\":\"http://\#(server.address)/avatars/x\""#
        let body = #"{"title":"\#(title)","description":"","targetDate":"2030-01-01T00:00:00Z"}"#
        let created = try client.exchange(.authorized(.post, "/api/v1/goals").json(body))
        #expect(created.status == 201 && created.text.contains(#""title":"\#(title)""#))
        try server.shutDown()
    }

    @Test("A client that sends megabytes before it reads gets megabytes back", arguments: TLSVersion.allCases)
    func muchData(version: TLSVersion) throws {
        let server = try RunningHost(.platformDefault, isSecure: true)
        let client = try server.connectSecurely([version])
        try client.upgrade(.handshake("/__admin/echo"))
        let messages = (0..<3).map { number in String(repeating: "\(number)äöü", count: 150_000) }
        for message in messages { try client.send(message) }
        for message in messages { #expect(try client.next() == .text(Array(message.utf8))) }
        try client.close()
        #expect(try client.next() == .closing(code: .normalClosure, reason: ""))
        try server.shutDown()
    }

    @Test("A TLS handshake in single bytes succeeds", arguments: EventQueue.Kind.allCases)
    func singleBytes(kind: EventQueue.Kind) throws {
        let server = try RunningHost(kind, isSecure: true)
        let client = try HostClient(
            try #require(server.secureAddress), tls: .client(trust: .only(SecureIdentity.ca)), piece: 1)
        #expect(try client.exchange(Request()).status == 200)
        try server.shutDown()
    }

    @Test("The server sends close_notify after a connection's last response", arguments: EventQueue.Kind.allCases)
    func farewell(kind: EventQueue.Kind) throws {
        let (server, client) = try RunningHost.connected(kind, isSecure: true)
        #expect(try client.exchange(Request(fields: ["Connection: close"])).status == 200)
        #expect(try client.read().isEmpty && client.tls?.phase == .closed)
        try server.shutDown()
    }

    @Test(
        "A broken record counts as a TLS failure unless it follows the server's close_notify", arguments: [false, true])
    func brokenRecord(isAfterFarewell: Bool) throws {
        let server = try RunningHost(.platformDefault, isSecure: true)
        let failures = Mutex(0)
        try server.onLoop { host in
            host.engine.observe = { if case .tlsFailed = $0 { failures.withLock { $0 += 1 } } }
        }
        let client = try server.connectSecurely()
        let fields = isAfterFarewell ? ["Connection: close"] : []
        #expect(try client.exchange(Request(fields: fields)).status == 200)
        if isAfterFarewell { #expect(try client.read().isEmpty) }
        try client.stream.write([0x17, 3, 3, 0, 32] + [UInt8](repeating: 0, count: 32))
        client.stream.finishWriting()
        try server.untilServed(connections: 0)
        #expect(failures.withLock { $0 } == (isAfterFarewell ? 0 : 1))
        try server.shutDown()
    }

    @Test("An idle connection ends with close_notify")
    func idle() throws {
        let (server, client) = try RunningHost.connected(.platformDefault, isSecure: true) {
            $0.limits.idleTime = .seconds(3)
        }
        #expect(try client.exchange(Request()).status == 200)
        #expect(try client.read().isEmpty && client.tls?.phase == .closed)
        try server.shutDown()
    }

    enum Fault: String, CaseIterable {
        case drop = "finish: true"
        case reset = "reset: true"
        case silence = "silence: true"
    }

    @Test(
        "A FIN fault sends no close_notify, and an RST fault resets the connection",
        arguments: Fault.allCases, EventQueue.Kind.allCases)
    func fault(_ fault: Fault, kind: EventQueue.Kind) throws {
        let scenario = try Scenario.read("{name: f, faults: [{on: socket, at: {frame: 2}, \(fault.rawValue)}]}")
        let server = try RunningHost(kind, isSecure: true) {
            ($0.scenario, $0.limits.shutdownTime) = (scenario, .milliseconds(200))
        }
        let client = try server.connectSecurely()
        let created = try client.exchange(.create(as: TestUser.anna))
        let id = try #require(created.json?["data"]?["id"]?.string)
        try client.upgrade(.handshake("/api/v1/consultations/\(id)/ws", as: TestUser.anna))
        #expect(try client.next() != nil)
        try client.send(#"{"type":"message","content":"hello"}"#)
        switch fault {
        case .drop: #expect(throws: TLSError.truncated(from: .server)) { try client.next() }
        case .reset:
            let error = #expect(throws: SocketError.self) { try client.next() }
            #expect(error?.code == ECONNRESET)
        case .silence:
            #expect(try server.connectSecurely().exchange(Request()).status == 200)
            #expect(throws: SocketError.self) { try client.stream.read(timeout: .milliseconds(100)) }
        }
        try server.shutDown()
    }

    @Test("A stopping server sends 1001 and close_notify and drops unfinished handshakes")
    func shutdown() throws {
        let server = try RunningHost(.platformDefault, isSecure: true)
        let client = try server.echo(isSecure: true)
        let stranger = try HostClient(try #require(server.secureAddress))
        try server.untilServed(connections: 2)
        try server.stop()
        #expect(try stranger.read().isEmpty)
        #expect(try client.next() == .closing(code: .goingAway, reason: "The server is shutting down"))
        try client.close()
        #expect(try client.next() == nil && client.tls?.phase == .closed)
        #expect(try server.join())
    }

    @Test("The server closes an unfinished TLS handshake on time", arguments: ["", "\u{16}\u{03}\u{01}"])
    func handshakeTime(beginning: String) throws {
        let server = try RunningHost(.platformDefault, isSecure: true) { $0.limits.handshakeTime = .milliseconds(300) }
        let client = try HostClient(try #require(server.secureAddress))
        try client.write(Array(beginning.utf8))
        #expect(try client.read().isEmpty)
        try server.shutDown()
    }

    @Test("A connection over the limit gets a 503 over TLS", arguments: EventQueue.Kind.allCases)
    func overTheLimit(kind: EventQueue.Kind) throws {
        let server = try RunningHost(kind, isSecure: true) { $0.limits.connections = 1 }
        let served = try server.connect()
        #expect(try served.exchange(Request()).status == 200)
        let refused = try server.connectSecurely()
        #expect(try refused.response().status == 503)
        #expect(try refused.read().isEmpty && refused.tls?.phase == .closed)
        try server.shutDown()
    }

    @Test("The loop sleeps until it resets a client that never reads", arguments: EventQueue.Kind.allCases)
    func neverReader(kind: EventQueue.Kind) throws {
        let server = try RunningHost(kind, isSecure: true) { $0.limits.idleTime = .seconds(2) }
        let client = try server.echo(isSecure: true)
        client.fillBuffers(patience: .milliseconds(200))
        let watch = try server.connectSecurely()
        #expect(try watch.exchange(Request()).status == 200)
        // On a busy machine, a few hundred pieces may be left to read; spinning takes more than two thousand turns.
        #expect(try server.turns(untilEndOf: watch) < 1000)
        #expect(throws: SocketError.self) { while true { _ = try client.stream.read(timeout: RunningHost.patience) } }
        try server.shutDown()
    }

    @Test("A thousand sockets stream simultaneously over TLS", arguments: EventQueue.Kind.allCases)
    func thousand(kind: EventQueue.Kind) throws {
        CurrentProcess.raiseFileDescriptorLimit(to: 8192)
        let server = try RunningHost(kind, isSecure: true)
        let context = try TLSContext.client(trust: .only(SecureIdentity.ca))
        let address = try #require(server.secureAddress)
        let clients = try (0..<1000).map { _ in try HostClient(address, tls: context) }
        for (number, client) in clients.enumerated() {
            let created = try client.exchange(.create(as: "user-\(number)"))
            let id = try #require(created.json?["data"]?["id"]?.string)
            try client.upgrade(.handshake("/api/v1/consultations/\(id)/ws", as: "user-\(number)"))
        }
        for client in clients { try client.send(#"{"type":"message","content":"hello"}"#) }
        for client in clients {
            let types = try client.typesOfAnswer()
            #expect(types.starts(with: ["connected", "message_received"]) && types.last == "stream_complete")
        }
        #expect(try server.onLoop { $0.engine.connections.heldBytes } == 0)
        for client in clients { client.stream.close() }
        try server.shutDown()
    }

    @Test("Plain HTTP on the TLS port gets a plain answer", arguments: EventQueue.Kind.allCases)
    func plainOnTLSPort(kind: EventQueue.Kind) throws {
        let server = try RunningHost(kind, isSecure: true)
        let secureAddress = try #require(server.secureAddress)
        let client = try HostClient(secureAddress)
        let response = try client.exchange(.create())
        #expect(response.refusal == "400 BAD_REQUEST")
        #expect(
            response.message == "The client sent plain HTTP to a TLS port; use https://\(secureAddress), "
                + "or http://\(server.address) without TLS.")
        #expect(try client.read().isEmpty)
        try server.shutDown()
    }

    @Test("TLS on the plain port gets a 400 that TLS clients report as a wrong protocol", arguments: [true, false])
    func tlsOnPlainPort(isSecure: Bool) throws {
        let server = try RunningHost(.platformDefault, isSecure: isSecure)
        let address = server.address
        #expect { try HostClient(address, tls: .client(trust: .only(SecureIdentity.ca))) } throws: { error in
            if case .plainHTTP(from: .server, _)? = error as? TLSError { true } else { false }
        }
        let client = try server.connect()
        try client.write([0x16])
        let remedy =
            server.secureAddress.map { "https://\($0) for TLS." } ?? "start the server with TLS to also use https."
        #expect(
            try client.response().message
                == "The client started a TLS handshake (https or wss) on a plain HTTP port; use http://\(address), or "
                + remedy)
        try server.shutDown()
    }

    @Test("Starting on a TLS port in use fails with advice")
    func portInUse() throws {
        let server = try RunningHost(.platformDefault)
        var secure = try SecureIdentity.listening()
        secure.address = server.address
        let error = #expect(throws: StartError.self) { try LocalServer(secure: secure) }
        #expect(error?.description == StartError.portInUse(server.address))
        try server.shutDown()
    }

    @Test("An embedded server supports TLS and rejects an invalid certificate")
    func localServer() throws {
        let server = try LocalServer(secure: SecureIdentity.listening())
        let address = try #require(server.secureAddress)
        #expect(server.secureURL == "https://\(address)")
        let client = try HostClient(address, tls: .client(trust: .only(SecureIdentity.ca)))
        #expect(try client.exchange(Request()).status == 200)
        server.stop()
        var secure = try SecureIdentity.listening()
        secure.certificates = Array("x".utf8)
        #expect(throws: StartError.self) { try LocalServer(secure: secure) }
    }
}
