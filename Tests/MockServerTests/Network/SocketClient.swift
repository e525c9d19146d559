import JSON
import WebSocket

/// A client that speaks WebSocket over a virtual connection.
final class SocketClient {
    let wire: VirtualClient
    /// All that the server's frames amount to.
    private(set) var events: [WebSocket.Event] = []
    private var socket = WebSocket.Connection(
        role: .client, limits: WebSocket.Limits(message: 1 << 30), maskSeed: 0x5EED)

    init(_ wire: VirtualClient, trailing: [UInt8]) {
        self.wire = wire
        receive(trailing[...])
    }

    func send(_ text: String) {
        wire.send(encoded { socket, out in _ = socket.send(text: text, into: &out) })
        update()
    }

    func send(binary bytes: [UInt8]) {
        wire.send(encoded { socket, out in _ = socket.send(binary: bytes, into: &out) })
        update()
    }

    func ping(_ payload: String) {
        wire.send(encoded { socket, out in _ = socket.ping(Array(payload.utf8), into: &out) })
        update()
    }

    func close(_ code: CloseCode? = .normalClosure, reason: String = "") {
        wire.send(encoded { socket, out in _ = socket.close(code: code, reason: reason, into: &out) })
        update()
    }

    /// The bytes of text frames, to be sent by hand.
    func frames(_ texts: [String]) -> [UInt8] {
        encoded { socket, out in for text in texts { _ = socket.send(text: text, into: &out) } }
    }

    /// Takes what has arrived, and answers pings and close frames.
    func update() {
        let bytes = wire.takeReceived()
        if !bytes.isEmpty { receive(bytes) }
    }

    /// The events since the last call.
    func takeEvents() -> [WebSocket.Event] {
        update()
        defer { events = [] }
        return events
    }

    /// The `type` of each text frame that arrived since the last call.
    func takeTypes() -> [String] {
        update()
        defer { events = [] }
        return events.map { event in
            guard case .text(let text) = event else { return "\(event)" }
            return (try? JSON.parse(text))?["type"]?.string ?? "no type"
        }
    }

    /// The text frames that arrived since the last call.
    func takeFrames() -> [JSONValue] {
        update()
        defer { events = [] }
        return events.compactMap { event in
            guard case .text(let text) = event else { return nil }
            return try? JSON.parse(text)
        }
    }

    /// The code of the server's close frame.
    var closeCode: CloseCode? {
        update()
        return socket.closeSummary.received?.code
    }

    var closeReason: String {
        update()
        return socket.closeSummary.received?.reason ?? ""
    }

    private func receive(_ bytes: ArraySlice<UInt8>) {
        var output: [UInt8] = []
        socket.receive(Array(bytes), events: &events, output: &output)
        if !output.isEmpty {
            wire.send(output)
            update()
        }
    }

    private func encoded(_ body: (inout WebSocket.Connection, inout [UInt8]) -> Void) -> [UInt8] {
        var out: [UInt8] = []
        body(&socket, &out)
        return out
    }
}
