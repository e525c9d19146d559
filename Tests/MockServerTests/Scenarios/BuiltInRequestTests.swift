import FitIQAPI
import HTTPTypes
import JSON
import TestSupport
import Testing

@testable import MockServer

/// Checks what the comments in the built-in scenarios promise about requests.
@Suite("Built-in scenarios: requests")
struct BuiltInRequestTests {
    private static let list = BuiltInWorld.consultations
    private static let goal = #"{"title":"Run","description":"","targetDate":"2025-06-01T00:00:00Z"}"#
    private static let meal = #"{"raw_input":"2 eggs","meal_type":"lunch"}"#

    private func existingID(in refusal: Response) throws -> String {
        #expect(refusal.refusal == "409 CONSULTATION_EXISTS")
        return try #require(refusal.json?["error"]?["details"]?["existing_consultation_id"]?.string)
    }

    @Test("default: the scenario has no data and no faults")
    func nothingGoesWrong() throws {
        let world = try BuiltInWorld("default")
        #expect(try world.exchange(.get, Self.list).json?["data"]?["consultations"]?.array?.isEmpty == true)
        let id = try world.consultation()
        try world.expectWell(id)
        #expect(try world.history(id).count == 2)
    }

    @Test("empty-account: lists are empty, and the first of each can be created")
    func emptyAccount() throws {
        let world = try BuiltInWorld("empty-account")
        for (path, key) in [
            (Self.list, "consultations"), ("/api/v1/goals", "goals"), ("/api/v1/meal-logs", "meal_logs"),
        ] { #expect(try world.exchange(.get, path).json?["data"]?[key]?.array?.isEmpty == true, "\(path)") }
        #expect(try world.create().status == 201)
        #expect(try world.exchange(.post, "/api/v1/goals", Self.goal).status == 201)
        #expect(try world.exchange(.post, "/api/v1/meal-logs/natural", Self.meal).status == 201)
        #expect(try world.exchange(.get, Self.list).json?["data"]?["consultations"]?.array?.count == 1)
    }

    @Test("conflict: a second nutritionist consultation returns 409 with the existing id")
    func conflict() throws {
        let world = try BuiltInWorld("conflict")
        let id = try existingID(in: world.create())
        #expect(
            try world.history(id) == [
                "user: How much protein do I need?",
                "assistant: About 1.6 g per kg of body weight, spread over the day.",
            ])
        try world.expectWell(id)
        #expect(try world.create("fitness_coach").status == 201)
    }

    @Test("limit-reached: an eleventh consultation returns 429 until one is archived")
    func limitReached() throws {
        let world = try BuiltInWorld("limit-reached")
        let active = try world.exchange(.get, Self.list + "?page_size=50").json?["data"]?["consultations"]?.array ?? []
        #expect(active.count == 10)
        // Some of the forty combinations of context and persona are still free.
        let wishes = ["nutritionist", "fitness_coach", "wellness_specialist", "general_wellness"].flatMap { persona in
            ["general", "insight", "mood", "journal"].map { #"{"persona":"\#(persona)","context_type":"\#($0)"}"# }
        }
        let refused = try wishes.map { try world.exchange(.post, Self.list, $0) }
        let wish = try #require(
            zip(wishes, refused).first { $1.errorCode == "TOO_MANY_ACTIVE_CONSULTATIONS" && $1.status == 429 }?.0)
        #expect(!refused.contains { $0.status == 201 })
        let id = try #require(active.last?["id"]?.string)
        #expect(try world.exchange(.post, "\(Self.list)/\(id)/archive").status == 200)
        for status in [201, 409] { #expect(try world.exchange(.post, Self.list, wish).status == status) }
    }

    @Test("long-history: pages return all 5,000 messages")
    func longHistory() throws {
        let world = try BuiltInWorld("long-history")
        let consultation = try #require(
            try world.exchange(.get, Self.list).json?["data"]?["consultations"]?.array?.first)
        let id = try #require(consultation["id"]?.string)
        #expect(consultation["message_count"]?.int == 5000)
        var seen: Set<String> = []
        for page in 1...50 {
            let answer = try world.exchange(.get, "\(Self.list)/\(id)/messages?page=\(page)&page_size=100")
            let messages = try #require(answer.json?["data"]?["messages"]?.array)
            #expect(messages.count == 100)
            seen.formUnion(messages.compactMap { $0["id"]?.string })
        }
        #expect(seen.count == 5000)
        try world.expectWell(id)
    }

    @Test("flaky-500, flaky-503: each endpoint fails twice without effect and then works", arguments: [500, 503])
    func flaky(_ status: Int) throws {
        let world = try BuiltInWorld("flaky-\(status)")
        func thirdTime(_ method: HTTPRequest.Method, _ path: String, _ json: String? = nil) throws -> Response {
            let answers = try (0..<3).map { _ in try world.exchange(method, path, json) }
            #expect(answers.prefix(2).map(\.status) == [status, status], "\(method) \(path)")
            #expect(answers.prefix(2).allSatisfy { ($0.fields[.retryAfter] == "2") == (status == 503) })
            #expect((200...201).contains(answers[2].status), "\(method) \(path): \(answers[2].text)")
            return answers[2]
        }
        func create(_ path: String, _ json: String) throws -> String {
            try #require(try thirdTime(.post, path, json).json?["data"]?["id"]?.string)
        }
        let goals = "/api/v1/goals"
        let consultation = try create(Self.list, #"{"persona":"nutritionist"}"#)
        let (goal, meal) = (try create(goals, Self.goal), try create("/api/v1/meal-logs/natural", Self.meal))
        _ = try thirdTime(.post, Self.list + "/chat-about-goal", #"{"goalId":"\#(goal)"}"#)
        for path in [
            Self.list, Self.list + "/quick-actions", "\(Self.list)/\(consultation)",
            "\(Self.list)/\(consultation)/messages", goals, "\(goals)/\(goal)", "/api/v1/meal-logs",
            "/api/v1/meal-logs/\(meal)",
        ] { _ = try thirdTime(.get, path) }
        _ = try thirdTime(.patch, "\(goals)/\(goal)", #"{"title":"Run 5 km"}"#)
        _ = try thirdTime(.post, "\(Self.list)/\(consultation)/archive")
        // The server did not create the goal twice.
        #expect(try world.exchange(.get, goals).json?["data"]?["goals"]?.array?.count == 1)
        #expect(try world.exchange(.get, Self.list).json?["data"]?["consultations"]?.array?.count == 2)
        let faults = try world.network.admin(.get, "faults").json?["faults"]?.array ?? []
        // The remaining faults are for the apps' endpoints; the answer to the third request depends on its body.
        for on in faults.filter({ $0["acted"]?.int == 0 }).compactMap({ $0["on"]?.string }) {
            let words = on.split(separator: " ")
            let path = String(words[1]).replacing(#/{\w+}/#, with: "00000000-0000-4000-8000-000000000000")
            let method = try #require(HTTPRequest.Method(String(words[0])))
            let answers = try (0..<3).map { _ in try world.exchange(method, path, "{}").status }
            #expect(answers.prefix(2) == [status, status] && answers[2] != status, "\(on): \(answers)")
        }
        let endpoints = Endpoint.allCases.filter { $0 != .webSocket && $0 != .mealSocket }
            .map { ExactString("\($0.method.rawValue) \($0.template)") }
        #expect(Set(faults.compactMap { $0["on"]?.exactString }) == Set(endpoints))
    }

    @Test("timeouts: one request gets no answer, one gets a late answer and one gets a dribbled answer")
    func timeouts() throws {
        let world = try BuiltInWorld("timeouts")
        let hanging = try world.begin(.post, Self.list, #"{"persona":"nutritionist"}"#)
        expectLines(world.network.timeline(of: hanging.wire, for: .seconds(599)), [])
        expectLines(world.network.timeline(of: hanging.wire, for: .seconds(2)), ["1.000 s reset"])
        // The request took effect anyway.
        let id = try existingID(in: world.create())

        let late = try world.begin(.get, Self.list)
        expectLines(world.network.timeline(of: late.wire, for: .seconds(30)).map { String($0.prefix(8)) }, ["20.000 s"])
        #expect(try late.response().status == 200)
        #expect(try world.exchange(.get, Self.list).status == 200)

        let drops = try world.begin(.get, Self.list + "/quick-actions")
        let lines = world.network.timeline(of: drops.wire, for: .seconds(1200))
        expectLines(Array(lines.prefix(3)), ["0.000 s 16 bytes", "0.500 s 16 bytes", "1.000 s 16 bytes"])
        #expect(lines.count(where: { $0.hasSuffix("bytes") }) == (drops.wire.received.count + 15) / 16)
        #expect(try drops.response().status == 200)

        let socket = try world.network.sending(world.handshake(id))
        world.network.advance(by: .milliseconds(14_999))
        #expect(socket.wire.received.isEmpty)
        world.network.advance(by: .milliseconds(1))
        #expect(try socket.acceptUpgrade(world.handshake(id)).takeTypes() == ["connected"])
        try world.expectWell(id)
    }

    @Test("broken-responses: only the first answer of each endpoint is damaged")
    func brokenResponses() throws {
        let world = try BuiltInWorld("broken-responses")
        let id = try world.consultation()
        func first(_ path: String) throws -> VirtualClient { try world.begin(.get, path).wire }
        let halfJSON = try world.exchange(.get, Self.list)
        #expect(halfJSON.status == 200 && halfJSON.json == nil)
        let badChunks = try world.begin(.get, Self.list + "/quick-actions")
        #expect(throws: (any Error).self) { try badChunks.response() }
        let short = try first("/api/v1/goals")
        #expect(short.received.count == ResponseFaultTests.headCount(short.received) + 20 && short.ending == .closed)
        let silent = try first("/api/v1/meal-logs")
        #expect(silent.received.isEmpty && silent.ending == .closed)
        let reset = try first("\(Self.list)/\(id)")
        #expect(reset.received.count == 30 && reset.ending == .reset)
        for path in [
            Self.list, Self.list + "/quick-actions", "/api/v1/goals", "/api/v1/meal-logs", "\(Self.list)/\(id)",
        ] {
            let second = try world.exchange(.get, path)
            #expect(second.status == 200 && second.json != nil, "\(path)")
        }
        #expect(try world.exchange(.get, "\(Self.list)/\(id)/messages").fields[.contentType] == "application/json")
    }

    @Test("established-account: the user has data in every status")
    func establishedAccount() throws {
        let world = try BuiltInWorld("established-account")
        func statuses(_ path: String, _ key: String) throws -> Set<String> {
            let items = try world.exchange(.get, path).json?["data"]?[key]?.array ?? []
            return Set(items.compactMap { $0["status"]?.string })
        }
        let goals = try world.exchange(.get, "/api/v1/goals").json?["goals"]?.array ?? []
        #expect(Set(goals.compactMap { $0["status"]?.string }).count == GoalWord.guide.count)
        #expect(try statuses(Self.list, "consultations") == ["active", "completed", "archived"])
        #expect(try statuses("/api/v1/meal-logs", "meal_logs").isSuperset(of: ["completed", "failed"]))
    }

    @Test("app-first-run: users cannot log in before they register")
    func appFirstRun() throws {
        let world = try BuiltInWorld("app-first-run")
        #expect(try world.logIn("sam@example.com").status == 401)
        let registration =
            #"{"email":"sam@example.com","password":"correct horse battery","name":"Sam","date_of_birth":"1990-05-17"}"#
        #expect(try world.exchange(.post, "/api/v1/auth/register", registration).status == 201)
        #expect(try world.logIn("sam@example.com").status == 200)
        #expect(try world.exchange(.get, Self.list).json?["data"]?["total_count"] == 0)
    }

    @Test("app-returning-user: the user can log in and has data in every collection")
    func appReturningUser() throws {
        let world = try BuiltInWorld("app-returning-user")
        let login = try world.logIn("sam@example.com")
        let token = try #require(login.json?["data"]?["access_token"]?.string)
        func read(_ path: String) throws -> JSONValue? {
            let request = Request(target: "/api/v1/" + path, fields: [Request.bearer(token), Request.apiKey])
            return try world.network.exchange(request).json?["data"]
        }
        #expect(try read("users/me")?["profile"]?["name"] == "Sam Rivera")
        #expect(try read("users/me/preferences")?["allergies"] == ["peanuts"])
        let consultations = try #require(try read("consultations")?["consultations"]?.array)
        #expect(consultations.count == 3)
        for consultation in consultations {
            let id = try #require(consultation["id"]?.string)
            #expect(try read("consultations/\(id)/messages")?["messages"]?.array?.isEmpty == false)
        }
        for (list, least) in [
            ("goals", 2), ("meal-logs", 2), ("wellness/mood-entries", 30), ("journal", 2), ("insights", 2),
            ("progress", 30), ("sleep", 30), ("workouts", 2), ("profile/metrics", 2), ("workout-templates", 2),
        ] {
            let data = try #require(try read(list), "\(list)")
            #expect((data["total"] ?? data["total_count"])?.int ?? data.array?.count ?? 0 >= least, "\(list)")
        }
    }

    @Test("rate-limited: the server allows five requests in ten seconds")
    func rateLimited() throws {
        let world = try BuiltInWorld("rate-limited")
        let answers = try (0..<6).map { _ in try world.exchange(.get, Self.list) }
        #expect(answers.map(\.status) == [200, 200, 200, 200, 200, 429])
        #expect(answers[5].errorCode == "RATE_LIMITED" && answers[5].fields[.retryAfter] == "10")
        world.network.advance(by: .seconds(10))
        #expect(try world.exchange(.get, Self.list).status == 200)
    }

    @Test("answer-lost: a request that gets a 502 takes effect")
    func answerLost() throws {
        let world = try BuiltInWorld("answer-lost")
        #expect(try world.create().status == 502)
        let id = try existingID(in: world.create())
        #expect(try world.exchange(.get, "\(Self.list)/\(id)").status == 200)
        for expected in [502, 201] {
            #expect(try world.exchange(.post, "/api/v1/goals", Self.goal).status == expected)
            let entry = #"{"content":"x","logged_at":"2025-01-29T10:00:00Z"}"#
            #expect(try world.exchange(.post, "/api/v1/journal", entry).status == expected)
        }
        #expect(try world.exchange(.get, "/api/v1/journal").json?["data"]?["entries"]?.array?.count == 2)
        #expect(try world.exchange(.get, "/api/v1/goals").json?["data"]?["goals"]?.array?.count == 2)
    }

    @Test(
        "A meal completes after 3 s with the same two foods, fails after 2 s with a reason, or never finishes",
        arguments: [
            ("meal-completes", ["3.000 s meal_log.completed"], "completed", #""total_calories":263"#),
            ("meal-fails", ["2.000 s meal_log.failed"], "failed", "Could not identify any food items in the input"),
            ("meal-never-finishes", [], "processing", ""),
        ])
    func meals(_ name: String, _ events: [String], _ status: String, _ words: String) throws {
        let world = try BuiltInWorld(name)
        let socket = try world.socket(on: try world.consultation())
        let logged = try world.exchange(
            .post, "/api/v1/meal-logs/natural", #"{"raw_input":"gravel","meal_type":"dinner"}"#)
        #expect(logged.status == 201 && logged.json?["data"]?["status"] == "processing")
        let id = try #require(logged.json?["data"]?["id"]?.string)
        expectLines(heard(socket, in: world, for: .seconds(3600)), events)
        let log = try world.exchange(.get, "/api/v1/meal-logs/\(id)")
        #expect(log.json?["data"]?["status"]?.string == status)
        #expect(words.isEmpty || log.text.contains(words), "\(log.text)")
        guard status == "completed" else { return }
        #expect(log.json?["data"]?["items"]?.array?.count == 2 && log.json?["data"]?["total_calories"] == 263)
    }

    @Test("meal-finishes-before-socket: a client that connects after the answer gets no event")
    func mealFinishesBeforeSocket() throws {
        let world = try BuiltInWorld("meal-finishes-before-socket")
        let logged = try world.exchange(.post, "/api/v1/meal-logs/natural", Self.meal)
        let id = try #require(logged.json?["data"]?["id"]?.string)
        #expect(logged.json?["data"]?["status"] == "processing")
        let socket = try world.socket(on: try world.consultation())
        expectLines(heard(socket, in: world, for: .seconds(60)), [])
        #expect(try world.exchange(.get, "/api/v1/meal-logs/\(id)").json?["data"]?["status"] == "completed")
    }

    private func heard(_ socket: VirtualSocket, in world: BuiltInWorld, for duration: Duration) -> [String] {
        let start = world.network.now.nanosecondsSinceEpoch
        var lines: [String] = []
        world.network.advance(by: duration) {
            let time = VirtualNetwork.text(world.network.now.nanosecondsSinceEpoch - start)
            lines += socket.takeTypes().map { "\(time) \($0)" }
        }
        return lines
    }
}
