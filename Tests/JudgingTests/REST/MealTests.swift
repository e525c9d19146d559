import FitIQAPI
import JSON
import Testing
import Traffic

@testable import Judging

/// Steps for the tests of meal logs.
extension Story {
    static let meal = uuid(30)
    static func log(_ status: String = "processing", _ id: String = meal) -> JSONValue {
        ["data": ["id": .string(id), "status": .string(status)]]
    }

    /// A log is accepted.
    @discardableResult func logsMeal(_ id: String = Story.meal, at seconds: Double) -> Story {
        request(.createMealLog, body: [:], status: 201, answer: Self.log("processing", id), at: seconds)
    }

    /// A log is loaded.
    @discardableResult func loads(
        _ status: String = "processing", _ id: String = Story.meal, httpStatus: Int? = 200, at seconds: Double
    ) -> Story { request(.showMealLog, id, status: httpStatus, answer: Self.log(status, id), at: seconds) }

    /// The list is loaded and shows these logs.
    @discardableResult func lists(
        _ status: JSONValue = "processing", _ ids: [String] = [Story.meal], query: String = "", at seconds: Double
    ) -> Story {
        let logs = ids.map { JSONValue.object(["id": .string($0), "status": status]) }
        return request(.listMealLogs, query: query, answer: ["data": ["meal_logs": .array(logs)]], at: seconds)
    }

    /// The event arrives.
    @discardableResult func settles(
        _ type: String = "completed", on connection: UInt64 = 100, at seconds: Double, delivery: Delivery = .complete
    ) -> Story {
        received(
            ["type": .string("meal_log.\(type)"), "data": ["id": .string(Self.meal)]], on: connection, at: seconds,
            delivery: delivery)
    }
}

@Suite("meal/no-fetch-after-completed")
struct FetchTests {
    static func fetched(after: String, _ numbers: Int...) -> Told {
        .broken(
            "The meal log \(Story.meal) was fetched \(after) after its meal_log.completed event had delivered the "
                + "complete log.", numbers, level: .should)
    }

    static let chapters: [Chapter] = [
        Chapter("no event", .notExercised) { $0.logsMeal(at: 0).loads("completed", at: 5) },
        Chapter("the event is enough", .kept()) {
            $0.connected(uuid(1), at: 0).settles(at: 3).lists(at: 4).loads("completed", uuid(31), at: 4)
        },
        Chapter("the event is about the old text", .kept()) {
            $0.connected(uuid(1), at: 0).settles(at: 3)
            $0.request(.updateMealLog, Story.meal, body: [:], answer: Story.log(), at: 4).loads(at: 5)
        },
        Chapter("fetched at once", fetched(after: "0 s", 3, 4)) {
            $0.connected(uuid(1), at: 0).settles(at: 3).loads("completed", at: 3)
        },
        Chapter("fetched later", fetched(after: "2.25 s", 3, 4)) {
            $0.connected(uuid(1), at: 0).settles(at: 3).loads("completed", at: 5.25)
        },
        Chapter("a repeated event is one", .kept()) {
            $0.connected(uuid(1), at: 0)
            for _ in 0..<2 { $0.settles(at: 3) }
        },
        Chapter("a failed log has no event with its data", .notExercised) {
            $0.connected(uuid(1), at: 0).settles("failed", at: 3).loads("failed", at: 4)
        },
        Chapter("an event that was lost", .notExercised) {
            $0.connected(uuid(1), at: 0).settles(at: 3, delivery: .partial).loads("completed", at: 4)
        },
        Chapter("a request that was under way", .kept()) {
            $0.connected(uuid(1), at: 0).settles(at: 3)
            $0.request(.showMealLog, Story.meal, answer: Story.log("completed"), at: 2.9, took: 0.2)
        },
        Chapter("once the socket has ended", .kept()) {
            $0.connected(uuid(1), at: 0).settles(at: 3).closed(at: 4).loads("completed", at: 5)
        },
        Chapter("once the socket was silenced", .kept()) {
            $0.connected(uuid(1), at: 0).settles(at: 3).fault(.silence, at: 4).loads("completed", at: 5)
        },
    ]

    @Test("The judge reaches the expected verdict on requests after a completed event", arguments: chapters)
    func judges(_ chapter: Chapter) { chapter.check("meal/no-fetch-after-completed") }
}

@Suite("meal/no-poll-while-connected")
struct PollWhileConnectedTests {
    static func polled(by path: String = "GET /api/v1/meal-logs/\(Story.meal)", _ numbers: Int...) -> Told {
        .broken(
            "\(path) polled for a meal log although a socket had been open since 10:30:00.", numbers, level: .should)
    }

    static let chapters: [Chapter] = [
        Chapter("no socket", .notExercised) { $0.logsMeal(at: 0).loads(at: 5) },
        Chapter("told, not asked", .kept()) { $0.connected(uuid(1), at: 0).logsMeal(at: 1).settles(at: 4) },
        Chapter("one load right after creating is no poll", .kept()) {
            $0.connected(uuid(1), at: 0).logsMeal(at: 1).lists(at: 1).settles(at: 4).lists(at: 4)
        },
        Chapter("nor is a look after a creation that failed", .kept()) {
            $0.connected(uuid(1), at: 0).logsMeal(at: 1).lists(at: 1)
            $0.request(.createMealLog, body: ["raw_input": "1 egg"], status: nil, at: 2).lists(at: 67)
        },
        Chapter("a second is one", polled(by: "GET /api/v1/meal-logs", 1, 3, 5)) {
            $0.connected(uuid(1), at: 0).logsMeal(at: 1).lists(at: 1).lists(at: 2)
        },
        Chapter("5 s are not right after", polled(1, 3, 4)) {
            $0.connected(uuid(1), at: 0).logsMeal(at: 1).loads(at: 6)
        },
        Chapter("a socket that connects as the log is accepted", .kept()) {
            $0.connected(uuid(1), at: 1).logsMeal(at: 1).settles(at: 4)
        },
        Chapter("a socket that opens while it is processed", .kept()) {
            $0.logsMeal(at: 0).loads(at: 0).loads(at: 5).connected(uuid(1), at: 6).loads(at: 6)
        },
        Chapter("an event that was lost leaves nothing else", .kept()) {
            $0.connected(uuid(1), at: 0).logsMeal(at: 1).settles(at: 4, delivery: Delivery.none).loads(at: 7)
            $0.loads("completed", at: 12)
        },
        Chapter("nor does a silenced socket", .kept()) {
            $0.connected(uuid(1), at: 0).logsMeal(at: 1).fault(.silence, at: 2).loads(at: 7)
        },
        Chapter("the event of which a new socket does not bring", .kept(2)) {
            $0.connected(uuid(1), at: 0).logsMeal(at: 1).fault(.silence, at: 2).connected(uuid(2), on: 101, at: 3)
            $0.loads(at: 4).loads(at: 10)
        },
        Chapter("nor one from which the server reads no more: the client may have left", .notExercised) {
            $0.connected(uuid(1), at: 0).fault(.stallReading, at: 1).logsMeal(at: 2).loads(at: 7)
        },
        Chapter("a load that failed is repeated once", polled(1, 3, 6)) {
            $0.connected(uuid(1), at: 0).logsMeal(at: 1).loads(httpStatus: 500, at: 5).loads(at: 10).loads(at: 15)
        },
        Chapter("a socket that is not connected yet", .notExercised) {
            $0.opened(uuid(1), at: 0).logsMeal(at: 1).loads(at: 6)
        },
        Chapter("another user's socket", .notExercised) {
            $0.connected(uuid(1), at: 0).becomes("tom").logsMeal(at: 1).loads(at: 6)
        },
        Chapter("what nobody waits for may be loaded", .notExercised) {
            $0.connected(uuid(1), at: 0)
            for second in 1...3 { $0.lists(at: Double(second)) }
        },
    ]

    @Test("The judge reaches the expected verdict on polls with an open socket", arguments: chapters)
    func judges(_ chapter: Chapter) { chapter.check("meal/no-poll-while-connected") }
}
