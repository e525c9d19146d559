import HTTPTypes

/// An endpoint of the API and the ids in its path, as text: whether an id exists is the backend's to say.
public enum Route: Equatable, Sendable {
    /// `/api/v1/consultations`
    case consultations
    /// `/api/v1/consultations/quick-actions`
    case quickActions
    /// `/api/v1/consultations/{id}`
    case consultation(String)
    /// `/api/v1/consultations/{id}/messages`
    case messages(String)
    /// `/api/v1/consultations/{id}/archive`
    case archive(String)
    /// `/api/v1/consultations/{id}/ws`
    case webSocket(String)
    /// `/avatars/{persona}.svg`: what `persona.avatar` names.
    case avatar(Persona)

    /// The endpoint with this path, given as percent-decoded segments; nil where there is none.
    public init?(segments: [String]) {
        if segments.count == 2, segments[0] == "avatars", segments[1].hasSuffix(".svg") {
            guard let persona = Persona(rawValue: String(segments[1].dropLast(4))) else { return nil }
            self = .avatar(persona)
            return
        }
        guard segments.count >= 3, segments[0] == "api", segments[1] == "v1", segments[2] == "consultations" else {
            return nil
        }
        switch segments.count {
        case 3: self = .consultations
        case 4 where segments[3] == "quick-actions": self = .quickActions
        // A slash too many, or an id that is missing: the hint at the nearest endpoint helps more than an unknown id.
        case 4 where segments[3].isEmpty: return nil
        case 4: self = .consultation(segments[3])
        case 5:
            switch segments[4] {
            case "messages": self = .messages(segments[3])
            case "archive": self = .archive(segments[3])
            case "ws": self = .webSocket(segments[3])
            default: return nil
            }
        default: return nil
        }
    }

    /// The consultation with this path, given as it arrived; nil where it is another endpoint, or has to be decoded.
    ///
    /// A short cut for what clients read most: it makes one string instead of one for each segment.
    public init?(consultationPath path: UnsafeBufferPointer<UInt8>) {
        guard path.count == Self.consultationPrefix.utf8CodeUnitCount + 36 else { return nil }
        for index in 0..<Self.consultationPrefix.utf8CodeUnitCount
        where path[index] != Self.consultationPrefix.utf8Start[index] {
            return nil
        }
        let id = path[Self.consultationPrefix.utf8CodeUnitCount...]
        guard !id.contains(UInt8(ascii: "/")), !id.contains(UInt8(ascii: "%")) else { return nil }
        self = .consultation(String(decoding: id, as: UTF8.self))
    }

    private static let consultationPrefix: StaticString = "/api/v1/consultations/"

    /// The methods that the endpoint answers, beside OPTIONS; GET brings HEAD along.
    public var methods: [HTTPRequest.Method] {
        switch self {
        case .consultations: [.get, .head, .post]
        case .consultation, .messages, .quickActions, .avatar: [.get, .head]
        case .archive: [.post]
        case .webSocket: [.get]
        }
    }

    /// The path's id, where it has one.
    public var id: String? {
        switch self {
        case .consultation(let id), .messages(let id), .archive(let id), .webSocket(let id): id
        case .consultations, .quickActions, .avatar: nil
        }
    }

    /// The endpoints as people write them, for hints.
    public static let templates = [
        "/api/v1/consultations", "/api/v1/consultations/quick-actions", "/api/v1/consultations/{id}",
        "/api/v1/consultations/{id}/messages", "/api/v1/consultations/{id}/archive", "/api/v1/consultations/{id}/ws",
        "/health", "/ready", "/__admin/health", "/__admin/echo",
    ]

    /// The refusal for a path that is no endpoint, naming the nearest one.
    public static func refusal(ofUnknownPath path: String) -> APIError {
        if path == "/ws" || path.hasPrefix("/ws/") { return .bareWebSocketPath }
        // An id is as long as half of a path: it would drown the difference that matters.
        let shape = path.split(separator: "/", omittingEmptySubsequences: false)
            .map { ResourceID.read(String($0)) == .malformed ? String($0) : "{id}" }
            .joined(separator: "/")
        return .unknownPath(path, nearest: NearMiss.nearest(to: shape, among: templates))
    }
}
