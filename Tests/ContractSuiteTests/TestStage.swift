import ContractSuite
import FitIQAPI
import JSON
import MockServer
import Scenarios

/// An engine without sockets that is called directly, which is enough for clients that only make requests.
final class TestStage: Stage {
    let engine: Engine
    private let now = Timestamp(secondsSinceEpoch: 1_738_146_600)

    init() throws { engine = try Engine(Engine.Configuration(), now: now) }

    func perform<Result: Sendable>(
        _ body: @escaping @Sendable (Engine, Timestamp) throws -> Result
    ) async throws -> Result { try body(engine, now) }

    struct Answer {
        var status: Int
        var json: JSONValue?
    }

    /// Sends a request on its own connection, and returns the answer.
    func exchange(_ method: String, _ path: String, _ body: String = "", of world: Surroundings) throws -> Answer {
        guard let id = engine.open(at: now), let prefix = world.url.firstRange(of: "/w/") else { throw NoAnswer() }
        let request = """
            \(method) \(world.url[prefix.lowerBound...])/api/v1\(path) HTTP/1.1\r
            Host: localhost\r
            Authorization: Bearer \(world.token)\r
            X-API-Key: \(world.apiKey)\r
            Content-Type: application/json\r
            Content-Length: \(body.utf8.count)\r
            Connection: close\r
            \r
            \(body)
            """
        Array(request.utf8).withUnsafeBytes { engine.receive($0, on: id, at: now) }
        var received: [UInt8] = []
        for connection in engine.takeTouched() where connection.id == id {
            while connection.hasOutput {
                let count = connection.withOutput { bytes in
                    received += bytes
                    return bytes.count
                }
                engine.sent(count, on: id, at: now)
            }
        }
        engine.transportClosed(id)
        let text = String(decoding: received, as: UTF8.self)
        guard let end = text.firstRange(of: "\r\n\r\n"), let status = Int(text.dropFirst(9).prefix(3))
        else { throw NoAnswer() }
        return Answer(status: status, json: try? JSON.parse(Array(text[end.upperBound...].utf8)))
    }

    struct NoAnswer: Error {}
}
