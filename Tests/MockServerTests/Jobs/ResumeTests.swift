import JSON
import TestSupport
import Testing

@testable import MockServer

@Suite("Worlds that continue after a pause")
struct ResumeTests {
    private let network = VirtualNetwork()

    @Test("Resuming a world touches only that world's connections")
    func touched() throws {
        let (world, other) = (try network.world(), try network.world())
        let socket = try world.socket(on: try world.consultation())
        let neighbour = try other.socket(on: try other.consultation())
        let client = try network.client()
        #expect(try client.exchange(world.request(.get, "/api/v1/goals")).status == 200)
        let engine = network.engine
        let paused = try #require(engine.worlds[ExactString(world.id)])
        engine.pause(paused)
        #expect(engine.takeTouched().map(\.id) == [socket.wire.id])
        engine.resume(paused, at: network.now)
        #expect(engine.takeTouched().map(\.id) == [socket.wire.id])
        // No input was waiting, so the engine does not ask the transport to check.
        #expect(engine.resumed.isEmpty && neighbour.wire.ending == .open)
    }

    @Test("A client's later input waits behind its earlier input")
    func order() throws {
        let world = try network.world()
        let socket = try world.socket(on: try world.consultation())
        #expect(socket.takeTypes() == ["connected"])
        let engine = network.engine
        let paused = try #require(engine.worlds[ExactString(world.id)])
        let connection = try #require(network.connection(of: socket.wire))
        func receive(_ message: String) {
            // Deliver the message as if the transport had read it before it could check for the pause.
            socket.frames([message]).withUnsafeBytes { engine.receive($0, on: socket.wire.id, at: network.now) }
        }
        engine.pause(paused)
        receive(#"{"type":"ping"}"#)
        engine.resume(paused, at: network.now)
        #expect(!engine.isRead(connection))
        receive(#"{"type":"nonsense"}"#)
        network.settle()
        #expect(socket.takeTypes() == ["pong", "error"] && engine.isRead(connection))
    }

    @Test("The host does not read a connection while its request waits for a job")
    func job() throws {
        let jobs = HeldJobs(network)
        let put = try network.plainWorld().send(.put, "state", largeState())
        let connection = try #require(network.connection(of: put.wire))
        #expect(jobs.count == 1 && !network.engine.isRead(connection))
        try jobs.runAll()
        #expect(network.engine.isRead(connection))
    }
}
