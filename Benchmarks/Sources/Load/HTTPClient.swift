import CLinux
import Glibc

/// One blocking keep-alive connection, with enough of HTTP/1.1 to prepare and check a measurement.
///
/// Answers must carry `Content-Length` and stay under 16 MiB; anything else is an error.
public final class HTTPClient {
    /// The socket; the caller may use it after an upgrade.
    public let descriptor: Int32
    private var buffer: [UInt8] = []

    /// Connects to a loopback port.
    public init(port: UInt16) throws {
        descriptor = try Loopback.connect(port: port)
    }

    deinit { close(descriptor) }

    /// Sends a request and waits for its answer; after a 101 later bytes stay for `nextMessage`.
    public func exchange(
        _ method: String, _ path: String, _ credentials: Credentials?, fields: String = "", body: String? = nil
    ) throws -> (status: Int, body: [UInt8]) {
        var head = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(credentials?.fields ?? "")\(fields)"
        if let body { head += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n" }
        try send(Array((head + "\r\n" + (body ?? "")).utf8))
        let activity = "\(method) \(path)"

        while true {
            if let end = buffer.withUnsafeBytes(endOfHead) {
                let answer = String(decoding: buffer[..<end], as: UTF8.self)
                guard answer.hasPrefix("HTTP/1.1 "), let status = Int(answer.dropFirst(9).prefix(3)) else {
                    throw LoadError.unexpected(answer, wanted: "an HTTP/1.1 status line", during: activity)
                }
                let length = status == 101 ? 0 : contentLength(answer)
                guard let length, length <= 1 << 24 else {
                    throw LoadError.unexpected(answer, wanted: "a Content-Length up to 16 MiB", during: activity)
                }
                if buffer.count >= end + length {
                    let body = Array(buffer[end..<end + length])
                    buffer.removeFirst(end + length)
                    return (status, body)
                }
            }
            try receive(during: activity)
        }
    }

    /// Opens a WebSocket on this connection and waits until the first message is `connected`.
    public func upgrade(_ path: String, _ credentials: Credentials) throws {
        let answer = try exchange("GET", path, credentials, fields: webSocketFields)
        guard answer.status == 101 else {
            throw LoadError.unexpected("\(answer.status)", wanted: "101", during: "handshake on \(path)")
        }
        while true {
            switch buffer.withUnsafeBytes({ scanFrame($0, from: 0) }) {
            case .frame(let frame):
                let payload = Array(buffer[frame.payload])
                buffer.removeFirst(frame.end)
                guard payload.withUnsafeBytes({ messageType($0) }) == .connected else {
                    let text = String(decoding: payload, as: UTF8.self)
                    throw LoadError.unexpected(text, wanted: "connected", during: "first frame on \(path)")
                }
                return
            case .incomplete: try receive(during: "first frame on \(path)")
            case .violation(let what): throw LoadError.unexpected(what, wanted: "a frame", during: path)
            }
        }
    }

    /// Whether the server still holds this connection open and has sent nothing more.
    public var isQuiet: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT) | Int32(MSG_PEEK)) < 0 && errno == EAGAIN
    }

    private func send(_ bytes: [UInt8]) throws {
        let sent = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        guard sent == bytes.count else { throw LoadError.lastCall("send") }
    }

    private func receive(during activity: String) throws {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        guard count != 0 else { throw LoadError.closed(during: activity) }
        guard count > 0 else { throw LoadError.lastCall("recv during \(activity)") }
        buffer.append(contentsOf: chunk[..<count])
    }
}

/// The index after the empty line that ends a head, or nil if it has not arrived.
public func endOfHead(_ bytes: UnsafeRawBufferPointer) -> Int? {
    guard let start = bytes.baseAddress, let found = bench_find(start, bytes.count, "\r\n\r\n", 4) else { return nil }
    return found - start + 4
}

private func contentLength(_ head: String) -> Int? {
    for line in head.split(separator: "\r\n").dropFirst() {
        guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == "content-length" else { continue }
        return Int(line[line.index(after: colon)...].drop { $0 == " " })
    }
    return nil
}
