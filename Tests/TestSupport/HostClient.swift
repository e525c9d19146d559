import Sockets
import TLS
import WebSocket

/// The client's end of a real connection, with or without TLS; a call times out only in a failing test.
package final class SecureStream: ClientStream {
    package let plain: BlockingStream
    /// Nil without TLS.
    package let tls: TLSSession?
    /// The number of ciphertext bytes sent at a time.
    private let piece: Int

    /// Connects; with TLS it returns after the handshake.
    package init(_ address: SocketAddress, tls context: TLSContext? = nil, piece: Int = .max) throws {
        self.piece = piece
        plain = try BlockingStream.connect(to: address)
        tls = context.map { TLSSession(client: $0, host: "127.0.0.1") }
        guard let tls else { return }
        try flush()
        while tls.phase == .handshaking { try pump(tls) }
        if let failure = tls.failure { throw failure }
    }

    package func send(_ bytes: [UInt8]) throws { try send(bytes, timeout: BlockingStream.patience) }

    package func send(_ bytes: [UInt8], timeout: Duration) throws {
        guard let tls else { return try plain.write(bytes, timeout: timeout) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let taken = rest.withUnsafeBytes { tls.write($0) }
            if taken == 0 { throw tls.failure ?? TLSError.truncated(from: .client) }
            rest = rest.dropFirst(taken)
            try flush(timeout)
        }
    }

    /// - Throws: A socket error, or an error if the stream ends without close_notify.
    package func nextBytes() throws -> [UInt8]? {
        guard let tls else { return try plain.read() }
        while true {
            var plaintext: [UInt8] = []
            if tls.readPlaintext(into: &plaintext, limit: 65_536) { return plaintext }
            if tls.phase == .closed { return [] }
            if let failure = tls.failure { throw failure }
            try pump(tls)
        }
    }

    package func arrived() -> [UInt8] { [] }

    private func pump(_ tls: TLSSession) throws {
        let bytes = try plain.read()
        if bytes.isEmpty { tls.receiveEndOfStream() } else { bytes.withUnsafeBytes { tls.receive($0) } }
        try flush()
    }

    /// Sends the session's output to the server.
    package func flush(_ timeout: Duration = BlockingStream.patience) throws {
        while let tls, tls.hasCiphertext {
            let bytes = tls.withCiphertext { Array($0.prefix(piece)) }
            tls.takeCiphertext(bytes.count)
            try plain.write(bytes, timeout: timeout)
        }
    }
}

package typealias HostClient = HTTPClient<SecureStream>

extension HTTPClient where Stream == SecureStream {
    package convenience init(_ address: SocketAddress, tls context: TLSContext? = nil, piece: Int = .max) throws {
        self.init(try SecureStream(address, tls: context, piece: piece))
    }

    package var stream: BlockingStream { wire.plain }
    package var tls: TLSSession? { wire.tls }

    package func write(_ bytes: [UInt8]) throws { try wire.send(bytes) }
    /// Bytes from the server; empty at the end of the stream.
    package func read() throws -> [UInt8] { try wire.nextBytes() ?? [] }
    package func flush() throws { try wire.flush() }

    /// The number of bytes in a server's response; afterwards this client reads bytes, not responses.
    package func lengthOfAnswer(to request: Request) throws -> Int {
        try write(request.bytes)
        var bytes: [UInt8] = []
        while true {
            bytes += try read()
            var reader = ResponseReader()
            reader.receive(bytes[...])
            if (try? reader.next(to: request.method, upgrade: false)) != nil { return bytes.count }
        }
    }

    /// Reads this many bytes and drops them.
    package func skip(_ count: Int) throws {
        var rest = count
        while rest > 0 {
            let piece = try stream.read(maximum: min(rest, 65_536))
            guard !piece.isEmpty else { throw ResponseReader.Missing(description: "the stream ended") }
            rest -= piece.count
        }
    }

    // MARK: After an upgrade

    package func send(_ text: String, timeout: Duration = BlockingStream.patience) throws {
        try wire.send(socket?.frames([text]) ?? [], timeout: timeout)
    }

    package func close() throws { try socket?.close() }

    /// The WebSocket's next event; nil at the end of the stream.
    package func next() throws -> WebSocket.Event? { try socket?.next() }
}
