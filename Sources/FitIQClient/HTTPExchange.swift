import HTTP1
import HTTPTypes
import Sockets

/// One request and its response on a connection of its own, which a handshake may turn into a WebSocket.
struct HTTPExchange {
    let stream: BlockingStream
    private let base: BaseURL
    private let timeout: Duration
    private var connection = HTTP1.Connection(role: .client)

    init(base: BaseURL, timeout: Duration) throws(ClientError) {
        self.base = base
        self.timeout = timeout
        do {
            stream = try BlockingStream.connect(host: base.host, port: base.port, timeout: timeout)
        } catch {
            throw .transport(error)
        }
    }

    mutating func send(
        _ method: HTTPRequest.Method, _ path: String, fields: HTTPFields, body: [UInt8]?
    ) throws(ClientError) {
        var fields = fields
        fields[.hostField] = base.authority
        var output: [UInt8] = []
        connection.sendRequest(method: method, target: base.path + path, fields: fields, body: body, into: &output)
        do {
            try stream.write(output, timeout: timeout)
        } catch {
            throw .transport(error)
        }
    }

    /// Waits for the head of the final response.
    mutating func receiveHead() throws(ClientError) -> ResponseHead {
        while true {
            if case .response(let head) = try nextEvent() { return head }
        }
    }

    /// Waits for the rest of the response.
    mutating func receiveBody() throws(ClientError) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            switch try nextEvent() {
            case .body(let part): bytes += part
            case .end: return bytes
            default: continue
            }
        }
    }

    /// What has arrived after a 101, which belongs to the new protocol.
    mutating func takeTrailingBytes() -> [UInt8] {
        connection.takeTrailingBytes()
    }

    func close() {
        stream.close()
    }

    private mutating func nextEvent() throws(ClientError) -> Event {
        while true {
            let event: Event
            do {
                event = try connection.nextEvent()
            } catch {
                throw .badHTTP(error)
            }
            switch event {
            case .needsData: try receive()
            case .connectionClosed: throw .truncatedResponse
            default: return event
            }
        }
    }

    private mutating func receive() throws(ClientError) {
        do {
            let bytes = try stream.read(timeout: timeout)
            if bytes.isEmpty { connection.receiveEndOfStream() } else { connection.receive(bytes) }
        } catch {
            throw .transport(error)
        }
    }
}
