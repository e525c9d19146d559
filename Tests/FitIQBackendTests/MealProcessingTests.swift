import FitIQAPI
import Testing

@testable import FitIQBackend
@testable import Nutrition

@Suite("Meal processing") struct MealProcessingTests {
    @Test("Processing times are evenly distributed between 2.0 and 4.5 seconds across ids")
    func window() {
        var numbers = SplitMix64(seed: 1)
        var halves = [0, 0, 0, 0, 0]
        for _ in 0..<50_000 {
            let seed = numbers.next()
            let duration = MealProcessing.duration(at: .human, seed: seed)
            #expect(duration == MealProcessing.duration(at: .human, seed: seed))
            guard (2_000_000_000...4_500_000_000).contains(duration) else {
                Issue.record("seed \(seed): \(duration) ns")
                return
            }
            halves[min(4, Int(duration - 2_000_000_000) / 500_000_000)] += 1
        }
        #expect(halves.allSatisfy { (9_000...11_000).contains($0) }, "\(halves)")
    }

    @Test("With an instant pace, processing takes no time", arguments: [0, 1, UInt64.max])
    func instant(seed: UInt64) { #expect(MealProcessing.duration(at: .instant, seed: seed) == 0) }

    private static func item(_ key: String, calories: Int = 1, notes: String? = nil) -> MealItem {
        MealItem(
            foodID: MealItem.foodID(ofKey: key), name: "Name of \(key)", quantity: 1.5, unit: "cups",
            amountText: "1 1/2 cups",
            nutrients: MealNutrients(
                calories: calories, proteinTenths: 2, carbsTenths: 3, fatTenths: 4, fiberTenths: 5, sugarTenths: 6),
            confidence: 0.7, notes: notes)
    }

    private static let log = ResourceID(randomBits: 7, 8)

    private func outcome(_ meal: ParsedMeal) -> MealLog.Progress {
        MealProcessing.outcome(of: meal, seed: Self.log.seed, at: World.start)
    }

    @Test("A meal's foods keep their order and have their own ids")
    func items() {
        var identifiers = ResourceIDSequence(seed: Self.log.seed)
        let ids = (0..<3).map { _ in identifiers.next() }
        let parsed = ParsedMeal(
            items: [Self.item("egg", notes: "N"), Self.item("rice", calories: 9), Self.item("egg")], unknown: ["x"])
        func item(_ index: Int, _ key: String, calories: Int = 1, notes: String? = nil) -> MealItem {
            MealItem(
                id: ids[index], foodID: MealItem.foodID(ofKey: key), name: "Name of \(key)", quantity: 1.5,
                unit: "cups", amountText: "1 1/2 cups",
                nutrients: MealNutrients(
                    calories: calories, proteinTenths: 2, carbsTenths: 3, fatTenths: 4, fiberTenths: 5, sugarTenths: 6),
                confidence: 0.7, notes: notes, foodType: .food)
        }
        #expect(
            outcome(parsed)
                == .completed(
                    [item(0, "egg", notes: "N"), item(1, "rice", calories: 9), item(2, "egg")], at: World.start))
    }

    @Test("Processing fails without recognized foods or beyond a log's size limit")
    func failures() {
        #expect(outcome(ParsedMeal()) == .failed(.noFood, at: World.start))
        #expect(outcome(ParsedMeal(unknown: ["unobtainium"])) == .failed(.noFood, at: World.start))
        let full = ParsedMeal(items: Array(repeating: Self.item("egg"), count: 50))
        guard case .completed(let items, _) = outcome(full) else {
            Issue.record("fifty foods are a meal")
            return
        }
        #expect(items.count == 50 && Set(items.map(\.id)).count == 50)
        var truncated = full
        truncated.isTruncated = true
        #expect(outcome(truncated) == .failed(.tooManyFoods(limit: 50), at: World.start))
    }

    @Test("A food has the same id in all worlds")
    func foodIDs() {
        // Clients store these ids, so changing the ids would break clients.
        #expect(MealItem.foodID(ofKey: "egg").description == "e743ecf8-c21b-4483-b743-f1d7e49d1401")
        #expect(MealItem.foodID(ofKey: "chicken-breast").description == "bd7aec16-e3ee-4690-ab9d-79d71ed2d459")
        let keys = (0..<5000).map { "food-\($0)" } + ["", "a", "b", "ab", "ba"]
        let ids = keys.map { MealItem.foodID(ofKey: $0) }
        #expect(Set(ids).count == keys.count)
        // The version and the variant of RFC 9562 §5.4.
        #expect(
            ids.allSatisfy { id in
                let text = Array(id.description)
                return text[14] == "4" && "89ab".contains(text[19])
            })
    }
}
