import Testing

@testable import MockServer

@Suite("Bytes held for all connections together")
struct HeldBytesTests {
    private static let limit = 300_000

    private func network() -> VirtualNetwork {
        VirtualNetwork { $0.limits.heldBytes = Self.limit }
    }

    @Test("The sum follows what connections hold, and is zero when they are gone")
    func sum() throws {
        let network = network()
        let wire = try network.open()
        wire.send(
            "POST /health HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n" + String(repeating: "x", count: 400))
        #expect(network.engine.heldBytes >= 400)
        wire.vanish()
        #expect(network.engine.heldBytes == 0)
    }

    @Test("Answers that nobody reads do not add up beyond the limit: 503, and others are served once there is room")
    func unreadAnswers() throws {
        let network = network()
        let request = Request(
            target: "/api/v1/consultations/quick-actions", fields: Request.authorized(.get, "/").fields)
        var readers: [VirtualClient] = []
        for _ in 0..<60 {
            let wire = try network.open(window: 0)
            wire.send(request.bytes)
            readers.append(wire)
        }
        #expect(network.engine.heldBytes <= Self.limit + 64 * 1024)
        let refused = try HTTPClient(network).exchange(request)
        #expect(refused.status == 503)
        #expect(refused.errorCode == "SERVER_BUSY")
        for reader in readers { reader.vanish() }
        #expect(network.engine.heldBytes == 0)
        #expect(try HTTPClient(network).exchange(request).status == 200)
    }

    @Test("Messages that are never finished do not add up beyond the limit: who holds most of it is reset")
    func unfinishedMessages() throws {
        let network = network()
        var opened = 0
        for _ in 0..<8 {
            let wire = try network.open()
            wire.send(
                "GET /__admin/echo HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
            // The head of a binary frame of 1 MiB with a mask of zeros, and a tenth of its payload.
            wire.send([0x82, 0xFF, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 7, count: 100_000))
            if wire.ending == .open { opened += 1 }
        }
        #expect(opened == 3)
        #expect(network.engine.heldBytes <= Self.limit)
        #expect(network.observations.contains { if case .memory = $0 { true } else { false } })
    }
}
