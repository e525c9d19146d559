import FitIQAPI
import HTTPTypes
import JSON
import MockServer

/// A request as it goes over the wire, good or bad.
struct Request: CustomStringConvertible {
    var method: HTTPRequest.Method = .get
    var target = "/health"
    var version = "HTTP/1.1"
    var fields: [String] = []
    var body: [UInt8]?

    /// A request with good credentials.
    static func authorized(
        _ method: HTTPRequest.Method, _ target: String, as user: String = DevelopmentCredentials.userID
    ) -> Request {
        Request(method: method, target: target, fields: [bearer(token(for: user)), apiKey])
    }

    static func create(_ json: String = #"{"persona":"nutritionist"}"#, as user: String = DevelopmentCredentials.userID)
        -> Request
    {
        authorized(.post, "/api/v1/consultations", as: user).json(json)
    }

    /// A WebSocket handshake; with credentials in its fields where a user is named.
    static func handshake(_ target: String, as user: String? = nil) -> Request {
        var request = Request(target: target)
        if let user { request = .authorized(.get, target, as: user) }
        request.fields += [
            "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        return request
    }

    static let apiKey = "X-API-Key: \(DevelopmentCredentials.apiKey)"
    static func bearer(_ token: String) -> String { "Authorization: Bearer \(token)" }

    static func token(for user: String, secret: String = DevelopmentCredentials.jwtSecret) -> String {
        AccessToken(subject: ExactString(user), expiresAt: DevelopmentCredentials.expiresAt).signed(
            with: Array(secret.utf8))
    }

    func json(_ text: String) -> Request {
        var request = self
        request.body = Array(text.utf8)
        request.fields.append("Content-Type: application/json")
        return request
    }

    func with(_ field: String) -> Request {
        var request = self
        request.fields.append(field)
        return request
    }

    var isUpgrade: Bool { fields.contains { $0.lowercased().hasPrefix("upgrade:") } }

    var head: String {
        var lines = ["\(method.rawValue) \(target) \(version)", "Host: localhost"] + fields
        if let body { lines.append("Content-Length: \(body.count)") }
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }

    var bytes: [UInt8] { Array(head.utf8) + (body ?? []) }
    var description: String { "\(method.rawValue) \(target)" }
}
