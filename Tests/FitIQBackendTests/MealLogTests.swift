import FitIQAPI
import JSON
import Testing

@testable import FitIQBackend

@Suite("Meal logs") struct MealLogTests {
    @Test("A new log completes after 2.0 to 4.5 seconds even without a socket")
    func completes() throws {
        var (world, user) = try World().withUser()
        let created = try #require(try JSON.parse(try world.logMeal("2 eggs and toast", .dinner, by: user))["data"])
        let id = try #require(created["id"]?.string)
        #expect(created["status"] == "processing" && created["items"] == nil && created["total_calories"] == nil)
        #expect(created["raw_input"] == "2 eggs and toast" && created["meal_type"] == "dinner")
        #expect(created["user_id"] == "user-1" && created["logged_at"] == "2025-01-29T10:30:00Z")
        #expect(try world.showMeal(id, for: user) == created)

        let due = try #require(world.backend.nextDeadline)
        let wait = due.nanosecondsSinceEpoch - World.start.nanosecondsSinceEpoch
        #expect((2_000_000_000...4_500_000_000).contains(wait))
        world.turn.now = due.advanced(byNanoseconds: -1)
        world.backend.advance(&world.turn)
        #expect(try world.showMeal(id, for: user) == created)
        world.turn.now = due
        world.backend.advance(&world.turn)

        let completed = try world.showMeal(id, for: user)
        #expect(completed["status"] == "completed" && completed["id"] == created["id"])
        #expect(completed["total_calories"] == 290 && completed["total_protein_g"]?.number?.text == "16.0")
        #expect(completed["items_count"] == 2 && completed["items"]?.array?.count == 2)
        #expect(completed["items"]?.array?.map { $0["order_index"] } == [0, 1])
        #expect(completed["processing_started_at"] == "2025-01-29T10:30:00Z")
        #expect(completed["processing_completed_at"]?.string == due.wireText)
        #expect(completed["updated_at"]?.string == due.wireText && completed["created_at"] == created["created_at"])
        #expect(world.backend.nextDeadline == nil && world.takeEffects().isEmpty)
    }

    static let examples: [(String, calories: JSONValue, protein: String, items: Int)] = [
        ("2 eggs", 140, "12.0", 1), ("2 eggs and toast", 290, "16.0", 2), ("120g chicken breast", 198, "37.2", 1),
    ]

    @Test("The guides' example meals get the same numbers as in the guides", arguments: examples)
    func guidesNumbers(text: String, calories: JSONValue, protein: String, items: Int) throws {
        var (world, user) = try World(pace: .instant).withUser()
        let id = try world.mealID(text, by: user)
        world.backend.advance(&world.turn)
        let log = try world.showMeal(id, for: user)
        #expect(log["total_calories"] == calories && log["items"]?.array?.count == items)
        #expect(log["total_protein"]?.number?.text == protein)
    }

    @Test(
        "A log fails if it has no recognized foods or too many foods",
        arguments: [
            ("qwertyuiop", "Could not identify any food items in the input"),
            (
                Array(repeating: "eggs", count: 51).joined(separator: ", "),
                "The input names more than 50 food items, which is the limit for a meal log; split it into several meal logs"
            ),
        ])
    func fails(text: String, details: String) throws {
        var (world, user) = try World().withUser()
        let id = try world.mealID(text, by: user)
        world.waitForMeals()
        let log = try world.showMeal(id, for: user)
        #expect(log["status"] == "failed" && log["items"] == nil)
        #expect(log["error_message"] == "Failed to parse meal input" && log["error"] == log["error_message"])
        #expect(log["details"]?.string == details)
    }

    @Test("The processing time is within the window for any id")
    func window() throws {
        var (world, user) = try World(seed: 77).withUser()
        var waits: [Int64] = []
        for _ in 0..<2000 {
            _ = try world.logMeal(by: user)
            let due = try #require(world.backend.nextDeadline)
            waits.append(due.nanosecondsSinceEpoch - world.turn.now.nanosecondsSinceEpoch)
            world.waitForMeals()
            #expect(world.backend.nextDeadline == nil)
        }
        #expect(waits.allSatisfy { (2_000_000_000...4_500_000_000).contains($0) })
        #expect((waits.min() ?? 0) < 2_010_000_000 && (waits.max() ?? 0) > 4_490_000_000)
    }

    @Test("At an instant pace, a log completes immediately after its 201")
    func instant() throws {
        var (world, user) = try World(pace: .instant).withUser()
        try world.open(1, on: try world.create(by: user), by: user)
        _ = world.takeEffects()
        let created = try JSON.parse(try world.logMeal(by: user))["data"]
        #expect(created?["status"] == "processing" && world.takeEffects().isEmpty)
        #expect(world.backend.nextDeadline == world.turn.now)
        world.backend.advance(&world.turn)
        let events = world.takeEffects().mealEvents(of: 1)
        #expect(events.map { $0["type"] } == ["meal_log.completed"])
        #expect(events.first?["timestamp"] == "2025-01-29T10:30:00Z")
        #expect(events.first?["data"]?["id"] == created?["id"])
    }

    @Test("A log's ids depend neither on later logs nor on its completion time")
    func laterIDs() throws {
        var ids: Set<[String]> = []
        for wait in [0, 2500, 10_000] as [Int64] {
            var (world, user) = try World().withUser()
            let first = try world.mealID("2 eggs and toast", by: user)
            world.wait(milliseconds: wait)
            let (consultation, second) = (try world.create(by: user), try world.mealID(by: user))
            world.waitForMeals()
            let items = try [first, second].flatMap { try world.showMeal($0, for: user)["items"]?.all("id") ?? [] }
            #expect(Set(items + [first, second, consultation]).count == 6)
            ids.insert(items + [first, second, consultation])
        }
        #expect(ids.count == 1)
    }

    @Test("A log's time is the client's time or the creation time")
    func loggedAt() throws {
        var (world, user) = try World().withUser()
        world.pass(milliseconds: 1999)
        let now = try world.mealID(by: user)
        let distant = DateTime(secondsSinceEpoch: 253_402_300_799)
        let future = try world.mealID(at: distant, by: user)
        #expect(try world.showMeal(now, for: user)["logged_at"] == "2025-01-29T10:30:01Z")
        #expect(try world.showMeal(future, for: user)["logged_at"] == "9999-12-31T23:59:59Z")
        #expect(try world.showMeal(future, for: user)["created_at"] == "2025-01-29T10:30:01Z")
    }

    @Test(
        "The meal log list always has the union's form, even in a guide's mode",
        arguments: [
            (GuideMode.union, ["success", "data"], true), (.webSocketArchitecture, ["success", "data"], true),
            (.mealLogWebSocket, ["data"], false),
        ])
    func forms(mode: GuideMode, envelope: [String], isUnion: Bool) throws {
        var world = World.answering(as: mode)
        let user = try world.backend.user("user-1")
        let created = try JSON.parse(try world.logMeal(by: user))
        let id = try #require(created["data"]?["id"]?.string)
        for seconds in [0, 5] as [Int64] {
            world.wait(milliseconds: seconds * 1000)
            let shown = try JSON.parse(try world.backend.mealLog(id, for: user))
            #expect(shown.object?.keys == envelope)
            #expect((shown["data"]?["meal_log_id"] != nil) == isUnion)
            if seconds == 0 { #expect(shown == created) }
            let listed = try JSON.parse(world.backend.mealLogs(try MealLogListQuery(query: []), for: user).make())
            #expect(listed["success"] == true && listed["data"]?["meal_logs"]?[0]?["meal_log_id"]?.string == id)
            #expect(listed["data"]?["meal_logs"]?[0]?["status"] == shown["data"]?["status"])
        }
    }

    @Test("A GET of another user's log, or of an id in a different case or format, returns 404")
    func ownership() throws {
        var (world, owner, stranger) = try World().withTwoUsers()
        let id = try world.mealID(by: owner)
        for _ in 0..<2 {
            #expect(refusal(try world.backend.mealLog(id, for: stranger)) == .unknownMealLog(id))
            #expect(try world.listMeals(for: stranger)["total_count"] == 0)
            for other in [id.uppercased(), "", "natural", String(id.dropLast()), " \(id)"] {
                let refusal = refusal(try world.backend.mealLog(other, for: owner))
                #expect(refusal == .unknownMealLog(other))
            }
            world.waitForMeals()
        }
        // A consultation's id does not name a meal log.
        let consultation = try world.create(by: owner)
        #expect(refusal(try world.backend.mealLog(consultation, for: owner)) != nil)
        #expect(try world.listMeals(for: owner)["total_count"] == 1)
    }
}
