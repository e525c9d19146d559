import HTTPTypes
import Testing

@testable import FitIQAPI

@Suite("Routes") struct RouteTests {
    static let id = ResourceIDTests.text

    static let endpoints: [(String, Route, [HTTPRequest.Method], String?)] = [
        ("api/v1/consultations", .of(.listConsultations), [.get, .head, .post], nil),
        ("api/v1/consultations/quick-actions", .of(.listQuickActions), [.get, .head], nil),
        ("api/v1/consultations/\(id)", .of(.showConsultation, id), [.get, .head, .put, .delete], id),
        ("api/v1/consultations/\(id)/messages", .of(.listMessages, id), [.get, .head, .post], id),
        ("api/v1/consultations/\(id)/archive", .of(.archiveConsultation, id), [.post], id),
        ("api/v1/consultations/\(id)/ws", .of(.webSocket, id), [.get], id),
        ("api/v1/consultations/chat-about-goal", .of(.chatAboutGoal), [.post], nil),
        ("api/v1/goals", .of(.listGoals), [.get, .head, .post], nil),
        ("api/v1/goals/\(id)", .of(.showGoal, id), [.get, .head, .patch, .put, .delete], id),
        ("api/v1/meal-logs", .of(.listMealLogs), [.get, .head], nil),
        ("api/v1/meal-logs/natural", .of(.createMealLog), [.post], nil),
        ("api/v1/meal-logs/\(id)", .of(.showMealLog, id), [.get, .head, .put, .delete], id),
        // The backend decides whether an id exists, regardless of its form.
        (
            "api/v1/consultations/nonsense", .of(.showConsultation, "nonsense"), [.get, .head, .put, .delete],
            "nonsense"
        ), ("api/v1/consultations/\(id.uppercased())/ws", .of(.webSocket, id.uppercased()), [.get], id.uppercased()),
        (
            "api/v1/consultations/quick-actions/messages", .of(.listMessages, "quick-actions"), [.get, .head, .post],
            "quick-actions"
        ), ("avatars/nutritionist.svg", .avatar(.nutritionist), [.get, .head], nil),
        ("avatars/fitness_coach.svg", .avatar(.fitnessCoach), [.get, .head], nil),
        ("avatars/wellness_specialist.svg", .avatar(.wellnessSpecialist), [.get, .head], nil),
        ("avatars/general_wellness.svg", .avatar(.generalWellness), [.get, .head], nil),
    ]

    private func route(_ path: String) -> Route? {
        Route(segments: path.split(separator: "/", omittingEmptySubsequences: false).map(String.init))
    }

    @Test("Every endpoint has a route", arguments: endpoints)
    func endpoint(path: String, route: Route, methods: [HTTPRequest.Method], id: String?) {
        #expect(self.route(path) == route)
        #expect(route.methods(in: .union) == methods && route.id == id)
    }

    @Test("The fast path finds only the most frequent routes", arguments: endpoints)
    func shortCut(path: String, route: Route, methods: [HTTPRequest.Method], id: String?) {
        var path = "/" + path
        let found = path.withUTF8 { Route(entityPath: $0) }
        let entities = [Endpoint.showConsultation, .showGoal, .showMealLog].map { Route.of($0, Self.id) }
        #expect(found == (entities.contains(route) ? route : nil))
    }

    @Test(
        "The fast path accepts only a valid id",
        arguments: [
            "/api/v1/goals/\(id.dropLast())", "/api/v1/goals/\(id)0", "/api/v1/goals/\(id.dropLast(2))/a",
            "/api/v1/goals/\(id.dropLast(3))%20", "/api/v1/goalz/\(id)", "/api/v2/meal-logs/\(id)", "",
            "/api/v1/consultation//\(id)",
        ])
    func noShortCut(path: String) {
        var path = path
        #expect(path.withUTF8 { Route(entityPath: $0) } == nil)
    }

    static let unknown = [
        "", "api", "api/v1", "api/v2/consultations", "API/v1/consultations", "api/v1/Consultations", "v1/consultations",
        "consultations", "ws", "ws/", "api/v1/ws", "api/v1/consultation", "api/v1/consultations/",
        "api/v1/consultations/\(id)/", "api/v1/consultations/\(id)/message", "api/v1/consultations/\(id)/messages/",
        "api/v1/consultations/\(id)/WS", "api/v1/consultations/\(id)/messages/1", "/api/v1/consultations",
        "api//v1/consultations", "avatars", "avatars/", "avatars/.svg", "avatars/nutritionist", "avatars/doctor.svg",
        "avatars/nutritionist.svg/", "avatars/Nutritionist.svg", "avatars/nutritionist.SVG", "avatars/nutritionist.png",
        "api/v1/goal", "api/v1/goals/", "api/v1/goals/\(id)/", "api/v1/goals/\(id)/consultation", "api/v1/meal-logs/",
        "api/v1/meal-log", "api/v1/meal-logs/natural/", "api/v1/meal-logs/\(id)/items",
    ]

    @Test("A path without an endpoint is not a route", arguments: unknown)
    func noEndpoint(path: String) { #expect(route(path) == nil) }

    @Test("A path must have at least one segment")
    func noSegments() { #expect(Route(segments: []) == nil) }

    @Test("The hint templates contain every route")
    func hintTemplates() {
        for (path, _, _, id) in Self.endpoints where id == nil || id == Self.id {
            guard path.hasPrefix("api") else { continue }
            let template = "/" + path.replacingIdentifier.replacing("goals/{id}", with: "goals/{goalId}")
            #expect(Route.templates(in: .union).contains(template), "\(path)")
        }
    }

    static let nearest: [(String, String)] = [
        ("/api/v1/consultation", "/api/v1/consultations"), ("/api/v1/consultations/", "/api/v1/consultations"),
        ("/v1/consultations", "/api/v1/consultations"), ("/consultations", "/api/v1/consultations"),
        ("/api/v1/Consultations", "/api/v1/consultations"),
        ("/api/v1/consultations/quick_actions/x", "/api/v1/consultations/quick-actions"),
        ("/api/v1/consultations/\(id)/message", "/api/v1/consultations/{id}/messages"),
        ("/api/v1/consultations/\(id.uppercased())/message", "/api/v1/consultations/{id}/messages"),
        ("/api/v1/consultations/\(id)/archived", "/api/v1/consultations/{id}/archive"),
        ("/consultations/\(id)/ws", "/api/v1/consultations/{id}/ws"),
        // These are the paths as the guides' diagrams abbreviate them.
        ("/goals", "/api/v1/goals"), ("/goals/\(id)", "/api/v1/goals/{goalId}"),
        ("/consultations/chat-about-goal", "/api/v1/consultations/chat-about-goal"),
        ("/meal-logs", "/api/v1/meal-logs"), ("/meal-logs/\(id.uppercased())", "/api/v1/meal-logs/{id}"),
        // Each of these paths has a segment in the wrong place.
        ("/api/v1/chat-about-goal", "/api/v1/consultations/chat-about-goal"),
        ("/api/v1/quick-actions", "/api/v1/consultations/quick-actions"), ("/v2/natural", "/api/v1/meal-logs/natural"),
        ("/api/v1/goal", "/api/v1/goals"), ("/api/v1/goals/\(id)/", "/api/v1/goals/{goalId}"), ("/healthz", "/health"),
        ("/readyz", "/ready"), ("/Health", "/health"), ("/__admin/healthy", "/__admin/health"),
    ]

    @Test("The error for an unknown path suggests the nearest endpoint", arguments: nearest)
    func hint(path: String, template: String) {
        let refusal = Route.refusal(ofUnknownPath: path, in: .union)
        #expect(refusal.status == .notFound && refusal.code == .notFound)
        #expect(refusal.message == "There is no endpoint \"\(path)\". The nearest endpoint is \(template).")
    }

    @Test(
        "The error for a path without a near endpoint has no suggestion",
        arguments: ["/", "", "/favicon.ico", "/numbers", "/a/b/c/d/e/f"])
    func nothingNear(path: String) {
        #expect(Route.refusal(ofUnknownPath: path, in: .union).message == "There is no endpoint \"\(path)\".")
    }

    @Test("An error message shortens long paths and escapes control characters")
    func longPath() {
        let long = Route.refusal(ofUnknownPath: "/" + String(repeating: "x", count: 8000), in: .union).message
        #expect(long.count < 120 && long.contains("…"))
        #expect(Route.refusal(ofUnknownPath: "/a\u{1}\"", in: .union).message == #"There is no endpoint "/a\u0001\""."#)
    }

    @Test(
        "The error for /ws mentions the meal socket only for paths about meals",
        arguments: ["/ws", "/ws/", "/ws/\(id)", "/api/v1/ws", "/ws/meals"])
    func bareWebSocket(path: String) {
        for mode in GuideMode.allCases {
            let refusal = Route.refusal(ofUnknownPath: path, in: mode)
            #expect(refusal == .bareWebSocketPath(path, in: mode))
            #expect(refusal.message.contains("/api/v1/consultations/{id}/ws"))
            #expect(refusal.message.contains("/ws/meal-logs") == (mode == .union && path == "/ws/meals"))
        }
    }

    @Test("The socket for all meals is at the root")
    func mealSocket() {
        let segments = ["ws", "meal-logs"]
        let route = Route(segments: segments, in: .union)
        #expect(route?.methods(in: .union) == [.get])
        #expect(route?.endpoint(for: .get, in: .union) == .mealSocket && route?.id == nil)
        #expect(Endpoint.mealSocket.template == "/ws/meal-logs")
        for mode in GuideMode.guides {
            #expect(Route(segments: segments, in: mode) == nil)
            #expect(Route.refusal(ofUnknownPath: "/ws/meal-logs", in: mode) == .bareWebSocketPath("/ws", in: mode))
        }
        let below = ["api", "v1"] + segments
        #expect(Route(segments: below, in: .union) == nil && Route(segments: segments + [""], in: .union) == nil)
        let wrong = "/api/v1/ws/meal-logs"
        #expect(Route.refusal(ofUnknownPath: wrong, in: .union) == .bareWebSocketPath(wrong, in: .union))
    }

    @Test("A path that only resembles /ws does not get the advice for /ws", arguments: ["/wsx", "/WS", "/api/ws"])
    func notTheBareWebSocket(path: String) {
        #expect(Route.refusal(ofUnknownPath: path, in: .union) != .bareWebSocketPath(path, in: .union))
    }
}

extension String {
    fileprivate var replacingIdentifier: String {
        split(separator: "/").map { $0 == RouteTests.id ? "{id}" : String($0) }.joined(separator: "/")
    }
}

extension Route {
    /// The route of an operation.
    static func of(_ endpoint: Endpoint, _ id: String? = nil) -> Route { .path(APIPath(of: endpoint), id: id) }
}
