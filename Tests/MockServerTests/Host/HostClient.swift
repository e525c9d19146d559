import HTTPTypes
import MockServer
import Sockets
import TLS
import WebSocket

/// A client on a real socket, over TLS where it is told whom to trust; each call waits, up to a limit that only a failing test reaches.
final class HostClient {
    let stream: BlockingStream
    /// Nil where plain HTTP is spoken.
    let tls: TLSSession?
    private var reader = ResponseReader()
    private var socket: WebSocket.Connection?
    private var events: [WebSocket.Event] = []

    /// How many bytes of ciphertext are sent at a time.
    private let piece: Int

    /// Connects; over TLS it returns when that is agreed on.
    init(_ address: SocketAddress, tls context: TLSContext? = nil, piece: Int = .max) throws {
        self.piece = piece
        stream = try BlockingStream.connect(to: address, timeout: RunningHost.patience)
        tls = context.map { TLSSession(client: $0, host: "127.0.0.1") }
        try shakeHands()
    }

    private func shakeHands() throws {
        guard let tls else { return }
        try flush()
        while tls.phase == .handshaking { try pump() }
        if let failure = tls.failure { throw failure }
    }

    func write(_ bytes: [UInt8], timeout: Duration = RunningHost.patience) throws {
        guard let tls else { return try stream.write(bytes, timeout: timeout) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let taken = rest.withUnsafeBytes { tls.write($0) }
            if taken == 0 { throw tls.failure ?? TLSError.truncated(from: .client) }
            rest = rest.dropFirst(taken)
            try flush(timeout)
        }
    }

    /// Bytes from the server; none at the end of the stream, or where it said farewell.
    ///
    /// - Throws: also where it ended without a farewell of TLS.
    func read() throws -> [UInt8] {
        guard let tls else { return try stream.read(timeout: RunningHost.patience) }
        while true {
            var plaintext: [UInt8] = []
            if tls.readPlaintext(into: &plaintext, limit: 65_536) { return plaintext }
            if tls.phase == .closed { return [] }
            if let failure = tls.failure { throw failure }
            try pump()
        }
    }

    private func pump() throws {
        let bytes = try stream.read(timeout: RunningHost.patience)
        if bytes.isEmpty { tls?.receiveEndOfStream() } else { bytes.withUnsafeBytes { tls?.receive($0) } }
        try flush()
    }

    /// Sends what the session has for the server.
    func flush(_ timeout: Duration = RunningHost.patience) throws {
        while let tls, tls.hasCiphertext {
            let bytes = tls.withCiphertext { Array($0.prefix(piece)) }
            tls.takeCiphertext(bytes.count)
            try stream.write(bytes, timeout: timeout)
        }
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
        try write(out, timeout: timeout)
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
