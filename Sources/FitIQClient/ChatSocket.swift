import HTTPTypes
import JSON
import Sockets
import WebSocket

/// A consultation's WebSocket; calls block.
public final class ChatSocket {
    private let stream: BlockingStream
    private var connection: WebSocket.Connection
    private var events: [WebSocket.Event] = []
    private let timeout: Duration

    /// Opens the socket of a consultation, with the credentials in the handshake's fields and the token in the URL as well.
    ///
    /// - Parameter seed: makes the handshake's key and the mask keys.
    /// - Throws: where the transport, the handshake or the server's answer to it fails.
    public init(
        base: BaseURL, credentials: Credentials, consultation: String, seed: UInt64,
        timeout: Duration = .seconds(30)
    ) throws(ClientError) {
        var exchange = try HTTPExchange(base: base, timeout: timeout)
        let handshake = ClientHandshake(key: (0..<16).map { UInt8(truncatingIfNeeded: seed >> UInt64($0 * 4)) })
        var fields = handshake.requestFields
        fields.append(contentsOf: credentials.fields)
        do throws(ClientError) {
            // Some guides look at the one, some at the other.
            let path = "/api/v1/consultations/\(consultation)/ws?token=\(credentials.queryToken)"
            try exchange.send(.get, path, fields: fields, body: nil)
            let head = try exchange.receiveHead()
            if head.status.code != 101 {
                let body = try exchange.receiveBody()
                let message = (try? JSON.parse(body))?["error"]?["message"]?.string
                throw ClientError.refused(status: head.status.code, message: message ?? head.status.reasonPhrase)
            }
            if let failure = handshake.verify(status: head.status, fields: head.fields.httpFields) {
                throw ClientError.handshake("\(failure)")
            }
        } catch {
            exchange.close()
            throw error
        }
        stream = exchange.stream
        self.timeout = timeout
        connection = WebSocket.Connection(role: .client, maskSeed: seed)
        var output: [UInt8] = []
        connection.receive(exchange.takeTrailingBytes(), events: &events, output: &output)
        try write(output)
    }

    /// Sends one frame.
    public func send(_ frame: JSONValue) throws(ClientError) {
        var output: [UInt8] = []
        _ = connection.send(text: frame.encoded(), into: &output)
        try write(output)
    }

    /// Waits for the next frame.
    ///
    /// - Throws: `closed` when the server closes, and where the transport fails.
    public func next() throws(ClientError) -> JSONValue {
        while true {
            while !events.isEmpty {
                switch events.removeFirst() {
                case .text(let text):
                    guard let value = try? JSON.parse(text) else {
                        throw .badFrame(String(decoding: text.prefix(200), as: UTF8.self))
                    }
                    return value
                case .closing(let code, let reason): throw .closed(code: code ?? .noStatus, reason: reason)
                case .failed(let code, let message): throw .closed(code: code, reason: message)
                case .binary: throw .badFrame("a binary frame")
                case .ping, .pong: continue
                }
            }
            try receive()
        }
    }

    /// Leaves with a close frame, and does not wait for the server's.
    public func close() {
        var output: [UInt8] = []
        _ = connection.close(code: .normalClosure, into: &output)
        try? write(output)
        stream.close()
    }

    private func receive() throws(ClientError) {
        let bytes: [UInt8]
        do {
            bytes = try stream.read(timeout: timeout)
        } catch {
            throw .transport(error)
        }
        guard !bytes.isEmpty else {
            throw .closed(code: .abnormal, reason: "the connection ended without a close frame")
        }
        var output: [UInt8] = []
        connection.receive(bytes, events: &events, output: &output)
        try write(output)
    }

    private func write(_ bytes: [UInt8]) throws(ClientError) {
        guard !bytes.isEmpty else { return }
        do {
            try stream.write(bytes, timeout: timeout)
        } catch {
            throw .transport(error)
        }
    }
}
