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

    private func socket(_ network: VirtualNetwork) throws -> VirtualSocket {
        try network.client().upgrade(request(on: try network.consultation()))
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
            let answer = isOn ? "permessage-deflate; client_max_window_bits=12" : nil
            #expect(taken.status == 101 && taken.fields[.secWebSocketExtensions] == answer)
            for offer in [nil, "Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=99"] {
                let response = try network.exchange(request(on: id, offer))
                #expect(response.status == (mode == .required ? 400 : 101))
                #expect(response.fields[.secWebSocketExtensions] == nil)
                guard mode == .required else { continue }
                let sentence = "This server requires compressed WebSockets: offer "
                #expect(response.errorCode == "BAD_REQUEST" && response.message.hasPrefix(sentence))
            }
        }
    }

    @Test("A world's scenario overrides the server's setting")
    func worlds() throws {
        let network = try network(.required)
        for (scenario, status) in [(#"{"name":"a"}"#, 400), (#"{"name":"a","compression":"off"}"#, 101)] {
            let world = try network.world(#"{"scenario":\#(scenario)}"#)
            #expect(try network.exchange(world.handshake(on: world.consultation())).status == status)
        }
    }

    @Test("A compressed chat equals an uncompressed chat, and the journal contains both sizes")
    func chat() throws {
        var seen: [[JSONValue]] = []
        for mode: FitIQBackend.Compression in [.off, .on] {
            let network = try network(mode)
            let socket = try socket(network)
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
        for fault in [
            nil, "at: {frame: 2}, lose: true", "at: {frame: 2}, double: true", "at: {frame: 3}, swap: true",
            "at: {frame: 3}, fragments: [5, 9]", "at: {frame: 4}, coalesce: 2", "at: {frame: 2}, delay: 10ms",
        ] {
            var seen: [[WebSocket.Event]] = []
            for mode: FitIQBackend.Compression in [.off, .on] {
                let network = try network(mode, faults: fault.map { "[{on: socket, \($0)}]" } ?? "[]")
                let socket = try socket(network)
                for _ in 0..<2 {
                    socket.send(#"{"type":"message","content":"How much protein?"}"#)
                    network.advance(by: .seconds(1))
                }
                seen.append(socket.takeEvents())
                if mode == .on { #expect(socket.receivedSize != nil) }
            }
            #expect(seen[0] == seen[1], "\(fault ?? "no fault")")
        }
    }

    @Test("The limit on messages applies to the inflated size")
    func bomb() throws {
        let network = VirtualNetwork {
            $0.scenario.rules.compression = .on
            $0.limits.echoMessage = 100_000
        }
        let socket = try network.client().upgrade(.handshake("/__admin/echo").with(Self.offer))
        let message = [UInt8](repeating: 0x61, count: 100_000)
        socket.send(binary: message)
        #expect(socket.takeEvents() == [.binary(message)])
        socket.send(binary: message + [0x61])
        #expect(socket.closeCode == .messageTooBig)
    }
}
