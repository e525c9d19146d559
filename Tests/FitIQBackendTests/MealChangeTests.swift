import FitIQAPI
import JSON
import Testing

@testable import FitIQBackend

@Suite("The apps' meals") struct MealChangeTests {
    private static func consistent(_ world: World, _ user: UserID) -> [String] {
        Invariants.violations(of: user, in: world) + Invariants.violationsOfBytes(in: world)
            + Invariants.deepViolationsOfMealLogs(in: world)
    }

    @Test("Changing a meal's text restarts its processing")
    func rewording() throws {
        // Eggs take two seconds, and toast takes ten.
        let script = Script(meals: [
            MealRule(text: .contains("eggs"), duration: 2_000_000_000),
            MealRule(text: .contains("toast"), duration: 10_000_000_000),
        ])
        var (world, user) = try World(script: script).withUser("anna")
        try world.open(1, on: try world.create(by: user), by: user)
        let id = try world.mealID("2 eggs", by: user)
        world.wait(milliseconds: 1000)
        let body = try world.change(id, #"{"raw_input":"toast"}"#, by: user)
        let shown = try JSON.parse(body)["data"]
        #expect(shown?["status"] == "processing" && shown?["raw_input"] == "toast")
        #expect(shown?["created_at"] == "2025-01-29T10:30:00Z")
        #expect(
            shown?["processing_started_at"] == "2025-01-29T10:30:01Z" && shown?["updated_at"] == "2025-01-29T10:30:01Z")
        world.wait(milliseconds: 5000)
        #expect(try world.showMeal(id, for: user)["status"] == "processing")
        #expect(world.takeEffects().mealEvents(of: 1).isEmpty)
        #expect(Self.consistent(world, user) == [])
        world.wait(milliseconds: 5000)
        let done = try world.showMeal(id, for: user)
        #expect(done["status"] == "completed" && done["items"]?.array?.first?["food_name"] == "Toast")
        #expect(done["processing_completed_at"] == "2025-01-29T10:30:11Z")
        #expect(world.takeEffects().mealEvents(of: 1).map { $0["data"] } == [done])
        #expect(world.backend.scheduledStepCount == 0)

        // Make the change again after completion, which creates new items.
        _ = try world.change(id, #"{"raw_input":"2 eggs"}"#, by: user)
        world.wait(milliseconds: 2000)
        let again = try world.showMeal(id, for: user)
        #expect(again["status"] == "completed" && again["items"]?.array?.first?["food_name"] == "Eggs")
        #expect(again["items"]?.array?.first?["id"] != done["items"]?.array?.first?["id"])
        #expect(world.takeEffects().mealEvents(of: 1).count == 1)
        #expect(Self.consistent(world, user) == [])
    }

    @Test("Changing other members of a meal keeps its result and its place in the list")
    func otherChanges() throws {
        var (world, user) = try World().withUser("anna")
        let ids = try (0..<3).map { try world.mealID("\($0 + 1) eggs", at: nil, by: user) }
        world.waitForMeals()
        let items = try world.showMeal(ids[0], for: user)["items"]
        let json = #"{"meal_type":"other","logged_at":"2025-01-28T00:00:00Z","notes":"n","raw_input":"1 eggs"}"#
        _ = try world.change(ids[2], json.replacing("1 eggs", with: "3 eggs"), by: user)
        let moved = try world.showMeal(ids[2], for: user)
        #expect(moved["status"] == "completed" && moved["notes"] == "n" && moved["meal_type"] == "other")
        #expect(moved["updated_at"] == "2025-01-29T10:30:04Z")
        func listed() throws -> [String?] {
            try world.listMeals(for: user)["meal_logs"]?.array?.map { $0["id"]?.string } ?? []
        }
        #expect(try listed() == [ids[1], ids[0], ids[2]])
        // Equal times are ordered by creation, as they are after an import.
        _ = try world.change(ids[0], #"{"logged_at":"2025-01-28T00:00:00Z"}"#, by: user)
        #expect(try listed() == [ids[1], ids[2], ids[0]])
        #expect(try world.showMeal(ids[0], for: user)["items"] == items)
        #expect(Self.consistent(world, user) == [])
        let copy = try world.replanted()
        #expect(try copy.everything() == world.everything())
        #expect(copy.data == world.data)
    }

    @Test("A change to a meal without new values has no effect")
    func noChange() throws {
        var (world, anna, ben) = try World().withTwoUsers("anna", "ben")
        let id = try world.mealID(by: anna)
        world.waitForMeals()
        let before = try world.backend.mealLog(id, for: anna)
        world.wait(milliseconds: 60_000)
        for json in ["{}", #"{"raw_input":"2 eggs"}"#, #"{"status":"failed","created_at":"2020-01-01T00:00:00Z"}"#] {
            #expect(try world.change(id, json, by: anna) == before)
        }
        #expect(throws: APIError.unknownMealLog(id)) { try world.change(id, #"{"raw_input":"x"}"#, by: ben) }
    }

    @Test("Either the whole batch is logged or none of it")
    func batch() throws {
        var (world, user) = try World(limits: .with { $0.mealLogs = 3 }).withUser("anna")
        let meal = #"{"raw_input":"tea","meal_type":"drink"}"#
        func request(_ count: Int) throws -> CreateMealLogsRequest {
            let meals = Array(repeating: meal, count: count).joined(separator: ",")
            return try CreateMealLogsRequest(body: #"{"meal_logs":[\#(meals)]}"#.bytes)
        }
        let body = try JSON.parse(try world.logMeals(request(2), by: user))["data"]
        #expect(body?["count"] == 2 && body?["meal_logs"]?.array?.count == 2)
        let full = APIError.storeFull("meal logs for this user", limit: 3)
        #expect(throws: full) { try world.logMeals(request(2), by: user) }
        #expect(world.backend.mealLogCount == 2)
        _ = try world.logMeals(request(1), by: user)
        world.waitForMeals()
        let items = try world.listMeals(for: user)["meal_logs"]?.array?.compactMap { $0["items"]?.array?.first }
        #expect(items?.map { $0["food_type"] } == ["drink", "drink", "drink"])
        #expect(Self.consistent(world, user) == [])
    }

    @Test(
        "The food table distinguishes food, drink and water",
        arguments: [
            ("2 eggs", "food"), ("a glass of water", "water"), ("sparkling water", "water"), ("coffee", "drink"),
            ("a beer", "drink"), ("coconut water", "drink"),
        ])
    func foodTypes(text: String, type: String) throws {
        var (world, user) = try World().withUser("anna")
        let id = try world.mealID(text, by: user)
        world.waitForMeals()
        #expect(try world.showMeal(id, for: user)["items"]?.array?.first?["food_type"]?.string == type)
    }

    @Test("A scripted food's type is derived from its name unless the script sets the type")
    func scriptedFoodTypes() throws {
        func food(_ name: String, _ type: FoodType? = nil) -> MealItem {
            MealItem(name: name, quantity: 1, unit: "cups", nutrients: MealNutrients(), foodType: type)
        }
        let foods = [food("Tap Water"), food("Zorg"), food("Zorg", .drink), food("Orange Juice")]
        var (world, user) = try World(script: Script(meals: [MealRule(outcome: .completed(foods))])).withUser("anna")
        let id = try world.mealID(by: user)
        world.waitForMeals()
        let types = try world.showMeal(id, for: user)["items"]?.array?.map { $0["food_type"]?.string }
        #expect(types == ["water", "food", "drink", "drink"])
        #expect(try world.replanted().everything() == world.everything())
    }

    @Test("Only the apps have all meal types")
    func guide() throws {
        let user = UserData(id: "u", mealLogs: [MealLogData(rawInput: "tea", mealType: .drink)])
        #expect(throws: Never.self) { try World(planting: user) }
        let error = #expect(throws: PlantError.self) { try World(planting: user, mode: .mealLogWebSocket) }
        #expect(error?.path == "users[0].meal_logs[0].meal_type")
    }

    // MARK: Foods

    private static func food(_ name: String, named member: String = "food_name") -> String {
        #"{"\#(member)":"\#(name)","quantity":2,"unit":"cups","calories":50,"protein_g":1.5,"carbs_g":0,"fat_g":0}"#
    }

    @Test("A meal with entered foods is manual immediately")
    func manual() throws {
        var (world, user) = try World().withUser("anna")
        try world.open(1, on: try world.create(by: user), by: user)
        let body = #"{"meal_type":"drink","items":[\#(Self.food("Tea")),\#(Self.food("Zorg"))],"notes":"n"}"#
        let answer = try world.logMeals(CreateMealLogsRequest(body: body.bytes), by: user)
        let meal = try #require(try JSON.parse(answer)["data"])
        let id = try #require(meal["id"]?.string)
        #expect(meal["status"] == "manual" && meal["raw_input"] == "Tea, Zorg" && meal["notes"] == "n")
        #expect(meal["total_calories"] == 100 && meal["total_protein_g"]?.double == 3)
        #expect(meal["items"]?.array?.map { $0["food_type"] } == ["drink", "food"])
        #expect(try world.backend.mealLog(id, for: user) == answer)
        #expect(world.takeMeals().mealEvents(of: 1).isEmpty && world.backend.scheduledStepCount == 0)
        #expect(Self.consistent(world, user) == [])
        let copy = try world.replanted()
        #expect(try copy.everything() == world.everything() && copy.data == world.data)

        // Different foods get different ids, even at the same instant.
        var ids = Set(meal["items"]?.array?.compactMap { $0["id"]?.string } ?? [])
        for round in 1...2 {
            let change = try JSON.parse(try world.change(id, #"{"items":[\#(Self.food("Pie"))]}"#, by: user))["data"]
            #expect(change?["status"] == "manual" && change?["total_calories"] == 50 && change?["items_count"] == 1)
            #expect(change?["raw_input"] == "Tea, Zorg")
            ids.formUnion(change?["items"]?.array?.compactMap { $0["id"]?.string } ?? [])
            #expect(ids.count == 2 + round)
        }
        // Text sent with foods is stored but not parsed; text without foods is parsed.
        let both = #"{"raw_input":"2 eggs","items":[\#(Self.food("Egg"))]}"#
        let kept = try JSON.parse(try world.change(id, both, by: user))["data"]
        #expect(kept?["status"] == "manual" && kept?["raw_input"] == "2 eggs")
        _ = try world.change(id, #"{"raw_input":"toast"}"#, by: user)
        #expect(try world.showMeal(id, for: user)["status"] == "processing")
        world.waitForMeals()
        let read = try world.showMeal(id, for: user)
        #expect(read["status"] == "completed" && read["items"]?.array?.first?["food_name"] == "Toast")
        #expect(Self.consistent(world, user) == [])
    }

    @Test("A change cannot add foods to a log without foods")
    func foodsOfOthers() throws {
        let script = Script(meals: [MealRule(text: .contains("x"), outcome: .failed(.noFood))])
        var (world, anna, ben) = try World(script: script).withTwoUsers("anna", "ben")
        let ids = try ["2 eggs", "x"].map { try world.mealID($0, by: anna) }
        let items = #"{"items":[\#(Self.food("Pie"))],"notes":"n"}"#
        #expect(throws: APIError.foodsNotReplaceable(.processing)) { try world.change(ids[0], items, by: anna) }
        world.waitForMeals()
        #expect(throws: APIError.foodsNotReplaceable(.failed)) { try world.change(ids[1], items, by: anna) }
        #expect(try world.showMeal(ids[1], for: anna)["notes"] == nil)
        #expect(throws: APIError.unknownMealLog(ids[0])) { try world.change(ids[0], items, by: ben) }
        let changed = try JSON.parse(try world.change(ids[0], items, by: anna))["data"]
        #expect(changed?["status"] == "completed" && changed?["items"]?.array?.map { $0["food_name"] } == ["Pie"])
        #expect(Self.consistent(world, anna) == [])
    }

    // MARK: Photos

    private func confirmation(_ names: [String], notes: String = "") throws -> ConfirmMealPhotoRequest {
        let items = names.map { Self.food($0, named: "name") }
        let body = #"{"confirmed_items":[\#(items.joined(separator: ","))],"notes":"\#(notes)"}"#
        return try ConfirmMealPhotoRequest(body: body.bytes)
    }

    @Test("A confirmed photo becomes a completed meal log")
    func photo() throws {
        var (world, user) = try World().withUser("anna")
        try world.open(1, on: try world.create(by: user), by: user)
        let body = try world.recognize(MealPhotoRequest(mealType: .lunch), by: user)
        let shown = try #require(try JSON.parse(body)["data"])
        let id = try #require(shown["session_id"]?.string)
        let items = try #require(shown["recognized_items"]?.array)
        #expect((2...3).contains(items.count))
        let sum = items.reduce(0) { $0 + ($1["calories"]?.int ?? 0) }
        #expect(shown["total_macros"]?["total_calories"]?.int == sum)
        #expect(try world.backend.mealPhoto(id, for: user) == body && world.backend.mealLogCount == 0)
        #expect(Self.consistent(world, user) == [])

        world.wait(milliseconds: 1000)
        let log = try world.data(try world.confirm(id, confirmation(["Tea", "Zorg"], notes: "n"), by: user))
        #expect(log["status"] == "completed" && log["meal_type"] == "lunch" && log["notes"] == "n")
        #expect(log["raw_input"] == "Tea, Zorg" && log["total_calories"] == 100)
        #expect(log["items"]?.array?.map { $0["food_type"] } == ["drink", "food"])
        #expect(log["logged_at"] == "2025-01-29T10:30:00Z" && log["created_at"] == "2025-01-29T10:30:01Z")
        // The members of the log, followed by the members that only the session has.
        for name in ["session_id", "recognized_items", "total_macros", "overall_confidence", "confidence_score"] {
            #expect(log[name] == shown[name], "\(name)")
        }
        let bare = try world.showMeal(try #require(log["id"]?.string), for: user)
        for (name, value) in try #require(bare.object) { #expect(log[name] == value, "\(name)") }
        #expect(world.takeEffects().mealEvents(of: 1).map { $0["data"] } == [bare])
        #expect(try world.listMeals(for: user)["meal_logs"] == [bare])
        // The session is kept, and names the log.
        var confirmed = try #require(shown.object)
        #expect(confirmed["meal_log_id"] == .null && confirmed["id"] == confirmed["session_id"])
        (confirmed["meal_log_id"], confirmed["updated_at"]) = (log["id"] ?? .null, "2025-01-29T10:30:01Z")
        #expect(try JSON.parse(try world.backend.mealPhoto(id, for: user))["data"] == .object(confirmed))
        let again = #expect(throws: APIError.self) { try world.confirm(id, confirmation(["Tea"]), by: user) }
        #expect(again?.status == .badRequest && again?.message.contains(log["id"]?.string ?? "?") == true)
        #expect(world.backend.mealLogCount == 1)
        // Waits longer than processing would take, to show that this log skipped it.
        world.waitForMeals()
        #expect(Self.consistent(world, user) == [])
        let copy = try world.replanted()
        #expect(try copy.everything() == world.everything() && copy.data == world.data)
        #expect(try copy.backend.mealPhoto(id, for: user) == world.backend.mealPhoto(id, for: user))
        try world.backend.deleteMealPhoto(id, by: user)
        #expect(throws: APIError.unknownMealPhoto(id)) { try world.backend.mealPhoto(id, for: user) }
        #expect(Self.consistent(world, user) == [])
    }

    @Test("A confirmation without foods accepts all recognized foods and the photo's description")
    func acceptAll() throws {
        var (world, user) = try World().withUser("anna")
        for (body, notes) in [("{}", "p"), (#"{"confirmed_items":[],"notes":"c"}"#, "c"), (#"{"notes":""}"#, nil)] {
            var request = MealPhotoRequest(mealType: .dinner)
            request.notes = "p"
            let shown = try world.data(try world.recognize(request, by: user))
            #expect(shown["notes"] == "p")
            let confirmation = try ConfirmMealPhotoRequest(body: body.bytes)
            let id = try #require(shown["id"]?.string)
            let log = try world.data(try world.confirm(id, confirmation, by: user))
            #expect(log["notes"]?.string == notes && log["meal_type"] == "dinner")
            for (name, seen) in [("food_name", "name"), ("quantity", "quantity"), ("unit", "unit")] {
                #expect(log["items"]?.array?.map { $0[name] } == shown["recognized_items"]?.array?.map { $0[seen] })
            }
            #expect(log["total_protein_g"] == shown["total_protein_g"])
        }
        // Waits longer than processing would take, to show that these logs skipped it.
        world.waitForMeals()
        #expect(Self.consistent(world, user) == [])
    }

    @Test("Photos match only the script's photo rules, and text matches only its text rules")
    func scriptedPhoto() throws {
        var salad = MealRule(
            mealTypes: [.lunch],
            outcome: .completed([
                MealItem(
                    name: "Salad", quantity: 1, unit: "bowls", nutrients: MealNutrients(calories: 90, fatTenths: 5),
                    confidence: 0.7)
            ]))
        salad.isForPhotos = true
        var nothing = MealRule(outcome: .failed(.noFood))
        nothing.isForPhotos = true
        var (world, user) = try World(script: Script(meals: [salad, nothing])).withUser("anna")
        func recognized(_ type: MealType) throws -> JSONValue {
            try JSON.parse(try world.recognize(MealPhotoRequest(mealType: type), by: user))["data"] ?? .null
        }
        let lunch = try recognized(.lunch)
        #expect(lunch["recognized_items"]?.array?.map { $0["name"] } == ["Salad"])
        #expect(lunch["overall_confidence"] == 70 && lunch["needs_review"] == true && lunch["status"] == "completed")
        #expect(lunch["total_macros"]?["total_fats"] == 1 && lunch["total_fat_g"] == 0.5)
        let dinner = try recognized(.dinner)
        #expect(dinner["recognized_items"] == [] && dinner["needs_review"] == true && dinner["overall_confidence"] == 0)
        #expect(dinner["status"] == "failed" && dinner["error_message"] != nil)
        let session = try #require(dinner["id"]?.string)
        #expect(throws: APIError.nothingRecognized) { try world.confirm(session, confirmation([]), by: user) }
        #expect(throws: Never.self) { try world.confirm(session, confirmation(["Tea"]), by: user) }
        let id = try world.mealID("2 eggs", .lunch, by: user)
        world.waitForMeals()
        #expect(try world.showMeal(id, for: user)["items"]?.array?.first?["food_name"] == "Eggs")
        #expect(Self.consistent(world, user) == [])
        #expect(try world.replanted().everything() == world.everything())
    }

    @Test("At the limit, the oldest photo is removed, and confirmed photos are removed first")
    func photoLimit() throws {
        var (world, anna, ben) = try World(limits: .with { $0.photos = 2 }).withTwoUsers("anna", "ben")
        let ids = try (0..<3).map { _ in
            try JSON.parse(try world.recognize(MealPhotoRequest(), by: anna))["data"]?["session_id"]?.string ?? ""
        }
        #expect(throws: APIError.unknownMealPhoto(ids[0])) { try world.backend.mealPhoto(ids[0], for: anna) }
        #expect(throws: APIError.unknownMealPhoto(ids[1])) { try world.backend.mealPhoto(ids[1], for: ben) }
        #expect(throws: APIError.unknownMealPhoto(ids[1])) { try world.backend.deleteMealPhoto(ids[1], by: ben) }
        #expect(throws: APIError.unknownMealPhoto(ids[1])) { try world.confirm(ids[1], confirmation(["Tea"]), by: ben) }
        try world.backend.deleteMealPhoto(ids[1], by: anna)
        #expect(throws: APIError.unknownMealPhoto(ids[1])) { try world.backend.mealPhoto(ids[1], for: anna) }
        #expect(throws: Never.self) { try world.backend.mealPhoto(ids[2], for: anna) }
        _ = try world.recognize(MealPhotoRequest(), by: anna)
        let newest = try #require(world.backend.users[anna].photos.last?.log.id.description)
        _ = try world.confirm(newest, confirmation(["Tea"]), by: anna)
        _ = try world.recognize(MealPhotoRequest(), by: anna)
        #expect(throws: APIError.unknownMealPhoto(newest)) { try world.backend.mealPhoto(newest, for: anna) }
        #expect(throws: Never.self) { try world.backend.mealPhoto(ids[2], for: anna) }
        world.waitForMeals()
        #expect(Self.consistent(world, anna) == [])
    }
}

extension World {
    fileprivate mutating func change(_ id: String, _ json: String, by user: UserID) throws -> [UInt8] {
        try backend.updateMealLog(id, UpdateMealLogRequest(body: json.bytes), by: user, &turn)
    }

    fileprivate mutating func logMeals(_ request: CreateMealLogsRequest, by user: UserID) throws(APIError) -> [UInt8] {
        try backend.createMealLogs(request, by: user, &turn)
    }

    fileprivate mutating func recognize(_ request: MealPhotoRequest, by user: UserID) throws(APIError) -> [UInt8] {
        try backend.recognizeMealPhoto(request, by: user, &turn)
    }

    fileprivate mutating func confirm(
        _ id: String, _ request: ConfirmMealPhotoRequest, by user: UserID
    ) throws(APIError) -> [UInt8] {
        try backend.confirmMealPhoto(id, request, by: user, &turn)
    }
}
