import FitIQAPI
import JSON
import Testing

@testable import Judging

@Suite("auth/credentials-on-every-request")
struct CredentialsTests {
    static let chapters: [Chapter] = [
        Chapter("both are there", .kept(2)) {
            $0.request(.listGoals, at: 0)
            $0.request(.createMealLog, body: [:], status: 400, at: 1)
        },
        Chapter("a bad token is no missing one", .kept()) { $0.request(.listGoals, status: 401, at: 0) },
        Chapter("nothing is asked of paths that are no endpoint", .notExercised) {
            $0.request("GET /health", endpoint: nil, at: 0, fields: [])
            $0.request("GET /api/v1/nothing", endpoint: nil, status: 404, at: 0, fields: [], unmatched: .unknownPath)
        },
        Chapter("handshakes are another's", .notExercised) {
            $0.request(.webSocket, Story.id(1), status: 401, at: 0, fields: [])
        },
        Chapter(
            "no key, whatever the answer",
            .broken(
                1,
                .init(
                    message: "GET /api/v1/goals came without X-API-Key.", evidence: [1]))
        ) {
            $0.apiKey = nil
            $0.request(.listGoals, status: 200, at: 0)
        },
        Chapter(
            "neither",
            .broken(
                2,
                .init(
                    message: "GET /api/v1/goals came without a bearer token and without X-API-Key.", evidence: [2]))
        ) {
            $0.request(.listGoals, at: 0)
            $0.request(.listGoals, status: 401, at: 0, fields: [])
        },
        Chapter(
            "a token that is no bearer's",
            .broken(
                1,
                .init(
                    message: "GET /api/v1/goals came without a bearer token (its Authorization begins with \"Token\").",
                    evidence: [1]))
        ) { $0.request(.listGoals, status: 401, at: 0, fields: ["Authorization: Token abc", "X-API-Key: k"]) },
        Chapter(
            "an empty key is none",
            .broken(
                1,
                .init(
                    message: "GET /api/v1/goals came without X-API-Key.", evidence: [1]))
        ) {
            $0.apiKey = ""
            $0.request(.listGoals, status: 401, at: 0)
        },
        Chapter(
            "no more than the beginning of a bare token is told",
            .broken(
                1,
                .init(
                    message:
                        "GET /api/v1/goals came without a bearer token (its Authorization begins with \"eyJhbGci\").",
                    evidence: [1]))
        ) {
            $0.request(
                .listGoals, status: 401, at: 0, fields: ["Authorization: eyJhbGciOiJIUzI1NiJ9.x.y", "X-API-Key: k"])
        },
    ]

    @Test("What a request brings along is judged", arguments: chapters)
    func judges(_ chapter: Chapter) { chapter.check("auth/credentials-on-every-request") }

    @Test("Modes that know no key have no such obligation", arguments: [GuideMode.goalLinking, .webSocketArchitecture])
    func isAbsent(_ mode: GuideMode) {
        let story = Story { $0.request(.listGoals, at: 0, fields: []) }
        #expect(story.verdict("auth/credentials-on-every-request", in: mode) == nil)
    }
}

@Suite("auth/websocket-credentials")
struct WebSocketCredentialsTests {
    static let path = "/api/v1/consultations/\(Story.id(1))/ws"

    static let chapters: [Chapter] = [
        Chapter("who was let in had them", .kept(2)) {
            $0.opened(Story.id(1), at: 0)
            $0.opened(Story.id(1), on: 101, at: 1, query: "token=a", fields: [])
        },
        Chapter("a refused token is there", .kept(2)) {
            $0.request(.webSocket, Story.id(1), status: 401, at: 0)
            $0.request(.webSocket, Story.id(1), query: "token=old", status: 401, at: 1, fields: [])
        },
        Chapter("REST is another's", .notExercised) { $0.request(.listGoals, status: 401, at: 0, fields: []) },
        Chapter(
            "the Quick Start's socket",
            .broken(
                1,
                .init(
                    message: "The handshake for \(path) came without a token, in the headers or as ?token=.",
                    evidence: [1]))
        ) { $0.request(.webSocket, Story.id(1), status: 401, at: 0, fields: []) },
        Chapter(
            "an empty token is none",
            .broken(
                1,
                .init(
                    message: "The handshake for \(path) came without a token, in the headers or as ?token=.",
                    evidence: [1]))
        ) { $0.request(.webSocket, Story.id(1), query: "token=", status: 401, at: 0, fields: []) },
        Chapter(
            "headers need the key",
            .broken(
                1,
                .init(
                    message:
                        "The handshake for \(path) brought a bearer token without X-API-Key; a handshake with headers needs both.",
                    evidence: [1]))
        ) {
            $0.apiKey = nil
            $0.request(.webSocket, Story.id(1), status: 401, at: 0)
        },
        Chapter("where no key is known, none is asked", .kept(), in: .webSocketArchitecture) {
            $0.apiKey = nil
            $0.request(.webSocket, Story.id(1), status: 401, at: 0)
        },
    ]

    @Test("What a handshake brings along is judged", arguments: chapters)
    func judges(_ chapter: Chapter) { chapter.check("auth/websocket-credentials") }
}

@Suite("auth/refresh-after-401")
struct RefreshTests {
    static let refused = Told.Breach(
        message: "GET /api/v1/goals was sent 3 times with the token that was refused with 401 at 10:30:00; one retry "
            + "is allowed.", evidence: [1, 2, 3])

    static let chapters: [Chapter] = [
        Chapter("never refused", .notExercised) { $0.request(.listGoals, at: 0) },
        Chapter("a new token", .kept()) {
            $0.request(.listGoals, status: 401, at: 0)
            $0.token = Story.token(of: "sarah", 2)
            for second in 1...3 { $0.request(.listGoals, at: Double(second)) }
        },
        Chapter("one retry is let pass", .kept()) {
            $0.request(.listGoals, status: 401, at: 0)
            $0.request(.listGoals, status: 401, at: 1)
        },
        Chapter("two are not", .broken(1, refused)) {
            $0.request(.listGoals, status: 401, at: 0)
            $0.request(.listGoals, status: 401, at: 0)
            $0.request(.listGoals, status: 401, at: 9)
        },
        Chapter("nor where a fault refused it", .broken(1, refused)) {
            $0.request(.listGoals, status: 401, at: 0, faults: ["expired"])
            $0.request(.listGoals, status: 401, at: 1)
            $0.request(.listGoals, status: 503, at: 2)
        },
        Chapter(
            "each further one tells of the newest",
            .broken(
                1, refused,
                .init(
                    message: "GET /api/v1/goals was sent 4 times with the token that was refused with 401 at 10:30:00; "
                        + "one retry is allowed.", evidence: [1, 3, 4]))
        ) {
            for second in 0...3 { $0.request(.listGoals, status: 401, at: Double(second)) }
        },
        Chapter("another path or method is another request", .kept(3)) {
            $0.request(.listGoals, status: 401, at: 0)
            $0.request(.createGoal, status: 401, at: 1)
            $0.request(.listConsultations, status: 401, at: 2)
        },
        Chapter("so is another query", .kept(3)) {
            for page in 1...3 { $0.request(.listMealLogs, query: "page=\(page)", status: 401, at: Double(page)) }
        },
        Chapter("what was under way when the 401 arrived does not count", .kept()) {
            $0.request(.listGoals, status: 401, at: 0, took: 1)
            for _ in 0..<3 { $0.request(.listGoals, status: 401, at: 0.5, took: 1) }
        },
        Chapter("a 401 that did not arrive asks nothing", .notExercised) {
            for second in 0..<4 { $0.request(.listGoals, status: 401, at: Double(second), delivery: .partial) }
        },
        Chapter("a token that is accepted after all is good", .kept(2)) {
            $0.request(.listGoals, status: 401, at: 0, faults: ["once"])
            $0.request(.listGoals, at: 1)
            $0.request(.listGoals, status: 401, at: 2, faults: ["once"])
            $0.request(.listGoals, at: 3)
        },
        Chapter("another client's token is another", .kept(2)) {
            $0.request(.listGoals, status: 401, at: 0)
            $0.request(.listGoals, status: 401, at: 0)
            $0.becomes("tom")
            $0.request(.listGoals, status: 401, at: 0)
        },
    ]

    @Test("Requests after a 401 are judged", arguments: chapters)
    func judges(_ chapter: Chapter) { chapter.check("auth/refresh-after-401") }
}
