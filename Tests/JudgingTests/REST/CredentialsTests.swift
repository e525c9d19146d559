import FitIQAPI
import JSON
import Testing
import Traffic

@testable import Judging

@Suite("auth/credentials-on-every-request")
struct CredentialsTests {
    static func beginning(with start: String) -> String {
        "GET /api/v1/goals was sent without a bearer token (its Authorization begins with \"\(start)\")."
    }

    static let chapters: [Chapter] = [
        Chapter("both are there", .kept(2)) {
            $0.request(.listGoals, at: 0).request(.createMealLog, body: [:], status: 400, at: 1)
        },
        Chapter("a bad token is no missing one", .kept()) { $0.request(.listGoals, status: 401, at: 0) },
        Chapter("nothing is asked of paths that are no endpoint", .notExercised) {
            $0.request(line: "GET /health", endpoint: nil, at: 0, fields: [])
            $0.request(
                line: "GET /api/v1/nothing", endpoint: nil, status: 404, at: 0, fields: [], unmatched: .unknownPath)
        },
        Chapter("handshakes are another's", .notExercised) {
            $0.request(.webSocket, uuid(1), status: 401, at: 0, fields: [])
        },
        Chapter("no key, whatever the answer", .broken("GET /api/v1/goals was sent without X-API-Key.", [1])) {
            $0.apiKey = nil
            $0.request(.listGoals, status: 200, at: 0)
        },
        Chapter(
            "neither",
            .broken("GET /api/v1/goals was sent without a bearer token and without X-API-Key.", [2], faced: 2)
        ) { $0.request(.listGoals, at: 0).request(.listGoals, status: 401, at: 0, fields: []) },
        Chapter("a token that is no bearer's", .broken(beginning(with: "Token"), [1])) {
            $0.request(.listGoals, status: 401, at: 0, fields: ["Authorization: Token abc", "X-API-Key: k"])
        },
        Chapter("an empty key is none", .broken("GET /api/v1/goals was sent without X-API-Key.", [1])) {
            $0.apiKey = ""
            $0.request(.listGoals, status: 401, at: 0)
        },
        Chapter("no more than the beginning of a bare token is told", .broken(beginning(with: "eyJhbGci"), [1])) {
            $0.request(
                .listGoals, status: 401, at: 0, fields: ["Authorization: eyJhbGciOiJIUzI1NiJ9.x.y", "X-API-Key: k"])
        },
    ]

    @Test("The judge reaches the expected verdict on request credentials", arguments: chapters)
    func judges(_ chapter: Chapter) { chapter.check("auth/credentials-on-every-request") }

    @Test(
        "Modes without an API key do not judge the credentials of every request",
        arguments: [GuideMode.goalLinking, .webSocketArchitecture])
    func isAbsent(_ mode: GuideMode) {
        let story = Story { $0.request(.listGoals, at: 0, fields: []) }
        #expect(story.journal.verdict("auth/credentials-on-every-request", in: mode) == nil)
    }
}

@Suite("auth/websocket-credentials")
struct WebSocketCredentialsTests {
    static let path = "/api/v1/consultations/\(uuid(1))/ws"

    static let chapters: [Chapter] = [
        Chapter("who was let in had them", .kept(2)) {
            $0.opened(uuid(1), at: 0).opened(uuid(1), on: 101, at: 1, query: "token=a", fields: [])
        },
        Chapter("a refused token is there", .kept(2)) {
            $0.request(.webSocket, uuid(1), status: 401, at: 0)
            $0.request(.webSocket, uuid(1), query: "token=old", status: 401, at: 1, fields: [])
        },
        Chapter("REST is another's", .notExercised) { $0.request(.listGoals, status: 401, at: 0, fields: []) },
        Chapter(
            "the Quick Start's socket",
            .broken("The handshake for \(path) has no token in its headers or as ?token=.", [1])
        ) { $0.request(.webSocket, uuid(1), status: 401, at: 0, fields: []) },
        Chapter(
            "an empty token is none",
            .broken("The handshake for \(path) has no token in its headers or as ?token=.", [1])
        ) { $0.request(.webSocket, uuid(1), query: "token=", status: 401, at: 0, fields: []) },
        Chapter(
            "headers need the key",
            .broken(
                "The handshake for \(path) has a bearer token without X-API-Key; a handshake with headers needs both.",
                [1])
        ) {
            $0.apiKey = nil
            $0.request(.webSocket, uuid(1), status: 401, at: 0)
        },
        Chapter("where no key is known, none is asked", .kept(), in: .webSocketArchitecture) {
            $0.apiKey = nil
            $0.request(.webSocket, uuid(1), status: 401, at: 0)
        },
    ]

    @Test("The judge reaches the expected verdict on handshake credentials", arguments: chapters)
    func judges(_ chapter: Chapter) { chapter.check("auth/websocket-credentials") }
}

extension Story {
    /// A request for goals is answered with 401.
    @discardableResult fileprivate func refused(
        at seconds: Double, took: Double = 0, delivery: Delivery? = nil, faults: [String] = []
    ) -> Story { request(.listGoals, status: 401, at: seconds, took: took, delivery: delivery, faults: faults) }

    @discardableResult fileprivate func accepted(at seconds: Double) -> Story { request(.listGoals, at: seconds) }
}

@Suite("auth/refresh-after-401")
struct RefreshTests {
    static func sent(_ count: Int, _ evidence: [Int]) -> Told.Breach {
        Told.Breach(
            message:
                "GET /api/v1/goals was sent \(count) times with the token that was refused with 401 at 10:30:00; one "
                + "retry is allowed.", evidence: evidence)
    }

    static let chapters: [Chapter] = [
        Chapter("never refused", .notExercised) { $0.accepted(at: 0) },
        Chapter("a new token from /auth/refresh", .kept()) {
            $0.refused(at: 0).request(.refreshTokens, body: ["refresh_token": "r1"], at: 1, fields: [])
            $0.token = Story.token(of: "sarah", 2)
            for second in 1...3 { $0.accepted(at: Double(second)) }
        },
        Chapter("a wrong password is not about the token", .notExercised) {
            for second in 0..<4 { $0.request(.logIn, body: [:], status: 401, at: Double(second)) }
        },
        Chapter("a new token", .kept()) {
            $0.refused(at: 0)
            $0.token = Story.token(of: "sarah", 2)
            for second in 1...3 { $0.accepted(at: Double(second)) }
        },
        Chapter("one retry is let pass", .kept()) { $0.refused(at: 0).refused(at: 1) },
        Chapter("two are not", .broken(1, sent(3, [1, 2, 3]))) { $0.refused(at: 0).refused(at: 0).refused(at: 9) },
        Chapter("nor where a fault refused it", .broken(1, sent(3, [1, 2, 3]))) {
            $0.refused(at: 0, faults: ["expired"]).refused(at: 1).request(.listGoals, status: 503, at: 2)
        },
        Chapter("each further one tells of the newest", .broken(1, sent(3, [1, 2, 3]), sent(4, [1, 3, 4]))) {
            for second in 0...3 { $0.refused(at: Double(second)) }
        },
        Chapter("another path or method is another request", .kept(3)) {
            $0.refused(at: 0).request(.createGoal, status: 401, at: 1).request(.listConsultations, status: 401, at: 2)
        },
        Chapter("so is another query", .kept(3)) {
            for page in 1...3 { $0.request(.listMealLogs, query: "page=\(page)", status: 401, at: Double(page)) }
        },
        Chapter("what was under way when the 401 arrived does not count", .kept()) {
            $0.refused(at: 0, took: 1)
            for _ in 0..<3 { $0.refused(at: 0.5, took: 1) }
        },
        Chapter("a 401 that did not arrive asks nothing", .notExercised) {
            for second in 0..<4 { $0.refused(at: Double(second), delivery: .partial) }
        },
        Chapter("a token that is accepted after all is good", .kept(2)) {
            $0.refused(at: 0, faults: ["once"]).accepted(at: 1).refused(at: 2, faults: ["once"]).accepted(at: 3)
        },
        Chapter("a failure says nothing about the token, and may be followed by another request", .kept()) {
            $0.refused(at: 0).request(.listGoals, status: 500, at: 1).accepted(at: 2)
        },
        Chapter("and does not make it good", .broken(1, sent(3, [1, 3, 4]))) {
            $0.refused(at: 0).request(.listGoals, status: 500, at: 1).refused(at: 2).refused(at: 3)
        },
        Chapter("another client's token is another", .kept(2)) {
            $0.refused(at: 0).refused(at: 0).becomes("tom").refused(at: 0)
        },
    ]

    @Test("The judge reaches the expected verdict on requests after a 401", arguments: chapters)
    func judges(_ chapter: Chapter) { chapter.check("auth/refresh-after-401") }
}

extension Story {
    @discardableResult fileprivate func refreshes(
        _ token: String = "r1", status: Int? = 200, at seconds: Double, took: Double = 0, delivery: Delivery? = nil,
        faults: [String] = [], fields: [String]? = nil
    ) -> Story {
        request(
            .refreshTokens, body: ["refresh_token": .string(token)], status: status, at: seconds, took: took,
            delivery: delivery, faults: faults, fields: fields)
    }

    @discardableResult fileprivate func logsOut(at seconds: Double) -> Story {
        request(.logOut, body: ["refresh_token": "r1"], status: 204, at: seconds)
    }
}

@Suite("auth/refresh-token-once")
struct RefreshOnceTests {
    static func again(_ end: String, _ numbers: [Int] = [1, 2]) -> Told.Breach {
        .init(
            message:
                "POST /api/v1/auth/refresh used the refresh token that \(end) at 10:30:00; a refresh token works "
                + "only once.", evidence: numbers)
    }

    /// The longest token that a server accepts.
    static let longest = String(repeating: "r", count: 4096)

    static func refreshes(_ tries: (String, Int?, Double)...) -> (Story) -> Void {
        { story in
            for (token, status, seconds) in tries { story.refreshes(token, status: status, at: seconds, fields: []) }
        }
    }

    static let chapters: [Chapter] = [
        Chapter("never refreshed", .notExercised) { $0.request(.listGoals, status: 401, at: 0) },
        Chapter("each token once", .kept(3), tell: refreshes(("r1", 200, 0), ("r2", 200, 1), ("r3", 401, 2))),
        Chapter("a used token", .broken(2, again("was used")), tell: refreshes(("r1", 200, 0), ("r1", 401, 3600))),
        Chapter(
            "a refused token", .broken(3, again("was refused with 401"), again("was refused with 401", [1, 3])),
            tell: refreshes(("r1", 401, 0), ("r1", 401, 1), ("r1", 401, 2))),
        Chapter("a token that was logged out", .broken(1, again("was revoked by a logout"))) {
            $0.logsOut(at: 0).refreshes(status: 401, at: 1)
        },
        Chapter("logging out with a used token is let pass", .kept()) { $0.refreshes(at: 0).logsOut(at: 1) },
        Chapter("two at the same time", .broken(2, again("was used"))) {
            $0.refreshes(at: -1, took: 1).refreshes(status: 401, at: -0.5, took: 1)
        },
        Chapter(
            "a repeat counts even if it gets no answer", .broken(2, again("was used")),
            tell: refreshes(("r1", 200, 0), ("r1", nil, 0))),
        Chapter(
            "a refresh that failed may be repeated", .kept(4),
            tell: refreshes(("r1", 503, 0), ("r1", nil, 1), ("r1", 429, 3), ("r1", 200, 7))),
        Chapter("so may one whose answer was cut or changed", .kept(3)) {
            $0.refreshes(at: 0, delivery: .partial).refreshes(at: 1, faults: ["garbled"]).refreshes(at: 2)
        },
        Chapter("one that was given up and noticed late is no repeat", .kept(2)) {
            $0.refreshes(at: 0, took: 1).refreshes(status: nil, at: -30, took: 32)
        },
        Chapter("nor is one that a fault answered late", .kept(2)) {
            $0.refreshes(status: 401, at: 0, took: 1).refreshes(at: -30, took: 40, faults: ["late"])
        },
        Chapter(
            "a placeholder stands for one token", .broken(2, again("was used")),
            tell: refreshes(("redacted-token-1", 200, 0), ("redacted-token-1", 401, 9))),
        Chapter(
            "the longest token", .broken(2, again("was used")), tell: refreshes((longest, 200, 0), (longest, 401, 1))),
        Chapter(
            "a token longer than any", .notExercised, tell: refreshes((longest + "r", 200, 0), (longest + "r", 401, 1))
        ),
    ]

    @Test("The judge reaches the expected verdict on refresh tokens", arguments: chapters)
    func judges(_ chapter: Chapter) { chapter.check("auth/refresh-token-once") }

    @Test("No guide's mode judges reuse of a refresh token", arguments: GuideMode.guides)
    func guides(_ mode: GuideMode) {
        let story = Story(Self.refreshes(("r1", 200, 0), ("r1", 200, 1)))
        #expect(story.journal.verdict("auth/refresh-token-once", in: mode) == nil)
    }
}

@Suite("auth/no-expired-bearer")
struct ExpiredBearerTests {
    /// A request with a token that expires this many seconds after the story's beginning.
    static func sends(
        _ endpoint: Endpoint, expiring expiry: Int64, at seconds: Double, status: Int = 200
    ) -> (Story) -> Void {
        { story in
            story.token = AccessToken(subject: "sarah", expiresAt: 1_738_146_600 + expiry).signed(with: [1])
            story.request(endpoint, body: [:], status: status, at: seconds)
        }
    }

    static func expired(_ path: String, evidence number: Int = 1) -> Told.Breach {
        .init(
            message: "POST /api/v1/auth/\(path) had a bearer token that expired at 10:31:00.", evidence: [number],
            level: .should)
    }

    static let chapters: [Chapter] = [
        Chapter("no request to /auth", .notExercised, tell: sends(.createGoal, expiring: 60, at: 90, status: 401)),
        Chapter("no bearer", .kept()) { $0.request(.logIn, body: [:], at: 0, fields: ["X-API-Key: key-1"]) },
        Chapter("a good bearer", .kept(), tell: sends(.logOut, expiring: 60, at: 59.999)),
        Chapter("an expired one", .broken(1, expired("refresh")), tell: sends(.refreshTokens, expiring: 60, at: 60)),
        Chapter("the date counts, if the system's clock was set forward", .broken(1, expired("login", evidence: 2))) {
            $0.journal(.clock(advancedBy: 28_800_000_000_000, isOfSystem: true))
            sends(.logIn, expiring: 60, at: 28_801)($0)
        },
        Chapter("and if it was set back", .kept()) {
            $0.journal(.clock(advancedBy: -28_800_000_000_000, isOfSystem: true))
            sends(.logIn, expiring: -28_700, at: -28_799)($0)
        },
        Chapter("at login too", .broken(1, expired("login")), tell: sends(.logIn, expiring: 60, at: 3600)),
        Chapter("what cannot be read is not judged", .notExercised) {
            $0.token = "redacted-token-1"
            $0.request(.refreshTokens, body: [:], at: 0)
        },
    ]

    @Test("The judge reaches the expected verdict on bearer tokens sent to /auth", arguments: chapters)
    func judges(_ chapter: Chapter) { chapter.check("auth/no-expired-bearer") }
}
