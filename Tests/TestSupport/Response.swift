import HTTP1
import HTTPTypes
import JSON

/// A response as a client reads it.
package struct Response {
    package let status: Int
    package let fields: HTTPFields
    package let body: [UInt8]
    /// The statuses of the interim responses before it.
    package var interim: [Int] = []

    package var text: String { String(decoding: body, as: UTF8.self) }
    package var json: JSONValue? { try? JSON.parse(body) }
    package var errorCode: String? { json?["error"]?["code"]?.string }
    package var message: String { json?["error"]?["message"]?.string ?? "" }
}

/// Reads responses with HTTP1's client half, which checks the server's grammar.
package struct ResponseReader {
    private var http: HTTP1.Connection

    /// The error thrown when an expected response is missing.
    package struct Missing: Error, CustomStringConvertible {
        package let description: String
        /// Whether more bytes may complete it.
        package var isIncomplete = false
    }

    package init() {
        var limits = HTTP1.Limits()
        limits.body = 1 << 30
        http = HTTP1.Connection(role: .client, limits: limits)
    }

    package mutating func receive(_ bytes: ArraySlice<UInt8>) { http.receive(bytes) }

    package mutating func finish() { http.receiveEndOfStream() }

    /// The next response, which must answer a request with this method.
    package mutating func next(to method: HTTPRequest.Method, upgrade: Bool) throws -> Response {
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

    /// The bytes that arrived after a 101.
    package mutating func takeTrailingBytes() -> [UInt8] { http.takeTrailingBytes() }
}
