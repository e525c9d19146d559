import HTTP1
import HTTPTypes
import WebSocket

/// One client connection without its transport; it converts bytes to client inputs.
///
/// A connection transfers a single request, or a WebSocket's handshake followed by its frames. Output is collected
/// until ``takeOutput()``. Once ``isFinished`` is true, close the transport after sending the output. If the server
/// violates a protocol or a limit, the request or socket fails.
public struct ClientConnection: Sendable {
    public let number: Int
    /// Whether all inputs of this connection have been returned.
    public private(set) var isFinished = false
    private var http: HTTP1.Connection
    private let handshake: ClientHandshake?
    private var socket: WebSocket.Connection?
    private let limits: WireLimits
    private let maskSeed: UInt64
    private var output: [UInt8] = []
    private var answer: ClientResponse?
    private var closes = false

    /// Starts a request on its own connection.
    ///
    /// - Precondition: The request's target is visible ASCII.
    public init(_ request: ClientRequest, to base: BaseURL, limits: WireLimits = WireLimits()) {
        self.init(number: request.number, handshake: nil, maskSeed: 0, limits)
        // Each request has its own connection, so no request is lost when a server closes an idle connection.
        let fields: HTTPFields = [.hostField: base.authority, .connection: "close"]
        http.sendRequest(
            method: request.method, target: base.path + request.target, fields: fields + request.fields,
            body: request.body, into: &output)
    }

    /// Starts the handshake of a WebSocket.
    ///
    /// - Parameter seed: Determines the handshake's key and the frames' masking keys.
    /// - Precondition: The request's target is visible ASCII.
    public init(_ request: ClientSocketRequest, to base: BaseURL, seed: UInt64, limits: WireLimits = WireLimits()) {
        var keys = SeededBytes(seed: seed)
        let handshake = ClientHandshake(key: keys.next(16), offer: request.offersCompression ? CompressionOffer() : nil)
        self.init(number: request.number, handshake: handshake, maskSeed: keys.nextWord(), limits)
        let fields: HTTPFields = [.hostField: base.authority]
        http.sendRequest(
            method: .get, target: base.path + request.target,
            fields: fields + handshake.requestFields + request.fields, body: nil, into: &output)
    }

    private init(number: Int, handshake: ClientHandshake?, maskSeed: UInt64, _ limits: WireLimits) {
        (self.number, self.handshake, self.maskSeed, self.limits) = (number, handshake, maskSeed, limits)
        var httpLimits = HTTP1.Limits()
        httpLimits.body = limits.body
        http = HTTP1.Connection(role: .client, limits: httpLimits)
    }

    /// Returns the pending output in order; each byte is returned only once.
    public mutating func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }

    // MARK: Client actions

    /// Sends a text frame, or does nothing if the socket is not open.
    public mutating func send(text: [UInt8]) { socket?.send(text: text, into: &output) }
    /// Sends a ping, or does nothing if the socket is not open.
    public mutating func ping() { socket?.ping(into: &output) }

    /// Sends a close frame, or abandons a socket that is still in its handshake.
    ///
    /// - Precondition: The code is allowed in a close frame.
    public mutating func close(_ code: CloseCode) -> [ClientInput] {
        guard !isFinished else { return [] }
        closes = true
        if socket != nil {
            socket?.close(code: code, into: &output)
            return []
        }
        return [closed(code: nil, reason: "the socket was closed before its handshake was answered")]
    }

    // MARK: Transport events

    public mutating func receive(_ bytes: [UInt8]) -> [ClientInput] {
        guard !isFinished, !bytes.isEmpty else { return [] }
        if socket != nil { return receiveFrames(bytes) }
        http.receive(bytes)
        return readAnswer()
    }

    public mutating func receiveEndOfStream() -> [ClientInput] {
        guard !isFinished else { return [] }
        if socket != nil { return end("the connection ended without a close frame") }
        http.receiveEndOfStream()
        return readAnswer()
    }

    /// Handles a connection that failed to open or broke.
    public mutating func fail(_ reason: String) -> [ClientInput] { isFinished ? [] : end(reason) }

    private mutating func readAnswer() -> [ClientInput] {
        while true {
            let event: HTTP1.Event
            do throws(RemoteError) {
                event = try http.nextEvent()
            } catch {
                return end("\(ClientError.badHTTP(error))")
            }
            switch event {
            case .response(let head) where head.status.code == 101: return switchProtocols(head)
            case .response(let head):
                answer = ClientResponse(number: number, status: head.status.code, fields: head.fields.httpFields)
            case .body(let bytes): answer?.body += bytes
            case .end:
                // HTTP1 reports the head of a message before its end.
                guard let answer else { preconditionFailure("a body without a head") }
                isFinished = true
                return [handshake == nil ? .response(answer) : .socketRefused(answer)]
            case .informational: continue
            case .needsData, .paused: return []
            case .connectionClosed, .request: return end("\(ClientError.truncatedResponse)")
            }
        }
    }

    private mutating func switchProtocols(_ head: ResponseHead) -> [ClientInput] {
        // HTTP1 rejects a 101 in response to a request without Upgrade.
        guard let handshake else { preconditionFailure("an unrequested change of protocol") }
        if let failure = handshake.verify(status: head.status, fields: head.fields.httpFields) {
            return end("\(ClientError.handshake("\(failure)"))")
        }
        socket = WebSocket.Connection(
            role: .client, limits: WebSocket.Limits(message: limits.message), maskSeed: maskSeed,
            compression: CompressionTerms(agreedIn: head.fields.httpFields))
        let first = http.takeTrailingBytes()
        return [.socketOpened(number)] + (first.isEmpty ? [] : receiveFrames(first))
    }

    private mutating func receiveFrames(_ bytes: [UInt8]) -> [ClientInput] {
        var events: [WebSocket.Event] = []
        socket?.receive(bytes, events: &events, output: &output)
        return events.compactMap { event in
            switch event {
            case .text(let text): return .text(socket: number, text)
            case .binary: return .binary(socket: number)
            case .pong: return .pong(socket: number)
            case .ping: return nil
            case .closing(let code, let reason): return closed(code: code ?? .noStatus, reason: reason)
            case .failed(_, let message): return closed(code: nil, reason: message)
            }
        }
    }

    private mutating func end(_ reason: String) -> [ClientInput] {
        if socket != nil { return [closed(code: nil, reason: reason)] }
        isFinished = true
        return [handshake == nil ? .requestFailed(number: number, reason) : .socketFailed(number: number, reason)]
    }

    private mutating func closed(code: CloseCode?, reason: String) -> ClientInput {
        isFinished = true
        return .socketClosed(ClientSocketEnd(number: number, code: code, reason: reason, isOwn: closes))
    }
}
