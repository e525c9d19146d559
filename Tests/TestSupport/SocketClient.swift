import JSON
import WebSocket

/// A WebSocket client; over a virtual connection it reads input automatically.
package final class SocketClient<Stream: ClientStream> {
    package let wire: Stream
    /// The events from the server's frames that have not been taken yet.
    package private(set) var events: [WebSocket.Event] = []
    private var socket: WebSocket.Connection

    /// - Parameter compression: The negotiated terms, if any.
    init(_ wire: Stream, compression: CompressionTerms?, trailing: [UInt8]) throws(Stream.Failure) {
        self.wire = wire
        socket = WebSocket.Connection(
            role: .client, limits: WebSocket.Limits(message: 1 << 30), maskSeed: 0x5EED, compression: compression)
        try receive(trailing)
    }

    // MARK: Sending

    package func send(_ text: String) throws(Stream.Failure) { try send(frames([text])) }

    package func send(binary bytes: [UInt8]) throws(Stream.Failure) {
        try send(encoded { socket, out in _ = socket.send(binary: bytes, into: &out) })
    }

    package func ping(_ payload: String) throws(Stream.Failure) {
        try send(encoded { socket, out in _ = socket.ping(Array(payload.utf8), into: &out) })
    }

    package func close(_ code: CloseCode? = .normalClosure, reason: String = "") throws(Stream.Failure) {
        try send(encoded { socket, out in _ = socket.close(code: code, reason: reason, into: &out) })
    }

    /// The bytes of text frames, to be sent by the caller.
    package func frames(_ texts: [String]) -> [UInt8] {
        encoded { socket, out in for text in texts { _ = socket.send(text: text, into: &out) } }
    }

    private func send(_ frames: [UInt8]) throws(Stream.Failure) {
        try wire.send(frames)
        try update()
    }

    private func encoded(_ body: (inout WebSocket.Connection, inout [UInt8]) -> Void) -> [UInt8] {
        var out: [UInt8] = []
        body(&socket, &out)
        return out
    }

    /// The compressed size of the server's latest message; nil if it was not compressed.
    package var receivedSize: Int? { socket.receivedSize }

    // MARK: Receiving

    /// Reads the input that has arrived, and answers pings and close frames.
    package func update() throws(Stream.Failure) {
        let bytes = wire.arrived()
        if !bytes.isEmpty { try receive(bytes) }
    }

    private func receive(_ bytes: [UInt8]) throws(Stream.Failure) {
        var output: [UInt8] = []
        socket.receive(bytes, events: &events, output: &output)
        if !output.isEmpty { try send(output) }
    }

    /// Waits for the next event; nil at the end of the stream.
    package func next() throws(Stream.Failure) -> WebSocket.Event? {
        while events.isEmpty {
            guard let bytes = try wire.nextBytes(), !bytes.isEmpty else { return nil }
            try receive(bytes)
        }
        return events.removeFirst()
    }

    /// The events since the last call.
    package func takeEvents() throws(Stream.Failure) -> [WebSocket.Event] {
        try update()
        defer { events = [] }
        return events
    }

    /// The `type` of each text frame that arrived since the last call.
    package func takeTypes() throws(Stream.Failure) -> [String] {
        try takeEvents().map { event in
            guard case .text(let text) = event else { return "\(event)" }
            return (try? JSON.parse(text))?["type"]?.string ?? "no type"
        }
    }

    /// The text frames that arrived since the last call.
    package func takeFrames() throws(Stream.Failure) -> [JSONValue] {
        try takeEvents().compactMap { event in
            guard case .text(let text) = event else { return nil }
            return try? JSON.parse(text)
        }
    }
}

extension SocketClient where Stream.Failure == Never {
    /// The close code of the server's close frame.
    package var closeCode: CloseCode? {
        update()
        return socket.closeSummary.received?.code
    }

    package var closeReason: String {
        update()
        return socket.closeSummary.received?.reason ?? ""
    }
}
