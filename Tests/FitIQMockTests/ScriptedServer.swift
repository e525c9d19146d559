import Foundation
import Sockets
import TestSupport

/// A server that answers each connection with the next text in a list and then closes the connection.
final class ScriptedServer: Sendable {
    let url: String

    /// - Parameter held: The indexes of answers that leave the connection open until the client closes it.
    init(_ answers: [String], holding held: Set<Int> = []) throws {
        let listener = try Listener(address: try SocketAddress(host: "127.0.0.1", port: 0))
        url = "http://\(listener.localAddress)"
        try SystemThread.start {
            for (place, answer) in answers.enumerated() {
                guard let stream = try? BlockingStream.accept(listener) else { break }
                _ = try? stream.receive()
                try? stream.send(answer)
                if held.contains(place) { _ = SingleDescriptorPoll.wait(for: .read, on: stream.socket.descriptor) }
                stream.close()
            }
            close(listener.descriptor)
        }
    }

    /// An answer whose body is as long as announced, or shorter.
    static func answer(_ status: String = "200 OK", _ body: String = "", of length: Int? = nil) -> String {
        "HTTP/1.1 \(status)\r\nContent-Length: \(length ?? body.utf8.count)\r\n\r\n\(body)"
    }
}
