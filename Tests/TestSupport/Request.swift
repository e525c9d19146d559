import FitIQAPI
import HTTPTypes
import JSON
import MockServer

/// A request as sent over the wire, which may be invalid.
package struct Request: CustomStringConvertible {
    package var method: HTTPRequest.Method
    package var target: String
    package var version: String
    package var fields: [String]
    package var body: [UInt8]?

    package init(
        method: HTTPRequest.Method = .get, target: String = "/health", version: String = "HTTP/1.1",
        fields: [String] = [], body: [UInt8]? = nil
    ) {
        (self.method, self.target, self.version) = (method, target, version)
        (self.fields, self.body) = (fields, body)
    }

    /// A request with valid credentials.
    package static func authorized(
        _ method: HTTPRequest.Method, _ target: String, as user: String = DevelopmentCredentials.userID
    ) -> Request {
        Request(method: method, target: target, fields: [bearer(token(for: user)), apiKey])
    }

    package static func create(
        _ json: String = #"{"persona":"nutritionist"}"#, as user: String = DevelopmentCredentials.userID
    )
        -> Request
    {
        authorized(.post, "/api/v1/consultations", as: user).json(json)
    }

    /// A WebSocket handshake, with credentials in its header fields if a user is named.
    package static func handshake(_ target: String, as user: String? = nil) -> Request {
        var request = Request(target: target)
        if let user { request = .authorized(.get, target, as: user) }
        request.fields += [
            "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        return request
    }

    package static let apiKey = "X-API-Key: \(DevelopmentCredentials.apiKey)"
    package static func bearer(_ token: String) -> String { "Authorization: Bearer \(token)" }

    package static func token(for user: String, secret: String = DevelopmentCredentials.jwtSecret) -> String {
        AccessToken(subject: ExactString(user), expiresAt: DevelopmentCredentials.expiresAt).signed(
            with: Array(secret.utf8))
    }

    package func json(_ text: String) -> Request {
        var request = self
        request.body = Array(text.utf8)
        request.fields.append("Content-Type: application/json")
        return request
    }

    package func with(_ field: String) -> Request {
        var request = self
        request.fields.append(field)
        return request
    }

    package var isUpgrade: Bool { fields.contains { $0.lowercased().hasPrefix("upgrade:") } }

    package var head: String {
        var lines = ["\(method.rawValue) \(target) \(version)", "Host: localhost"] + fields
        if let body { lines.append("Content-Length: \(body.count)") }
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }

    package var bytes: [UInt8] { Array(head.utf8) + (body ?? []) }
    package var description: String { "\(method.rawValue) \(target)" }
}
