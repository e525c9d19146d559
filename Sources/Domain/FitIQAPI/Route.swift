import HTTPTypes
import Text

/// A path of the API with its ids as text; the backend checks whether an id exists.
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
    /// `/avatars/{persona}.svg`: the URL in `persona.avatar`.
    case avatar(Persona)

    /// `/api/v1/consultations/chat-about-goal`
    case chatAboutGoal
    /// `/api/v1/goals`
    case goals
    /// `/api/v1/goals/{goalId}`
    case goal(String)
    /// `/api/v1/meal-logs`
    case mealLogs
    /// `/api/v1/meal-logs/natural`
    case naturalMealLogs
    /// `/api/v1/meal-logs/{id}`
    case mealLog(String)

    /// The route of a path in percent-decoded segments; nil if there is none.
    public init?(segments: [String]) {
        if segments.count == 2, segments[0] == "avatars", segments[1].hasSuffix(".svg") {
            guard let persona = Persona(rawValue: String(segments[1].dropLast(4))) else { return nil }
            self = .avatar(persona)
            return
        }
        guard segments.count >= 3, segments[0] == "api", segments[1] == "v1" else { return nil }
        let rest = segments[3...]
        // An extra slash or a missing id: a hint at the nearest endpoint helps more than an unknown id.
        guard !rest.contains("") else { return nil }
        switch segments[2] {
        case "consultations": self.init(belowConsultations: rest)
        case "goals": self.init(below: rest, collection: .goals, item: Route.goal)
        case "meal-logs" where rest == ["natural"]: self = .naturalMealLogs
        case "meal-logs": self.init(below: rest, collection: .mealLogs, item: Route.mealLog)
        default: return nil
        }
    }

    private init?(belowConsultations rest: ArraySlice<String>) {
        guard rest.count == 2, let id = rest.first, let part = rest.last else {
            switch rest {
            case ["quick-actions"]: self = .quickActions
            case ["chat-about-goal"]: self = .chatAboutGoal
            default: self.init(below: rest, collection: .consultations, item: Route.consultation)
            }
            return
        }
        switch part {
        case "messages": self = .messages(id)
        case "archive": self = .archive(id)
        case "ws": self = .webSocket(id)
        default: return nil
        }
    }

    private init?(below rest: ArraySlice<String>, collection: Route, item: (String) -> Route) {
        guard let id = rest.first else {
            self = collection
            return
        }
        guard rest.count == 1 else { return nil }
        self = item(id)
    }

    /// The consultation, goal or meal log with this path as it arrived; nil for other paths and for paths that need
    /// decoding.
    ///
    /// A fast path for the most common reads: it creates one string instead of one per segment.
    public init?(entityPath path: UnsafeBufferPointer<UInt8>) {
        // Ids have a fixed length, so the length of the path determines the candidates.
        switch path.count - 36 {
        case Self.consultationPrefix.utf8CodeUnitCount:
            guard let id = Self.id(in: path, after: Self.consultationPrefix) else { return nil }
            self = .consultation(id)
        case Self.goalPrefix.utf8CodeUnitCount:
            guard let id = Self.id(in: path, after: Self.goalPrefix) else { return nil }
            self = .goal(id)
        case Self.mealLogPrefix.utf8CodeUnitCount:
            guard let id = Self.id(in: path, after: Self.mealLogPrefix) else { return nil }
            self = .mealLog(id)
        default: return nil
        }
    }

    private static let consultationPrefix: StaticString = "/api/v1/consultations/"
    private static let goalPrefix: StaticString = "/api/v1/goals/"
    private static let mealLogPrefix: StaticString = "/api/v1/meal-logs/"

    private static func id(in path: UnsafeBufferPointer<UInt8>, after prefix: StaticString) -> String? {
        for index in 0..<prefix.utf8CodeUnitCount where path[index] != prefix.utf8Start[index] { return nil }
        let id = path[prefix.utf8CodeUnitCount...]
        guard !id.contains(UInt8(ascii: "/")), !id.contains(UInt8(ascii: "%")) else { return nil }
        return String(decoding: id, as: UTF8.self)
    }

    /// The endpoints of the path in any mode.
    public var endpoints: [Endpoint] {
        switch self {
        case .consultations: [.listConsultations, .createConsultation]
        case .quickActions: [.listQuickActions]
        case .chatAboutGoal: [.chatAboutGoal]
        case .consultation: [.showConsultation]
        case .messages: [.listMessages]
        case .archive: [.archiveConsultation]
        case .webSocket: [.webSocket]
        case .goals: [.listGoals, .createGoal]
        case .goal: [.showGoal, .updateGoal]
        case .mealLogs: [.listMealLogs]
        case .naturalMealLogs: [.createMealLog]
        case .mealLog: [.showMealLog]
        case .avatar: []
        }
    }

    /// The endpoint for a method; nil if no mode has one.
    public func endpoint(for method: HTTPRequest.Method) -> Endpoint? {
        // The fast path for most requests.
        if method == .get {
            switch self {
            case .consultation: return .showConsultation
            case .goal: return .showGoal
            case .mealLog: return .showMealLog
            default: break
            }
        }
        return method == .head
            ? endpoints.first(where: \.answersHead) : endpoints.first { $0.method == method }
    }

    /// The methods that the path supports in a mode, without OPTIONS; GET implies HEAD.
    public func methods(in mode: GuideMode) -> [HTTPRequest.Method] {
        if case .avatar = self { return [.get, .head] }
        return endpoints.filter(mode.serves).flatMap { $0.answersHead ? [$0.method, .head] : [$0.method] }
    }

    /// The id in the path, if any.
    public var id: String? {
        switch self {
        case .consultation(let id), .messages(let id), .archive(let id), .webSocket(let id), .goal(let id),
            .mealLog(let id):
            id
        case .consultations, .quickActions, .chatAboutGoal, .goals, .mealLogs, .naturalMealLogs, .avatar: nil
        }
    }

    /// The paths of a mode with their parameters in braces, for hints.
    static func templates(in mode: GuideMode) -> [String] {
        Endpoint.allCases.filter(mode.serves).map(\.template) + [
            "/health", "/ready", "/openapi.yaml", "/asyncapi.yaml", "/docs", "/docs/deviations", "/__admin/health",
            "/__admin/echo",
        ]
    }

    /// The refusal of an unknown path; it names the nearest endpoint.
    public static func refusal(ofUnknownPath path: String, in mode: GuideMode) -> APIError {
        if path == "/ws" || path == "/api/v1/ws" || path.hasPrefix("/ws/") { return .bareWebSocketPath }
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
        let last = wanted.split(separator: "/").last
        if last != "{id}", let alike = templates.first(where: { $0.split(separator: "/").last == last }) {
            return alike
        }
        return NearestWord.find(wanted, among: templates.map(shape)).flatMap { near in
            templates.first { shape($0) == near }
        }
    }
}
