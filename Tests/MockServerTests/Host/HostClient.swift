import HTTPTypes
import MockServer
import Sockets
import WebSocket

/// A client on a real socket; each call waits, up to a limit that only a failing test reaches.
final class HostClient {
    let stream: BlockingStream
    private var reader = ResponseReader()
    private var socket: WebSocket.Connection?
    private var events: [WebSocket.Event] = []

    init(_ address: SocketAddress) throws {
        stream = try BlockingStream.connect(to: address, timeout: RunningHost.patience)
    }

    func write(_ bytes: [UInt8]) throws {
        try stream.write(bytes, timeout: RunningHost.patience)
    }

    /// Bytes from the server; none at the end of the stream.
    func read() throws -> [UInt8] {
        try stream.read(timeout: RunningHost.patience)
    }

    func exchange(_ request: Request) throws -> Response {
        try write(request.bytes)
        return try response(to: request)
    }

    /// The next response.
    ///
    /// The reader is fed anew as bytes arrive, so that it never has to be asked for a response that is not there.
    func response(to request: Request = Request()) throws -> Response {
        while true {
            var attempt = reader
            do {
                let response = try attempt.next(to: request.method, upgrade: request.isUpgrade)
                reader = attempt
                return response
            } catch let missing as ResponseReader.Missing {
                guard missing.isIncomplete else { throw missing }
                let bytes = try read()
                if bytes.isEmpty { reader.finish() } else { reader.receive(bytes[...]) }
            }
        }
    }

    /// How many bytes a server's answer has; this client then reads bytes, not responses.
    func lengthOfAnswer(to request: Request) throws -> Int {
        try write(request.bytes)
        var bytes: [UInt8] = []
        while true {
            bytes += try read()
            var reader = ResponseReader()
            reader.receive(bytes[...])
            if (try? reader.next(to: request.method, upgrade: false)) != nil { return bytes.count }
        }
    }

    /// Reads so many bytes and forgets them.
    func skip(_ count: Int) throws {
        var rest = count
        while rest > 0 {
            let piece = try stream.read(maximum: min(rest, 65_536), timeout: RunningHost.patience)
            guard !piece.isEmpty else { throw ResponseReader.Missing(description: "the stream ended") }
            rest -= piece.count
        }
    }

    /// Opens a WebSocket.
    func upgrade(_ request: Request) throws {
        guard try exchange(request).status == 101 else { throw ResponseReader.Missing(description: "no 101") }
        socket = WebSocket.Connection(role: .client, limits: WebSocket.Limits(message: 1 << 30), maskSeed: 1)
        take(reader.takeTrailingBytes())
    }

    func send(_ text: String, timeout: Duration = RunningHost.patience) throws {
        var out: [UInt8] = []
        _ = socket?.send(text: text, into: &out)
        try stream.write(out, timeout: timeout)
    }

    func close() throws {
        var out: [UInt8] = []
        _ = socket?.close(code: .normalClosure, into: &out)
        try write(out)
    }

    /// The next event of the WebSocket; nil at the end of the stream.
    func next() throws -> WebSocket.Event? {
        while events.isEmpty {
            let bytes = try read()
            if bytes.isEmpty { return nil }
            let answer = take(bytes)
            if !answer.isEmpty { try write(answer) }
        }
        return events.removeFirst()
    }

    @discardableResult
    private func take(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        socket?.receive(bytes, events: &events, output: &output)
        return output
    }
}
