import FitIQAPI
import MockServer

/// A request to a full server.
struct Call: Sendable {
    let method: String
    let target: String
    /// Lines for the head, without credentials.
    var fields: [String] = []
    /// The table's text for the body.
    let label: String
    private let makeBody: @Sendable () -> String

    init(_ method: String, _ target: String, _ body: String = "", fields: [String] = []) {
        (self.method, self.target, self.fields, label) = (method, target, fields, body)
        makeBody = { body }
    }

    /// A call with a body that is too large to show or to keep.
    init(
        _ method: String, _ target: String, fields: [String] = [], label: String,
        body: @escaping @Sendable () -> String
    ) {
        (self.method, self.target, self.fields, self.label, makeBody) = (method, target, fields, label, body)
    }

    func bytes(as user: String = DevelopmentCredentials.userID) -> [UInt8] {
        let body = makeBody()
        let token = AccessToken(subject: "\(user)", expiresAt: DevelopmentCredentials.expiresAt)
            .signed(with: Array(DevelopmentCredentials.jwtSecret.utf8))
        var lines = ["\(method) \(target) HTTP/1.1", "Host: localhost"] + fields
        lines += ["Authorization: Bearer \(token)", "X-API-Key: \(DevelopmentCredentials.apiKey)"]
        if !body.isEmpty { lines += ["Content-Type: application/json", "Content-Length: \(body.utf8.count)"] }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }

    /// A WebSocket's handshake.
    static func handshake(_ target: String, fields: [String] = []) -> Call {
        Call(
            "GET", target,
            fields: fields + [
                "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            ])
    }
}

/// A measured action: a row of the table.
struct Row: Sendable {
    /// The action's name in the table.
    let name: String
    /// The admin API's path and method, if it is a call.
    let call: Call?
    /// Prepares the measured action, without being measured itself.
    let prepare: @Sendable (Turns) throws -> (() throws -> Turns.Answer?)

    /// A call whose answer must have a status, or be a success without one.
    static func call(_ call: Call, status: Int? = nil) -> Row {
        Row(
            name: "`\(call.method) \(call.target.prefix(100))`\(call.label.isEmpty ? "" : " `\(call.label)`")",
            call: call,
            prepare: { turns in
                let request = call.bytes()
                return {
                    let answer = turns.ask(request)
                    let isDue = status.map { $0 == answer.status } ?? (101..<300).contains(answer.status)
                    guard isDue else { throw Unexpected(answer.text) }
                    return answer
                }
            })
    }

    /// Another action of the loop.
    static func act(_ name: String, _ prepare: @escaping @Sendable (Turns) throws -> (() throws -> Void)) -> Row {
        Row(
            name: name, call: nil,
            prepare: { turns in
                let act = try prepare(turns)
                return {
                    try act()
                    return nil
                }
            })
    }

    static func get(_ path: String, fields: [String] = [], status: Int? = nil) -> Row {
        .call(Call("GET", admin + path, fields: fields), status: status)
    }

    static func post(_ path: String, _ body: String) -> Row { .call(Call("POST", admin + path, body)) }
    static func delete(_ path: String) -> Row { .call(Call("DELETE", admin + path)) }

    static let admin = "/__admin/"
}

struct Unexpected: Error, CustomStringConvertible {
    let description: String
    init(_ text: String) { description = "holds-load: an unexpected answer: \(text.prefix(1000))" }
}
