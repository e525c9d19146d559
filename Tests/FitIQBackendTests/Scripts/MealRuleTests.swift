import FitIQAPI
import JSON
import Patterns
import Testing

@testable import FitIQBackend

@Suite("Scripted meals") struct MealRuleTests {
    static let pizza = MealItem(
        name: "Margherita", quantity: 2, unit: "slice",
        nutrients: MealNutrients(
            calories: 540, proteinTenths: 225, carbsTenths: 660, fatTenths: 200, fiberTenths: 40, sugarTenths: 60),
        confidence: 0.9, notes: "Thin crust")
    static let chicken = MealItem(
        name: "Chicken Breast", quantity: 1.5, unit: "", nutrients: MealNutrients(calories: 100))

    static func script() throws -> Script {
        Script(meals: [
            MealRule(
                text: .contains("pizza"), mealTypes: [.lunch, .dinner], duration: .seconds(3),
                outcome: .completed([pizza, chicken])),
            MealRule(text: .matches(try Pattern("gravel|sand")), outcome: .failed(MealLogFailure(details: "Stones"))),
            MealRule(text: .contains("broken"), duration: 0, outcome: .failed(MealLogFailure(message: "Out of order"))),
            MealRule(text: .contains("forever"), outcome: .never),
            MealRule(mealTypes: [.snack], duration: .seconds(60)),
        ])
    }

    private static func world(pace: Pace = .human, mode: GuideMode = .union) throws -> (World, UserID) {
        try World(pace: pace, mode: mode, script: try script()).withUser()
    }

    static let meals: [(String, MealType, Int?)] = [
        ("a PIZZA", .lunch, 0), ("pizza", .breakfast, nil), ("Sandwich", .lunch, 1), ("broken eggs", .dinner, 2),
        ("forever", .snack, 3), ("2 eggs", .snack, 4), ("2 eggs", .lunch, nil), ("pizza with sand", .dinner, 0),
        ("pizza with sand", .snack, 1),
    ]

    @Test("The first rule that matches the text and the meal type is used", arguments: meals)
    func choice(text: String, type: MealType, number: Int?) throws {
        let script = try Self.script()
        #expect(script.meal(text, mealType: type) == number.map { script.meals[$0] })
    }

    @Test("A rule's foods get ids that are derived from the log's id")
    func completed() throws {
        var (world, user) = try Self.world()
        let id = try world.mealID("A whole pizza", .dinner, by: user)
        world.wait(milliseconds: 2999)
        #expect(try world.showMeal(id, for: user)["status"] == "processing")
        world.wait(milliseconds: 1)
        let data = try world.showMeal(id, for: user)
        #expect(data["status"] == "completed" && data["total_calories"]?.int == 640)
        #expect(data["total_protein_g"] == (try JSON.parse("22.5")))
        #expect(data["processing_completed_at"] == "2025-01-29T10:30:03Z")
        let items = try #require(data["items"]?.array)
        #expect(items.count == 2 && items[0]["food_name"] == "Margherita" && items[0]["unit"] == "slice")
        #expect(items[0]["parsing_notes"] == "Thin crust" && items[1]["parsing_notes"] == nil)
        var ids = ResourceIDSequence(seed: try #require(ResourceID(id)).seed)
        #expect(items.map { $0["id"]?.string } == [ids.next().description, ids.next().description])
        // A food in the table has the table's id.
        let chicken = MealItem.foodID(ofKey: "chicken-breast").description
        #expect(items[1]["food_id"]?.string == chicken)
        #expect(Invariants.deepViolations(of: world) == [])
    }

    @Test(
        "The amount is a string, as in websocket-architecture",
        arguments: [
            (2.0, "slice", "2 slice"), (1.5, "cups", "1.5 cups"), (120, "g", "120 g"), (3, "", "3"),
            (0.25, "l", "0.25 l"),
        ])
    func amounts(quantity: Double, unit: String, text: String) {
        let item = MealItem(name: "a", quantity: quantity, unit: unit, nutrients: MealNutrients())
        #expect(item.amountText == text)
    }

    @Test("A rule can make a meal fail")
    func failed() throws {
        var (world, user) = try Self.world()
        try world.open(1, on: try world.create(by: user), by: user)
        _ = world.takeEffects()
        let broken = try world.mealID("broken eggs", by: user)
        #expect(try world.showMeal(broken, for: user)["status"] == "processing")
        world.wait(milliseconds: 0)
        let sand = try world.mealID("sand", by: user)
        #expect(try world.showMeal(broken, for: user)["error_message"] == "Out of order")
        #expect(try world.showMeal(broken, for: user)["details"] == "Out of order")
        world.wait(milliseconds: 1999)
        #expect(try world.showMeal(sand, for: user)["status"] == "processing")
        world.wait(milliseconds: 2502)
        #expect(try world.showMeal(sand, for: user)["details"] == "Stones")
        let events = world.takeEffects().mealEvents(of: 1)
        #expect(events.map { $0["type"]?.string } == ["meal_log.failed", "meal_log.failed"])
        #expect(events.map { $0["data"]?["details"]?.string } == ["Out of order", "Stones"])
    }

    @Test("A rule can keep a meal processing forever at any pace", arguments: [Pace.human, .instant])
    func never(pace: Pace) throws {
        var (world, user) = try Self.world(pace: pace)
        let id = try world.mealID("forever young", .snack, by: user)
        #expect(world.backend.nextDeadline == nil)
        // The meal stays in processing even without the rule.
        world.backend.setScript(Script())
        world.wait(milliseconds: 86_400_000)
        #expect(try world.showMeal(id, for: user)["status"] == "processing")
    }

    @Test("A rule with only a duration uses the parser's foods")
    func durations() throws {
        var (world, user) = try Self.world(pace: .instant)
        let pizza = try world.mealID("pizza", .lunch, by: user)
        world.wait(milliseconds: 0)
        #expect(try world.showMeal(pizza, for: user)["items_count"]?.int == 2)

        (world, user) = try Self.world()
        let snack = try world.mealID("2 eggs", .snack, by: user)
        world.wait(milliseconds: 59_999)
        #expect(try world.showMeal(snack, for: user)["status"] == "processing")
        world.wait(milliseconds: 1)
        #expect(try world.showMeal(snack, for: user)["total_calories"]?.int == 140)
    }

    @Test("A meal completes according to the script that was active when the meal was accepted")
    func reload() throws {
        var (world, user) = try Self.world()
        let before = try world.mealID("sand", by: user)
        world.backend.setScript(Script(meals: [MealRule(outcome: .failed(MealLogFailure(message: "New")))]))
        let after = try world.mealID("sand", by: user)
        world.waitForMeals()
        #expect(try world.showMeal(before, for: user)["error_message"] == "Failed to parse meal input")
        #expect(try world.showMeal(after, for: user)["error_message"] == "New")
    }
}
