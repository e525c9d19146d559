import HTTPTypes
import Text

/// A path of the API with its ids as text; the backend checks whether an id exists.
public enum Route: Equatable, Sendable {
    case consultations, quickActions, chatAboutGoal
    case consultation(String)
    case messages(String)
    case archive(String)
    case webSocket(String)
    case goals
    case goal(String)
    case mealLogs, naturalMealLogs
    case mealLog(String)
    /// `/avatars/{persona}.svg`: the URL in `persona.avatar`.
    case avatar(Persona)
    /// A path that only the apps use, with its parameters.
    case app(AppPath, [String])

    /// The route of a path in percent-decoded segments; nil if there is none in the mode.
    public init?(segments: [String], in mode: GuideMode = .union) {
        if segments.count == 2, segments[0] == "avatars", segments[1].hasSuffix(".svg") {
            guard let persona = Persona(rawValue: String(segments[1].dropLast(4))) else { return nil }
            self = .avatar(persona)
            return
        }
        // An extra slash or a missing id: a hint at the nearest endpoint helps more than an unknown id.
        guard !segments.contains("") else { return nil }
        // The guides' lists are asked for often; no path of the apps looks like one.
        let isList =
            segments.count == 3
            && (segments[2] == "consultations" || segments[2] == "goals" || segments[2] == "meal-logs")
        if mode.servesApps, !isList, let (path, parameters) = AppPath.matching(segments) {
            self = .app(path, parameters)
            return
        }
        guard 3...5 ~= segments.count, segments[0] == "api", segments[1] == "v1" else { return nil }
        let id = segments.count > 3 ? segments[3] : nil
        let part = segments.count > 4 ? segments[4] : nil
        switch (segments[2], id, part) {
        case ("consultations", nil, nil): self = .consultations
        case ("consultations", "quick-actions", nil): self = .quickActions
        case ("consultations", "chat-about-goal", nil): self = .chatAboutGoal
        case ("consultations", let id?, nil): self = .consultation(id)
        case ("consultations", let id?, "messages"): self = .messages(id)
        case ("consultations", let id?, "archive"): self = .archive(id)
        case ("consultations", let id?, "ws"): self = .webSocket(id)
        case ("goals", nil, nil): self = .goals
        case ("goals", let id?, nil): self = .goal(id)
        case ("meal-logs", nil, nil): self = .mealLogs
        case ("meal-logs", "natural", nil): self = .naturalMealLogs
        case ("meal-logs", let id?, nil): self = .mealLog(id)
        default: return nil
        }
    }

    /// The consultation, goal or meal log with this path as it arrived; nil for other paths and for paths that need
    /// decoding.
    ///
    /// A fast path for the most common reads: it creates one string instead of one per segment.
    public init?(entityPath path: UnsafeBufferPointer<UInt8>) {
        // Ids have a fixed length, so the length of the path determines the candidates.
        switch path.count - 36 {
        case Self.consultationPrefix.utf8CodeUnitCount:
            self.init(path, after: Self.consultationPrefix, Self.consultation)
        case Self.goalPrefix.utf8CodeUnitCount: self.init(path, after: Self.goalPrefix, Self.goal)
        case Self.mealLogPrefix.utf8CodeUnitCount: self.init(path, after: Self.mealLogPrefix, Self.mealLog)
        default: return nil
        }
    }

    private static let consultationPrefix: StaticString = "/api/v1/consultations/"
    private static let goalPrefix: StaticString = "/api/v1/goals/"
    private static let mealLogPrefix: StaticString = "/api/v1/meal-logs/"

    private init?(_ path: UnsafeBufferPointer<UInt8>, after prefix: StaticString, _ entity: (String) -> Route) {
        for index in 0..<prefix.utf8CodeUnitCount where path[index] != prefix.utf8Start[index] { return nil }
        let id = path[prefix.utf8CodeUnitCount...]
        guard !id.contains(.slash), !id.contains(.percent) else { return nil }
        self = entity(String(decoding: id, as: UTF8.self))
    }

    /// The endpoints of the path as far as a mode knows them, if only to say which guide has them.
    public func endpoints(in mode: GuideMode) -> [Endpoint] {
        let all: [Endpoint] =
            switch self {
            case .consultations: [.listConsultations, .createConsultation]
            case .quickActions: [.listQuickActions]
            case .chatAboutGoal: [.chatAboutGoal]
            case .consultation: [.showConsultation, .updateConsultation, .deleteConsultation]
            case .messages: [.listMessages, .sendMessage]
            case .archive: [.archiveConsultation]
            case .webSocket: [.webSocket]
            case .goals: [.listGoals, .createGoal]
            case .goal: [.showGoal, .updateGoal, .replaceGoal, .deleteGoal]
            case .mealLogs: [.listMealLogs]
            case .naturalMealLogs: [.createMealLog]
            case .mealLog: [.showMealLog, .updateMealLog, .deleteMealLog]
            case .app(let path, _): path.endpoints
            case .avatar: []
            }
        return mode.servesApps ? all : all.filter { $0.origin == .guides }
    }

    /// The endpoint for a method; nil if the mode knows none.
    public func endpoint(for method: HTTPRequest.Method, in mode: GuideMode = .union) -> Endpoint? {
        // The fast path for most requests.
        if method == .get {
            switch self {
            case .consultation: return .showConsultation
            case .goal: return .showGoal
            case .mealLog: return .showMealLog
            case .consultations: return .listConsultations
            case .goals: return .listGoals
            case .mealLogs: return .listMealLogs
            default: break
            }
        }
        let endpoints = endpoints(in: mode)
        return method == .head ? endpoints.first(where: \.answersHead) : endpoints.first { $0.method == method }
    }

    /// The methods that the path supports in a mode, without OPTIONS; GET implies HEAD.
    public func methods(in mode: GuideMode) -> [HTTPRequest.Method] {
        if case .avatar = self { return [.get, .head] }
        return endpoints(in: mode).filter(mode.serves).flatMap { $0.answersHead ? [$0.method, .head] : [$0.method] }
    }

    /// The id in the path, if any.
    public var id: String? {
        switch self {
        case .consultation(let id), .messages(let id), .archive(let id), .webSocket(let id), .goal(let id),
            .mealLog(let id):
            id
        case .app(_, let parameters): parameters.first
        default: nil
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
        if path == "/ws" || path == "/api/v1/ws" || path.hasPrefix("/ws/")
            || mode.servesApps && path == "/api/v1" + Endpoint.mealSocket.template
        {
            return .bareWebSocketPath(in: mode)
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
