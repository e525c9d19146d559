import WebSocket

/// The client's end of a connection, which is either virtual or a socket.
package protocol ClientStream: AnyObject {
    associatedtype Failure: Error = Never

    func send(_ bytes: [UInt8]) throws(Failure)

    /// The next bytes to arrive; empty at the end of the stream, nil if nothing arrives for now.
    func nextBytes() throws(Failure) -> [UInt8]?

    /// The bytes that have already arrived; always empty for a stream that must wait for bytes.
    func arrived() -> [UInt8]
}

/// A client that speaks HTTP, and WebSocket after an upgrade.
package final class HTTPClient<Stream: ClientStream> {
    package let wire: Stream
    /// The WebSocket, once it is open.
    package private(set) var socket: SocketClient<Stream>?
    private var reader = ResponseReader()
    private var isFinished = false

    package init(_ wire: Stream) { self.wire = wire }

    /// Sends a request and reads its response.
    package func exchange(_ request: Request) throws -> Response {
        try wire.send(request.bytes)
        return try response(to: request)
    }

    /// The next response.
    ///
    /// The client retries with a copy of the reader whenever bytes arrive, so that the reader never waits for missing
    /// bytes.
    package func response(to request: Request = Request()) throws -> Response {
        while true {
            var attempt = reader
            do {
                let response = try attempt.next(to: request.method, upgrade: request.isUpgrade)
                reader = attempt
                return response
            } catch let missing as ResponseReader.Missing where missing.isIncomplete && !isFinished {
                guard let bytes = try wire.nextBytes() else { throw missing }
                isFinished = bytes.isEmpty
                if isFinished { reader.finish() } else { reader.receive(bytes[...]) }
            }
        }
    }

    /// Opens a WebSocket.
    @discardableResult
    package func upgrade(_ request: Request) throws -> SocketClient<Stream> {
        try wire.send(request.bytes)
        return try acceptUpgrade(request)
    }

    /// Reads the response to a handshake that was already sent.
    package func acceptUpgrade(_ request: Request) throws -> SocketClient<Stream> {
        let response = try response(to: request)
        guard response.status == 101 else {
            throw ResponseReader.Missing(description: "no 101: \(response.status) \(response.text)")
        }
        let socket = try SocketClient(
            wire, compression: CompressionTerms(agreedIn: response.fields), trailing: reader.takeTrailingBytes())
        self.socket = socket
        return socket
    }
}
