import FitIQBackend
import JSON
import Scenarios
import TestSupport
import Testing
import WebSocket

@testable import MockServer

@Suite("Compressed WebSockets")
struct CompressionTests {
    private static let offer = "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits"

    private func network(_ compression: FitIQBackend.Compression?, faults: String = "[]") throws -> VirtualNetwork {
        var scenario = try Scenario.read("{name: small, faults: \(faults)}")
        scenario.rules.compression = compression
        return VirtualNetwork {
            $0.adopt(scenario)
            $0.pace = .instant
        }
    }

    private func request(on id: String, _ offer: String? = Self.offer) -> Request {
        let request = Request.handshake("/api/v1/consultations/\(id)/ws", as: TestUser.anna)
        return offer.map(request.with) ?? request
    }

    private func frames(_ network: VirtualNetwork) throws -> [JSONValue] {
        try network.plainWorld().journal().filter { $0["kind"] == "frame" }
    }

    @Test("The world's setting declines, accepts or requires a compression offer")
    func modes() throws {
        for mode: FitIQBackend.Compression? in [nil, .off, .on, .required] {
            let network = try network(mode)
            let id = try network.consultation()
            let isOn = mode == .on || mode == .required
            let taken = try network.exchange(request(on: id))
            #expect(taken.status == 101)
            let answer = isOn ? "permessage-deflate; client_max_window_bits=12" : nil
            #expect(taken.fields[.secWebSocketExtensions] == answer)
            for offer in [nil, "Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=99"] {
                let response = try network.exchange(request(on: id, offer))
                #expect(response.status == (mode == .required ? 400 : 101))
                #expect(response.fields[.secWebSocketExtensions] == nil)
                guard mode == .required else { continue }
                #expect(response.errorCode == "BAD_REQUEST")
                #expect(response.message.hasPrefix("This server requires compressed WebSockets: offer "))
            }
        }
    }

    @Test("A world's scenario overrides the server's setting")
    func worlds() throws {
        let network = try network(.required)
        let rows = [(#"{"name":"a"}"#, 400), (#"{"name":"a","compression":"off"}"#, 101)]
        for (scenario, status) in rows {
            let world = try network.world(#"{"scenario":\#(scenario)}"#)
            let client = try network.client()
            #expect(try client.exchange(world.handshake(on: world.consultation())).status == status)
        }
    }

    @Test("A compressed chat equals an uncompressed chat, and the journal contains both sizes")
    func chat() throws {
        var seen: [[JSONValue]] = []
        for mode: FitIQBackend.Compression in [.off, .on] {
            let network = try network(mode)
            let id = try network.consultation()
            let socket = try HTTPClient(try network.open()).upgrade(request(on: id))
            socket.send(#"{"type":"message","content":"How much protein? How much protein?"}"#)
            network.advance(by: .seconds(1))
            seen.append(socket.takeFrames())
            let frames = try frames(network)
            for frame in frames {
                let sizes = (frame["compressed_bytes"]?.int, frame["payload"]?.string?.utf8.count ?? 0)
                if mode == .off { #expect(sizes.0 == nil) } else { #expect(sizes.0 ?? .max < sizes.1) }
            }
            #expect(frames.count == seen[0].count + 1)
        }
        #expect(seen[0] == seen[1] && seen[0].count > 3)
    }

    @Test("Faults on compressed messages do not corrupt other messages")
    func faults() throws {
        let rows = [
            "[]", "[{on: socket, at: {frame: 2}, lose: true}]", "[{on: socket, at: {frame: 2}, double: true}]",
            "[{on: socket, at: {frame: 3}, swap: true}]", "[{on: socket, at: {frame: 3}, fragments: [5, 9]}]",
            "[{on: socket, at: {frame: 4}, coalesce: 2}]", "[{on: socket, at: {frame: 2}, delay: 10ms}]",
        ]
        for faults in rows {
            var seen: [[WebSocket.Event]] = []
            for mode: FitIQBackend.Compression in [.off, .on] {
                let network = try network(mode, faults: faults)
                let id = try network.consultation()
                let socket = try HTTPClient(try network.open()).upgrade(request(on: id))
                for _ in 0..<2 {
                    socket.send(#"{"type":"message","content":"How much protein?"}"#)
                    network.advance(by: .seconds(1))
                }
                seen.append(socket.takeEvents())
                if mode == .on { #expect(socket.receivedSize != nil) }
            }
            #expect(seen[0] == seen[1], "\(faults)")
        }
    }

    @Test("The limit on messages applies to the inflated size")
    func bomb() throws {
        let network = VirtualNetwork {
            $0.scenario.rules.compression = .on
            $0.limits.echoMessage = 100_000
        }
        let client = HTTPClient(try network.open())
        let socket = try client.upgrade(Request.handshake("/__admin/echo").with(Self.offer))
        let message = [UInt8](repeating: 0x61, count: 100_000)
        socket.send(binary: message)
        #expect(socket.takeEvents() == [.binary(message)])
        socket.send(binary: message + [0x61])
        #expect(socket.closeCode == .messageTooBig)
    }
}
