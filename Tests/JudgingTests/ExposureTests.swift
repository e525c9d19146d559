import FitIQAPI
import JSON
import Testing
import Traffic
import WebSocket

@testable import Judging

extension Story {
    /// The log is loaded, and was completed at this time.
    @discardableResult fileprivate func loads(updatedAt time: JSONValue, at seconds: Double) -> Story {
        let log: JSONValue = ["id": .string(Self.meal), "status": "completed", "updated_at": time]
        return request(.showMealLog, Self.meal, answer: ["data": log], at: seconds)
    }
}

@Suite("Exposures")
struct ExposureTests {
    /// A story, and the situations in it that the client encountered.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let counts: [Exposure.Path: Int]
        let journal: Journal
        let end: Double?

        init(_ name: String, _ counts: [Exposure.Path: Int], end: Double? = nil, tell: (Story) -> Void) {
            (testDescription, self.counts, self.end) = (name, counts, end)
            journal = Story(tell).journal
        }
    }

    static let requests: [Case] = [
        Case("nothing", [:]) { $0.request(.listGoals, at: 0) },
        Case("statuses", [.unauthorized: 1, .notFound: 1, .conflict: 1, .tooMany: 1, .serverError: 2]) {
            for status in [400, 401, 404, 409, 429, 500, 599] { $0.request(.createConsultation, status: status, at: 0) }
        },
        Case("a path that is none says nothing of ids", [:]) {
            $0.request(line: "GET /a", endpoint: nil, status: 404, at: 0, unmatched: .unknownPath)
        },
        Case("late, in part, not at all", [.timeOut: 3]) {
            $0.request(.listGoals, at: 0, took: 0.999).request(.listGoals, at: 0, took: 1)
            $0.request(.listGoals, status: 500, at: 0, delivery: .partial).request(.listGoals, status: nil, at: 0)
        },
        Case("late and refused is both", [.timeOut: 1, .serverError: 1]) {
            $0.request(.listGoals, status: 503, at: 0, took: 2)
        },
        Case("handshakes", [.refusedHandshake: 3, .timeOut: 3]) {
            for status in [400, 401, 404, nil] { $0.request(.webSocket, uuid(1), status: status, at: 0) }
            $0.opened(uuid(1), at: 1, took: 2).opened(uuid(1), on: 101, at: 3, took: 1)
            $0.opened(uuid(1), on: 102, at: 4, took: 0.999)
        },
    ]

    static func ended(
        _ name: String, _ counts: [Exposure.Path: Int], streaming: Bool = false, _ end: @Sendable (Story) -> Void
    ) -> Case {
        Case(name, counts) { story in
            story.connected(uuid(1), at: 0)
            if streaming { story.received(["type": "stream_chunk", "content": "a"], at: 1) }
            end(story)
        }
    }

    static let sockets: [Case] = [
        ended("the client leaves", [:]) { $0.closed(at: 2) },
        ended("the client leaves mid-stream", [:], streaming: true) { $0.closed(.finish, at: 2) },
        ended("a fault ends it", [.drop: 1]) { $0.closed(by: .server, .fault, at: 2, faults: ["drop"]) },
        ended("mid-stream", [.dropMidStream: 1], streaming: true) {
            $0.closed(by: .server, .fault, at: 2, faults: ["drop"])
        },
        ended("the server stops", [.drop: 1]) { $0.closed(by: .server, .shutdown, at: 2) },
        ended("the server ends it with an error", [.drop: 1]) {
            $0.closed(by: .server, summary: CloseSummary(sent: .init(code: CloseCode(rawValue: 1011))), at: 2)
        },
        ended("the consultation was archived", [:]) {
            $0.closed(by: .server, summary: CloseSummary(sent: .init(code: .normalClosure)), at: 2)
        },
        ended("the client broke the protocol, or a limit", [:]) { $0.closed(by: .server, .violation, at: 2) },
        ended("the client went silent", [:]) { $0.closed(by: .client, .timeOut, at: 2) },
        ended("silence, whatever ends it", [.silence: 1]) {
            $0.fault(.silence, at: 1).fault(.silence, at: 1).closed(by: .server, .fault, at: 2, faults: ["silence"])
        },
        ended("pongs withheld", [.silence: 1]) { $0.fault(.withholdPong, at: 1) },
        ended("an error frame", [.errorFrame: 1]) { $0.received(["type": "error", "error": "No"], at: 2) },
        ended("frames that faults touched", [.brokenFrame: 3]) {
            $0.received(["type": "stream_chunk"], at: 2, delivery: .none, faults: ["lose"])
            $0.received(["type": "error"], at: 2, delivery: .partial)
            $0.received(["type": "pong"], at: 2, faults: ["duplicate"]).sent(["type": "ping"], at: 3)
        },
    ]

    static let meals: [Case] = [
        Case("in time", [:], end: 100) { $0.connected(uuid(1), at: 0).logsMeal(at: 0).settles(at: 5) },
        Case("late", [.lateMeal: 1], end: 100) { $0.connected(uuid(1), at: 0).logsMeal(at: 0).settles(at: 5.001) },
        Case("still processed when it is looked at", [.lateMeal: 1], end: 100) {
            $0.logsMeal(at: 0).loads(at: 4).loads(at: 6).loads(at: 11).loads("completed", at: 16)
        },
        Case("looked at late, and settled in time", [:], end: 100) {
            $0.logsMeal(at: 0).loads(updatedAt: "2025-01-29T10:30:03Z", at: 9)
        },
        Case("looked at late, and settled late", [.lateMeal: 1], end: 100) {
            $0.logsMeal(at: 0).loads(updatedAt: "2025-01-29T10:30:08Z", at: 9)
        },
        Case("looked at late, and settled when it was due", [:], end: 100) {
            $0.logsMeal(at: 0).loads(updatedAt: "2025-01-29T10:30:05Z", at: 9)
        },
        Case("an event tells when the client learns of it, whatever it says", [.lateMeal: 1], end: 100) {
            $0.connected(uuid(1), at: 0).logsMeal(at: 0)
            $0.received(
                [
                    "type": "meal_log.completed",
                    "data": ["id": .string(Story.meal), "updated_at": "2025-01-29T10:30:03Z"],
                ], at: 9)
        },
        Case("a look at the moment it is due settles nothing", [.lateMeal: 1], end: 100) {
            $0.logsMeal(at: 0).loads(at: 5).loads(at: 11)
        },
        Case("another user was there", [:], end: 100) {
            $0.becomes("tom").connected(uuid(1), at: 0).becomes("sarah").logsMeal(at: 0)
        },
        Case("the client came later", [:], end: 100) { $0.logsMeal(at: 0).connected(uuid(1), at: 1) },
        Case("never, and the client was there", [.lateMeal: 1], end: 5.001) {
            $0.connected(uuid(1), at: 0).logsMeal(at: 0)
        },
        Case("not yet", [:], end: 5) { $0.connected(uuid(1), at: 0).logsMeal(at: 0) },
        Case("the event overtook the 201", [:], end: 100) {
            $0.connected(uuid(1), at: 0).settles(at: 3).logsMeal(at: 4)
        },
        Case("nobody was there to see", [:], end: 100) { $0.logsMeal(at: 0) },
        Case("failed, told twice", [.failedMeal: 1]) {
            $0.connected(uuid(1), at: 0).logsMeal(at: 0).settles("failed", at: 3).loads("failed", at: 4)
        },
    ]

    @Test("The judge counts how often a client encountered each situation", arguments: requests + sockets + meals)
    func counts(_ example: Case) { #expect(example.journal.exposures(end: example.end) == example.counts) }

    @Test("Exposures list every path in order, including paths that the client never took")
    func isComplete() {
        #expect(Journal().judge().exposures.map(\.path) == Exposure.Path.allCases)
        #expect(Journal().judge().exposures.allSatisfy { $0.count == 0 })
    }
}
