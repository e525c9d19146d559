import HTTP1
import HTTPTypes
import Sockets
import TestSupport
import WebSocket

/// The client that scripts/autobahn tests.
///
/// `echo-client PORT PATH…` opens a WebSocket at each path of a server on this machine, one after the other, and echoes
/// messages until the server closes.
@main
struct EchoClient {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let port = arguments.first.flatMap(UInt16.init) else {
            throw Failure(description: "usage: echo-client PORT PATH…")
        }
        for path in arguments.dropFirst() {
            let stream = try BlockingStream.connect(host: "127.0.0.1", port: port, timeout: BlockingStream.patience)
            do {
                try echo(try open(path, over: stream), over: stream)
            } catch {
                print("\(path): \(error)")
            }
        }
    }

    struct Failure: Error, CustomStringConvertible { let description: String }

    /// Performs the handshake, with an offer of compression; any remaining bytes are frames.
    private static func open(
        _ path: String, over stream: BlockingStream
    ) throws -> (socket: WebSocket.Connection, arrived: [UInt8]) {
        var http = HTTP1.Connection(role: .client)
        let handshake = ClientHandshake(key: Array("not at all secret".utf8.prefix(16)), offer: CompressionOffer())
        let host: HTTPFields = [.hostField: "127.0.0.1"]
        var output: [UInt8] = []
        http.sendRequest(method: .get, target: path, fields: host + handshake.requestFields, body: nil, into: &output)
        try stream.write(output)
        while true {
            switch try http.nextEvent() {
            case .response(let head):
                let fields = head.fields.httpFields
                if let failure = handshake.verify(status: head.status, fields: fields) {
                    throw Failure(description: "\(failure)")
                }
                let socket = WebSocket.Connection(
                    role: .client, limits: WebSocket.Limits(message: 16 * 1024 * 1024),
                    compression: CompressionTerms(agreedIn: fields))
                return (socket, http.takeTrailingBytes())
            case .needsData: http.receive(try stream.read())
            case let event: throw Failure(description: "the answer to the handshake is \(event)")
            }
        }
    }

    private static func echo(
        _ opened: (socket: WebSocket.Connection, arrived: [UInt8]), over stream: BlockingStream
    ) throws {
        var (socket, arrived) = opened
        while true {
            var output: [UInt8] = []
            var rest = arrived[...]
            // One event at a time, so that a message is echoed before a following close frame is read.
            while !rest.isEmpty {
                var events: [WebSocket.Event] = []
                let count = rest.withUnsafeBytes { socket.receiveUntilEvent($0, events: &events, output: &output) }
                rest = rest.dropFirst(count)
                for event in events {
                    switch event {
                    case .text(let text): socket.send(text: text, into: &output)
                    case .binary(let bytes): socket.send(binary: bytes, into: &output)
                    case .ping, .pong, .closing, .failed: break
                    }
                }
            }
            try stream.write(output)
            if socket.shouldCloseTransport { stream.finishWriting() }
            arrived = try stream.read()
            if arrived.isEmpty { return }
        }
    }
}
