import HTTP1
import HTTPTypes
import JSON

/// A response as a client reads it.
struct Response {
    let status: Int
    let fields: HTTPFields
    let body: [UInt8]
    /// The interim responses before it.
    var interim: [Int] = []

    var text: String { String(decoding: body, as: UTF8.self) }
    var json: JSONValue? { try? JSON.parse(body) }
    var errorCode: String? { json?["error"]?["code"]?.string }
    var message: String { json?["error"]?["message"]?.string ?? "" }
}

/// Reads responses with the client's half of HTTP1, which holds the server to the grammar.
struct ResponseReader {
    private var http: HTTP1.Connection

    /// What is wrong with a response that was expected.
    struct Missing: Error, CustomStringConvertible {
        let description: String
        /// Whether more bytes may complete it.
        var isIncomplete = false
    }

    init() {
        var limits = HTTP1.Limits()
        limits.body = 1 << 30
        http = HTTP1.Connection(role: .client, limits: limits)
    }

    mutating func receive(_ bytes: ArraySlice<UInt8>) { http.receive(bytes) }

    mutating func finish() { http.receiveEndOfStream() }

    /// The next response; it answers a request with this method.
    mutating func next(to method: HTTPRequest.Method, upgrade: Bool) throws -> Response {
        guard http.ourState == .idle else { throw Missing(description: "the server closes: \(http.ourState)") }
        var fields: HTTPFields = [.hostField: "localhost"]
        if upgrade {
            fields[.upgrade] = "websocket"
            fields[.connection] = "Upgrade"
        }
        var sentBefore: [UInt8] = []
        http.sendRequest(method: method, target: "/", fields: fields, body: nil, into: &sentBefore)
        var head: ResponseHead?
        var interim: [Int] = []
        var body: [UInt8] = []
        while true {
            switch try http.nextEvent() {
            case .informational(let response): interim.append(response.status.code)
            case .response(let response):
                head = response
                if response.status.code != 101 { continue }
                return Response(status: 101, fields: response.fields.httpFields, body: [], interim: interim)
            case .body(let bytes): body += bytes
            case .end:
                guard let head else { throw Missing(description: "a body without a head") }
                return Response(
                    status: head.status.code, fields: head.fields.httpFields, body: body, interim: interim)
            case .needsData, .paused: throw Missing(description: "no complete response arrived", isIncomplete: true)
            case .connectionClosed, .request: throw Missing(description: "the connection closed without a response")
            }
        }
    }

    /// What arrived after a 101.
    mutating func takeTrailingBytes() -> [UInt8] { http.takeTrailingBytes() }
}

/// A client that speaks HTTP over a virtual connection.
final class HTTPClient {
    let wire: VirtualClient
    private var reader = ResponseReader()
    private var isFinished = false

    init(_ wire: VirtualClient) { self.wire = wire }

    convenience init(_ network: VirtualNetwork) throws { self.init(try network.open()) }

    /// Sends a request and reads its response.
    func exchange(_ request: Request) throws -> Response {
        wire.send(request.bytes)
        return try response(to: request)
    }

    /// The next response among what has arrived.
    func response(to request: Request = Request()) throws -> Response {
        feed()
        return try reader.next(to: request.method, upgrade: request.isUpgrade)
    }

    /// Opens a WebSocket.
    func upgrade(_ request: Request) throws -> SocketClient {
        wire.send(request.bytes)
        return try acceptUpgrade(request)
    }

    /// Takes the answer to a handshake that was sent.
    func acceptUpgrade(_ request: Request) throws -> SocketClient {
        let response = try response(to: request)
        guard response.status == 101 else {
            throw ResponseReader.Missing(description: "no 101: \(response.status) \(response.text)")
        }
        return SocketClient(wire, trailing: reader.takeTrailingBytes())
    }

    private func feed() {
        let bytes = wire.takeReceived()
        if !bytes.isEmpty { reader.receive(bytes) }
        if wire.sawEndOfStream || wire.ending != .open, !isFinished {
            isFinished = true
            reader.finish()
        }
    }
}
