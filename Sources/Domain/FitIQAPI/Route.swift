import HTTPTypes
import Text

/// A path of the API with its ids as text; the backend checks whether an id exists.
public enum Route: Equatable, Sendable {
    /// `/avatars/{persona}.svg`: the URL in `persona.avatar`.
    case avatar(Persona)
    /// A path with operations, and its first id; nil for a path without ids.
    case path(APIPath, id: String?)

    /// The route of a path in percent-decoded segments; nil if there is none in the mode.
    ///
    /// A path with an extra slash or a missing id has no route: its refusal suggests the nearest endpoint, which helps more
    /// than an unknown id.
    public init?(segments: [String], in mode: GuideMode = .union) {
        if segments.count == 2, segments[0] == "avatars", segments[1].hasSuffix(".svg") {
            guard let persona = Persona(rawValue: String(segments[1].dropLast(4))) else { return nil }
            self = .avatar(persona)
            return
        }
        guard let path = APIPath(segments, in: mode) else { return nil }
        self = .path(path, id: path.firstParameter.map { segments[$0] })
    }

    /// The consultation, goal or meal log with this path as it arrived; nil for other paths and for paths that need
    /// decoding.
    ///
    /// A fast path for the most common reads: it creates one string instead of one per segment.
    public init?(entityPath path: UnsafeBufferPointer<UInt8>) {
        // Ids have a fixed length, so the length of the path determines the candidate.
        for (prefix, entity) in Self.entities where path.count == prefix.utf8CodeUnitCount + 36 {
            let start = UnsafeBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount)
            // Eight bytes at a time.
            guard UnsafeBufferPointer(rebasing: path[..<start.count]).equalsInConstantTime(start) else { return nil }
            let id = UnsafeBufferPointer(rebasing: path[start.count...])
            guard id.hasNone({ $0.equal(to: .slash) | $0.equal(to: .percent) }) else { return nil }
            self = .path(entity, id: String(decoding: id, as: UTF8.self))
            return
        }
        return nil
    }

    /// The paths that end with the id of what they show, up to that id.
    private static let entities: [(prefix: StaticString, path: APIPath)] = [
        ("/api/v1/consultations/", APIPath(of: .showConsultation)), ("/api/v1/goals/", APIPath(of: .showGoal)),
        ("/api/v1/meal-logs/", APIPath(of: .showMealLog)),
    ]

    /// The endpoints of the path as far as a mode knows them, if only to say which guide has them.
    public func endpoints(in mode: GuideMode) -> [Endpoint] {
        if case .path(let path, _) = self { path.endpoints(in: mode) } else { [] }
    }

    /// The endpoint for a method; nil if the mode knows none.
    public func endpoint(for method: HTTPRequest.Method, in mode: GuideMode = .union) -> Endpoint? {
        if case .path(let path, _) = self { path.endpoint(for: method, in: mode) } else { nil }
    }

    /// The methods that the path supports in a mode, without OPTIONS; GET implies HEAD.
    public func methods(in mode: GuideMode) -> [HTTPRequest.Method] {
        if case .avatar = self { return [.get, .head] }
        return endpoints(in: mode).filter(mode.serves).flatMap { $0.answersHead ? [$0.method, .head] : [$0.method] }
    }

    /// The first id in the path, if any.
    public var id: String? { if case .path(_, let id) = self { id } else { nil } }

    static func templates(in mode: GuideMode) -> [String] {
        Endpoint.allCases.filter(mode.serves).map(\.template) + [
            "/health", "/ready", "/openapi.yaml", "/asyncapi.yaml", "/docs", "/docs/deviations", "/llms.txt",
            "/__admin/health", "/__admin/echo",
        ]
    }

    /// The refusal of an unknown path; it names the nearest endpoint.
    public static func refusal(ofUnknownPath path: String, in mode: GuideMode) -> APIError {
        if path == "/ws" || path == "/api/v1/ws" || path.hasPrefix("/ws/")
            || mode.servesApps && path == "/api/v1" + Endpoint.mealSocket.template
        {
            return .bareWebSocketPath(path, in: mode)
        }
        return .unknownPath(path, nearest: nearestTemplate(to: path, in: mode))
    }

    /// The path that was probably meant.
    ///
    /// The same path below `/api/v1`, which the guides' diagrams omit; otherwise one with the same end; otherwise the
    /// one with the fewest edits.
    private static func nearestTemplate(to path: String, in mode: GuideMode) -> String? {
        // Ignores the format of ids and the names of their parameters.
        func shape(_ path: String) -> String {
            path.split(separator: "/", omittingEmptySubsequences: false)
                .map { $0.hasPrefix("{") || ResourceID.read(String($0)) != .malformed ? "{id}" : String($0) }
                .joined(separator: "/")
        }
        let templates = templates(in: mode)
        let wanted = shape(path)
        if let same = templates.first(where: { shape($0) == "/api/v1" + wanted }) { return same }
        let end = wanted.split(separator: "/").last
        if end != "{id}", let alike = templates.first(where: { $0.split(separator: "/").last == end }) { return alike }
        let near = NearestWord.find(wanted, among: templates.map(shape))
        return templates.first { shape($0) == near }
    }
}
