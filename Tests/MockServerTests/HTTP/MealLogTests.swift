import FitIQAPI
import FitIQBackend
import JSON
import TestSupport
import Testing

@testable import MockServer

extension Request {
    static let mealLogs = "/api/v1/meal-logs"

    static func logMeal(
        _ json: String = #"{"raw_input":"2 eggs","meal_type":"breakfast"}"#, as user: String = TestUser.anna
    ) -> Request {
        authorized(.post, mealLogs + "/natural", as: user).json(json)
    }

    static func mealLog(_ id: String, as user: String = TestUser.anna) -> Request {
        authorized(.get, mealLogs + "/" + id, as: user)
    }

    fileprivate static func mealLogList(_ query: String = "") -> Request {
        authorized(.get, mealLogs + query, as: TestUser.anna)
    }
}

@Suite("Meal logs over HTTP")
struct MealLogTests {
    private let network = VirtualNetwork()

    @Test(
        "A logged meal completes within 4.5 s and appears in an event, by id and in the list",
        arguments: [GuideMode.union, .webSocketArchitecture, .mealLogWebSocket])
    func story(mode: GuideMode) throws {
        let network = VirtualNetwork {
            $0.pace = .human
            $0.mode = mode
        }
        let created = try network.exchange(
            .logMeal(
                #"{"raw_input":"120g chicken breast","meal_type":"lunch","logged_at":"2025-01-29T09:00:00+01:00"}"#))
        #expect(created.status == 201 && created.json?["data"]?["status"] == "processing")
        #expect(created.json?.object?.keys == (mode == .mealLogWebSocket ? ["data"] : ["success", "data"]))
        #expect(created.json?["data"]?["logged_at"] == "2025-01-29T08:00:00Z")
        let id = try #require(created.json?["data"]?["id"]?.string)
        network.advance(by: .milliseconds(1999))
        #expect(try network.exchange(.mealLog(id)).json == created.json)
        network.advance(by: .milliseconds(2501))
        let shown = try network.exchange(.mealLog(id))
        #expect(shown.status == 200 && shown.json?["data"]?["status"] == "completed")
        #expect(shown.json?["data"]?["total_calories"] == 198)
        // In one guide, the answer has no items, but the event does.
        #expect(shown.json?["data"]?["items"]?.array?.count == (mode == .mealLogWebSocket ? nil : 1))
        let list = try network.exchange(.mealLogList("?status=completed&start_date=2025-01-29"))
        #expect(list.status == 200 && list.json?["success"] == true)
        #expect(list.json?["data"]?["meal_logs"]?.array?.map { $0["id"]?.string } == [id])
        #expect(try network.exchange(.authorized(.head, Request.mealLogs, as: TestUser.anna)).body.isEmpty)
        #expect(try network.exchange(.mealLog(id, as: TestUser.ben)).status == 404)
    }

    @Test("The 201 precedes the event, which reaches each of the user's sockets", arguments: [Pace.instant, .human])
    func events(pace: Pace) throws {
        let network = VirtualNetwork { $0.pace = pace }
        let first = try network.greetedSocket(on: try network.consultation())
        let second = try network.greetedSocket(on: try network.consultation(#"{"persona":"fitness_coach"}"#))
        let other = try network.socket(on: try network.consultation(of: TestUser.ben), of: TestUser.ben)
        #expect(other.takeTypes() == ["connected"])

        let created = try network.exchange(.logMeal())
        #expect(created.status == 201 && created.json?["data"]?["status"] == "processing")
        // Nothing has arrived yet, because the loop has not run.
        #expect(first.takeFrames().isEmpty && second.takeFrames().isEmpty)
        #expect(network.engine.nextDeadline != nil)
        network.advance(by: pace == .instant ? .zero : .milliseconds(4500))
        let late = try network.socket(on: try network.consultation(#"{"persona":"wellness_specialist"}"#))
        let frames = first.takeFrames()
        #expect(frames.map { $0["type"] } == ["meal_log.completed"] && second.takeFrames() == frames)
        #expect(frames.first?["data"]?["id"] == created.json?["data"]?["id"])
        #expect(frames.first?["consultation_id"] == nil)
        #expect(other.takeFrames().isEmpty && late.takeTypes() == ["connected"])
    }

    @Test("A POST and a GET in one packet get the 201 and then the list")
    func pipelined() throws {
        let socket = try network.socket(on: try network.consultation())
        let client = try network.client()
        let list = Request.mealLogList()
        client.wire.send(Request.logMeal().bytes + list.bytes)
        let created = try client.response(to: .logMeal())
        let listed = try client.response(to: list)
        #expect(created.status == 201 && created.json?["data"]?["status"] == "processing")
        #expect(listed.json?["data"]?["meal_logs"]?[0]?["status"] == "completed")
        #expect(socket.takeTypes() == ["connected", "meal_log.completed"])
    }

    @Test("The 201 precedes the event whichever connection is active first")
    func responseFirst() throws {
        let socket = try network.socket(on: try network.consultation())
        let client = try network.open()
        func receive(_ bytes: [UInt8], _ client: VirtualClient) {
            bytes.withUnsafeBytes { network.engine.receive($0, on: client.id, at: network.now) }
        }
        receive(socket.frames([#"{"type":"ping"}"#]), socket.wire)
        receive(Request.logMeal().bytes + Request.mealLogList().bytes, client)
        let touched = network.engine.takeTouched()
        #expect(touched.map(\.id) == [client.id, socket.wire.id] && touched.allSatisfy { $0.hasOutput })
    }

    @Test("A client that disconnects misses the event but keeps the meal log")
    func goesAway() throws {
        let network = VirtualNetwork { $0.pace = .human }
        let socket = try network.socket(on: try network.consultation())
        let created = try network.exchange(.logMeal(#"{"raw_input":"qwertyuiop","meal_type":"snack"}"#))
        let id = try #require(created.json?["data"]?["id"]?.string)
        socket.wire.vanish()
        network.advance(by: .seconds(5))
        let shown = try network.exchange(.mealLog(id)).json?["data"]
        #expect(shown?["status"] == "failed" && shown?["error_message"] == "Failed to parse meal input")
        #expect(network.engine.isEmpty)
    }

    static let badBodies: [(String, String, String)] = [
        ("", "INVALID_JSON", "body is empty"), ("{", "INVALID_JSON", "not valid JSON"),
        ("[]", "VALIDATION_FAILED", "must be a JSON object"), ("{}", "VALIDATION_FAILED", "'raw_input' is required"),
        (#"{"raw_input":"2 eggs"}"#, "VALIDATION_FAILED", "'meal_type' is required"),
        (#"{"raw_input":"  ","meal_type":"lunch"}"#, "VALIDATION_FAILED", "'raw_input' is blank"),
        (#"{"raw_input":"x","meal_type":"brunch"}"#, "VALIDATION_FAILED", #"got "brunch""#),
        (
            #"{"raw_input":"x","meal_type":"lunch","logged_at":"yesterday"}"#, "VALIDATION_FAILED",
            #"got a string: "yesterday""#
        ),
    ]

    @Test("A bad body returns 400 and creates no meal log", arguments: badBodies)
    func badBody(body: String, code: String, message: String) throws {
        let response = try network.exchange(.logMeal(body))
        #expect(response.refusal == "400 \(code)" && response.message.contains(message), "\(response.message)")
        let backend = network.engine.defaultWorld.backend
        #expect(backend.mealLogCount == 0 && backend.nextDeadline == nil)
    }

    static let badQueries: [(String, String)] = [
        ("limit=0", "'limit'"), ("limit=101", "'limit'"), ("page=0", "'page'"), ("status=done", "'status'"),
        ("meal_type=tea", "'meal_type'"), ("start_date=today", "'start_date'"), ("end_date=2025-02-30", "'end_date'"),
        ("start_date=2025-01-29T10:30:00+01:00", "write it as %2B"),
    ]

    @Test("A bad query returns 400 with the parameter", arguments: badQueries)
    func badQuery(query: String, message: String) throws {
        let response = try network.exchange(.mealLogList("?" + query))
        #expect(response.refusal == "400 VALIDATION_FAILED" && response.message.contains(message))
    }

    @Test("A query accepts a percent-encoded time offset")
    func escapedOffset() throws {
        _ = try network.exchange(.logMeal())
        let list = Request.mealLogList("?start_date=2025-01-29T11:30:00%2B01:00&end_date=2025-01-29")
        #expect(try network.exchange(list).json?["data"]?["total_count"] == 1)
    }

    static let refusals: [(Request, String)] = [
        (Request(method: .post, target: "/api/v1/meal-logs/natural"), "401 UNAUTHORIZED"),
        (Request(target: "/api/v1/meal-logs"), "401 UNAUTHORIZED"),
        // Credentials are checked before anything else.
        (Request(method: .post, target: "/api/v1/meal-logs/natural").json("{"), "401 UNAUTHORIZED"),
        (Request(target: "/api/v1/meal-logs/x"), "401 UNAUTHORIZED"), (.mealLog("x"), "404 NOT_FOUND"),
        (.mealLog("11111111-1111-4111-8111-111111111111"), "404 NOT_FOUND"),
        (.authorized(.post, "/api/v1/meal-logs"), "405 METHOD_NOT_ALLOWED"),
        (.authorized(.get, "/api/v1/meal-logs/natural"), "405 METHOD_NOT_ALLOWED"),
        (.authorized(.post, "/api/v1/meal-logs/11111111-1111-4111-8111-111111111111"), "405 METHOD_NOT_ALLOWED"),
        (.authorized(.get, "/api/v1/meal-logs/natural/x"), "404 NOT_FOUND"),
        (textMeal, "415 UNSUPPORTED_MEDIA_TYPE"), (.logMeal("{}"), "400 VALIDATION_FAILED"),
    ]

    @Test("POST /meal-logs returns 405 with the correct path")
    func abbreviatedPath() throws {
        let hint = "Log a meal with POST /api/v1/meal-logs/natural."
        #expect(try network.exchange(.authorized(.post, "/api/v1/meal-logs")).message.hasSuffix(hint))
        let world = try network.world()
        #expect(try world.exchange(.post, "/api/v1/meal-logs", "{}").message.hasSuffix(hint))
        #expect(try !world.exchange(.delete, "/api/v1/meal-logs").message.contains(hint))
    }

    private static var textMeal: Request {
        var request = Request.authorized(.post, "/api/v1/meal-logs/natural").with("Content-Type: text/plain")
        request.body = Array("{".utf8)
        return request
    }

    @Test("Errors follow the contract's order", arguments: refusals)
    func refusal(request: Request, refusal: String) throws { #expect(try network.exchange(request).refusal == refusal) }

    @Test("meal-log-websocket uses its own form only for errors in documented requests")
    func errorForms() throws {
        let network = VirtualNetwork { $0.mode = .mealLogWebSocket }
        let own = try network.exchange(.mealLog("x"))
        #expect(own.status == 404 && own.json?.object?.keys == ["error"])
        let support = try network.exchange(.mealLogList("?limit=0"))
        #expect(support.status == 400 && support.json?["success"] == false)
    }

    @Test(
        "If a guide has no meal logs, its mode has no meal log endpoints",
        arguments: [GuideMode.consultationWebSocket, .enhancedConsultations, .goalLinking])
    func absent(mode: GuideMode) throws {
        let network = VirtualNetwork { $0.mode = mode }
        let response = try network.exchange(.logMeal())
        #expect(response.status == 404 && response.message.contains("meal-log-websocket"))
    }

    @Test("Logging a meal beyond the limit returns 507")
    func limit() throws {
        let network = VirtualNetwork { $0.worldLimits.mealLogs = 1 }
        #expect(try network.exchange(.logMeal()).status == 201)
        let response = try network.exchange(.logMeal())
        #expect(response.refusal == "507 STORE_FULL" && response.message.contains("1 meal logs for this user"))
    }
}
