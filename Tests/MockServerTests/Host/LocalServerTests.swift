import Hosting
import MockServer
import Scenarios
import Sockets
import TestSupport
import Testing

@Suite("A server on its own thread")
struct LocalServerTests {
    private struct Refusal: Error, Equatable {}

    private func start() throws -> LocalServer {
        var configuration = Engine.Configuration(pace: .instant)
        configuration.limits.closingTime = .milliseconds(200)
        return try LocalServer(configuration)
    }

    @Test("While a client is connected, the server runs other threads' calls and rethrows their errors")
    func performs() async throws {
        let server = try start()
        #expect(server.url == "http://\(server.address)")
        let client = try HostClient(server.address)
        #expect(try client.exchange(Request()).status == 200)
        let access = try await server.perform { engine, now in try engine.makeWorld(Scenario(), at: now) }
        #expect(access.url == "\(server.url)/w/\(access.id)")
        #expect(try !server.performAndWait { engine, now in engine.time(ofWorld: access.id) == now })
        await #expect(throws: Refusal.self) { try await server.perform { _, _ in throw Refusal() } }
        #expect(throws: Refusal.self) { try server.performAndWait { _, _ in throw Refusal() } }
        #expect(try client.exchange(Request()).status == 200)
        server.stop()
    }

    @Test("A change to a world reaches the world's clients before the call returns")
    func servesTheTouched() async throws {
        let server = try start()
        let access = try await server.perform { try $0.makeWorld(Scenario(), clock: .manual, at: $1) }
        let fields = [Request.bearer(access.token), "X-API-Key: \(access.apiKey)"]
        let prefix = "/w/\(access.id)/api/v1/consultations"
        let client = try HostClient(server.address)
        let create = Request(method: .post, target: prefix, fields: fields).json(#"{"persona":"nutritionist"}"#)
        let id = try #require(try client.exchange(create).json?["data"]?["id"]?.string)
        var handshake = Request.handshake("\(prefix)/\(id)/ws")
        handshake.fields += fields
        try client.upgrade(handshake)
        try await server.perform { engine, now in engine.deleteWorld(access.id, at: now) }
        // The input is in the socket's buffer, so the read does not wait.
        var bytes: [UInt8] = []
        while let more = try? client.stream.read(timeout: .zero), !more.isEmpty { bytes += more }
        #expect(bytes.firstRange(of: Array("The world was deleted".utf8)) != nil)
        server.stop()
    }

    @Test("Every call after a stop throws")
    func stops() async throws {
        let server = try start()
        let client = try HostClient(server.address)
        #expect(try client.exchange(Request()).status == 200)
        server.stop()
        server.stop()
        #expect(try client.read().isEmpty)
        await #expect(throws: LocalServer.Stopped.self) { try await server.perform { _, _ in } }
        #expect(throws: LocalServer.Stopped.self) { try server.performAndWait { _, _ in } }
        #expect(throws: SocketError.self) { try HostClient(server.address) }
    }

    @Test("Calls from many threads either run or throw because the server has stopped")
    func concurrent() async throws {
        let server = try start()
        let outcomes = await withTaskGroup(of: Bool.self, returning: [Bool].self) { group in
            for _ in 0..<500 { group.addTask { (try? await server.perform { _, _ in true }) ?? false } }
            group.addTask {
                server.stop()
                return false
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count == 501)
    }

    @Test("Starting on a port in use throws")
    func portInUse() throws {
        let server = try start()
        #expect(throws: StartError.self) { try LocalServer(listeningOn: server.address) }
        server.stop()
    }
}
