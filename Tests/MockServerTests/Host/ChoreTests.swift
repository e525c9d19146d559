import Foundation
import Scenarios
import Sockets
import Synchronization
import Testing

@testable import MockServer

@Suite("The host's periodic work", .serialized)
struct ChoreTests {
    @Test("The host runs a chore repeatedly on the loop's thread with the engine's time")
    func again() throws {
        let server = try RunningHost(.platformDefault)
        let done = DispatchSemaphore(value: 0)
        let count = Mutex(0)
        let before = WallClock.nanosecondsSinceEpoch()
        let start = try server.onLoop { host in
            host.schedule(every: .milliseconds(50)) { now in
                #expect(abs(now.nanosecondsSinceEpoch - before) < 60_000_000_000)
                count.withLock { $0 += 1 }
                done.signal()
            }
            return host.turnCount
        }
        for _ in 0..<5 { try #require(done.wait(timeout: .now() + 30) == .success) }
        // Expect one turn for each tick and one for each call from this thread.
        let (turns, times) = try server.onLoop { host in (host.turnCount - start, count.withLock { $0 }) }
        #expect(turns <= times + 7)
        try server.shutDown()
    }

    @Test("A chore can switch the engine's scenario between two requests on a connection")
    func reload() throws {
        let (server, client) = try RunningHost.connected(.platformDefault)
        #expect(try client.exchange(.authorized(.get, "/api/v1/goals")).status == 200)
        let scenario = try Scenario.read("{name: a, faults: [{on: GET /api/v1/goals, status: 503}]}")
        let done = DispatchSemaphore(value: 0)
        try server.onLoop { host in
            host.schedule(every: .milliseconds(1)) { [engine = host.engine] now in
                _ = try? engine.reload(scenario, at: now)
                done.signal()
            }
        }
        try #require(done.wait(timeout: .now() + 30) == .success)
        #expect(try client.exchange(.authorized(.get, "/api/v1/goals")).status == 503)
        try server.shutDown()
    }

    @Test("The host stops a chore when the server begins to stop")
    func stops() throws {
        let server = try RunningHost(.platformDefault) { $0.limits.closingTime = .milliseconds(100) }
        // An unanswered close handshake keeps the server running for a while.
        let client = try server.echo()
        let count = Mutex(0)
        try server.onLoop { host in
            host.stop()
            host.schedule(every: .milliseconds(1)) { _ in count.withLock { $0 += 1 } }
        }
        #expect(try server.join() && count.withLock { $0 } == 0)
        client.stream.close()
    }
}
