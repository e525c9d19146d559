import Testing

@testable import MockServer
@testable import Sockets

@Suite("Failures that the system reports on connections")
struct ReadinessTests {
    @Test("The host drops a connection that hung up or failed even if it is not readable", arguments: [true, false])
    func ended(isFailure: Bool) throws {
        let (server, client) = try RunningHost.connected(.platformDefault)
        #expect(try client.exchange(.goals).status == 200)
        let count = try server.onLoop { host in
            for connection in host.engine.connections {
                let readiness = Readiness(
                    token: UInt64(connection.id.place), readable: false, writable: false, hangUp: !isFailure,
                    error: isFailure)
                host.readinessChanged(readiness, now: .now())
            }
            return host.engine.connections.count
        }
        #expect(count == 0)
        client.stream.close()
        try server.shutDown()
    }
}
