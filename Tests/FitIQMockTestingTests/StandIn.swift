import Foundation
import Sockets
import TestSupport

/// A server that answers every connection with the same bytes, or not at all.
final class StandIn {
    let url: URL
    private let listener: Listener

    /// - Parameter answer: The body of each answer; nil for a server that accepts connections and stays silent.
    init(answering answer: String?, status: String = "200 OK") throws {
        let listener = try Listener(address: SocketAddress(host: "127.0.0.1", port: 0))
        self.listener = listener
        url = URL(string: "http://127.0.0.1:\(listener.localAddress.port)")!  // The port is a number.
        guard let answer else { return }
        let bytes =
            "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nContent-Length: \(answer.utf8.count)\r\n"
            + "Connection: close\r\n\r\n\(answer)"
        Thread.detachNewThread {
            while let stream = try? BlockingStream.accept(listener) {
                _ = try? stream.receive(until: "\r\n\r\n")
                try? stream.send(bytes)
                stream.close()
            }
        }
    }
}

/// A client's WebSocket, byte by byte, because URLSession lacks one on Linux.
struct SocketPeer {
    private let stream: BlockingStream

    /// Opens the socket for a consultation in a world.
    init(_ url: URL, _ consultation: String, _ headers: [String: String]) throws {
        stream = try BlockingStream.connect(
            host: "127.0.0.1", port: UInt16(url.port ?? 80), timeout: BlockingStream.patience)
        let fields = headers.map { "\($0): \($1)\r\n" }.joined()
        try stream.send(
            "GET \(url.path)/api/v1/consultations/\(consultation)/ws HTTP/1.1\r\nHost: 127.0.0.1\r\n\(fields)"
                + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
        _ = try stream.receive(until: "\r\n\r\n")
    }

    /// Sends a short text message, masked with zeros.
    func send(_ text: String) throws {
        try stream.write([0x81, 0x80 | UInt8(text.utf8.count), 0, 0, 0, 0] + text.utf8)
    }

    /// Reads until the received frames contain a string.
    func receive(until text: String) throws { _ = try stream.receive(until: text) }

    func close() { stream.close() }
}
