import Digests
import FitIQAPI
import HTTP1
import HTTPTypes
import JSON
import Replay
import Sessions
import WebSocket

extension Exchange {
    /// What a player is asked.
    ///
    /// - Parameter secureOrigin: where the server is reached over TLS, for a request that came so: URLs in the answer shall
    ///   begin with it.
    func replayRequest(secureOrigin: String?) -> ReplayRequest {
        var target = head.target.path
        if let query = head.target.query { target += "?" + query }
        let pairs = head.fields.httpFields.map { SessionField($0.name.rawName, $0.value) }
        return ReplayRequest(
            method: head.method.rawValue, target: target, fields: pairs, body: body,
            isHandshake: head.isWebSocketHandshake,
            origin: secureOrigin.map { $0 + (destination.worldID.map { "/w/\($0)" } ?? "") })
    }
}

extension RequestHead {
    /// Whether it asks for a WebSocket.
    var isWebSocketHandshake: Bool {
        wantsUpgrade && fields.hasToken("websocket", in: .upgrade)
    }

    /// Whose credentials it brings, which nobody has verified: a recording has accepted them or others in their place.
    ///
    /// The token's subject; `replayed` where it tells none, and nil without credentials.
    var presentedUser: ExactString? {
        let token: String?
        if let field = fields[.authorization] {
            token = field.lowercased().hasPrefix("bearer ") ? String(field.dropFirst(7)) : field
        } else {
            token = target.queryItems().first { $0.name == "token" }?.value
        }
        guard let token else { return fields.contains(.xAPIKey) ? Self.unknownUser : nil }
        return Self.subject(of: token) ?? Self.unknownUser
    }

    /// What the journal calls a user whose token tells no name.
    private static let unknownUser: ExactString = "replayed"

    /// The claim `sub` of a JSON Web Token (RFC 7519 §4.1.2), as far as a user can have it.
    private static func subject(of token: String) -> ExactString? {
        guard token.utf8.count <= 4096 else { return nil }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64.decodeURL(String(parts[1])),
            let subject = (try? JSON.parse(payload))?["sub"]?.string, AccessToken.isUser(subject)
        else { return nil }
        return ExactString(subject)
    }
}

extension Playback {
    /// How a recorded answer goes.
    init(_ response: ReplayResponse) {
        wait = response.after
        guard response.then == .finish else { return }
        // A length that is not known was longer than what there is, or nothing would have been cut off.
        missing = max((response.declaredLength ?? 0) - response.body.count, 1)
        ending = .finish
    }
}

extension Answer {
    /// An answer as it was recorded.
    init(_ response: ReplayResponse) {
        self.init(
            status: HTTPResponse.Status(code: min(max(response.status, 200), 999)), body: response.body,
            fields: HTTPFields(response.fields))
        isRecorded = true
        declaredLength = response.declaredLength
    }
}

extension HTTPFields {
    /// Fields as they were recorded; those with a name that none can have are left out.
    init(_ fields: [SessionField]) {
        self.init()
        for field in fields {
            guard let name = HTTPField.Name(field.name) else { continue }
            append(HTTPField(name: name, value: field.value))
        }
    }
}
