import HTTPTypes
import Testing

@testable import HTTP1

@Suite("Misuse")
struct MisuseTests {
    @Test("An answer before a request traps")
    func answerTooEarly() async {
        await #expect(processExitsWith: .failure) {
            var (connection, out) = (Connection(role: .server), [UInt8]())
            connection.respond(status: .ok, fields: [:], body: [], into: &out)
        }
    }

    @Test("A second answer after an error traps")
    func answerTwice() async {
        await #expect(processExitsWith: .failure) {
            var (connection, out) = (Connection(role: .server), [UInt8]())
            connection.receive([0x16])
            _ = try? connection.nextEvent()
            connection.respond(status: .badRequest, fields: [:], body: [], into: &out)
            connection.respond(status: .badRequest, fields: [:], body: [], into: &out)
        }
    }

    @Test("A body shorter than its declared length traps")
    func shortBody() async {
        await #expect(processExitsWith: .failure) {
            var (connection, out) = (Connection(role: .client), [UInt8]())
            connection.startRequest(method: .put, target: "/", fields: [.hostField: "a"], contentLength: 2, into: &out)
            connection.sendBody([0x61], into: &out)
            connection.endBody(into: &out)
        }
    }

    @Test("Sending a request without a Host traps")
    func requestWithoutHost() async {
        await #expect(processExitsWith: .failure) {
            var (connection, out) = (Connection(role: .client), [UInt8]())
            connection.sendRequest(method: .get, target: "/", fields: [:], body: nil, into: &out)
        }
    }

    @Test("Switching to a protocol that was not proposed by the client traps")
    func unproposedSwitch() async {
        await #expect(processExitsWith: .failure) {
            var (connection, out) = (Connection(role: .server), [UInt8]())
            connection.receive(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
            _ = try? connection.nextEvent()
            connection.switchProtocols(fields: [.upgrade: "websocket"], into: &out)
        }
    }
}
