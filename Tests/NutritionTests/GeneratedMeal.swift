import FitIQAPI
import TestSupport

@testable import Nutrition

/// A meal built from parts, and the reading computed from the parts.
struct GeneratedMeal {
    struct Item {
        let food: Food
        var text: String
        /// The weight, which is computed here from the tables and not by the reader.
        var grams: Double
        /// The words that the notes must mention because they were dropped or assumed.
        var noted: [String] = []
        /// The energy stated in the text.
        var calories: Double?
    }

    let text: String
    let items: [Item]

    init(_ draw: inout Draw) {
        let count = 1 + draw.below(3)
        var generator = Generator(draw: draw)
        items = (0..<count).map { _ in generator.item() }
        let opening = generator.draw.element(of: ["", "", "I had ", "For lunch I ate ", "Breakfast: ", "about "])
        let separator = generator.draw.element(of: [", ", "; ", "\n", " and then ", ".\n"])
        let closing = generator.draw.element(of: ["", "", " for dinner", " today", ".", " please"])
        text = opening + items.map(\.text).joined(separator: separator) + closing
        draw = generator.draw
    }

    /// The mistake in a reading, or nil.
    func mistake(in meal: ParsedMeal) -> String? {
        let keys = meal.items.map(\.foodID)
        guard keys == items.map({ MealItem.foodID(ofKey: $0.food.key) }) else {
            return "\(meal.items.map(\.name)) instead of \(items.map(\.food.key))"
        }
        let noted = items.flatMap(\.noted)
        for (item, expected) in zip(meal.items, items) {
            let calories = expected.calories ?? expected.food.per100Grams.calories * expected.grams / 100
            guard abs(Double(item.nutrients.calories) - calories) <= 1 else {
                return "\(item.name): \(item.nutrients.calories) kcal instead of \(calories)"
            }
            let notes = item.notes ?? ""
            for words in expected.noted where !notes.contains(words) { return "\"\(words)\" is not in \"\(notes)\"" }
            if !expected.noted.isEmpty, item.confidence > 0.85 {
                return "\(item.name): a confidence of \(item.confidence)"
            }
            if noted.isEmpty, item.confidence < 0.95 { return "\(item.name): \"\(notes)\" without a cause" }
        }
        return nil
    }
}

/// Draws items in the forms in which people write an amount and its food.
private struct Generator {
    var draw: Draw

    /// Foods that weigh the same with and without a label; their names contain no amount words.
    static let foods: [Food] = FoodTable.foods.filter { food in
        food.label == nil && food.kind == .solid && food.per100Grams.calories >= 10
            && !food.names[0].split(separator: " ").contains { UnitWords.units[String($0)] != nil || $0 == "and" }
    }
    static let counted = foods.filter { $0.portions[.pieces] != nil && $0.portions[.slices] == nil }
    static let poured = foods.filter { $0.portions[.cups] != nil }
    static let weighed = foods
    static let energetic = foods.filter { $0.per100Grams.calories * $0.serving.grams / 100 >= 20 }

    static let numbers: [(text: String, value: Double)] = [
        ("1", 1), ("2", 2), ("3", 3), ("1.5", 1.5), ("2,5", 2.5), ("1/2", 0.5), ("3/4", 0.75), ("½", 0.5), ("1½", 1.5),
        ("1 1/2", 1.5), ("2-1/4", 2.25), ("1/3rd", 1.0 / 3), ("2/3rds", 2.0 / 3), ("1/4th", 0.25), ("3/8ths", 0.375),
        ("two", 2), ("three", 3), ("one and a half", 1.5), ("two and three quarters", 2.75), ("a quarter", 0.25),
        ("half a", 0.5), ("three quarters of a", 0.75), ("an eighth of a", 0.125), ("two thirds of a", 2.0 / 3),
        ("50% of a", 0.5), ("25 percent of a", 0.25), ("a couple of", 2), ("1 out of 4", 1), ("2 x 2", 4),
    ]
    static let weights: [(words: [String], grams: Double, scale: Double)] = [
        (["g", "grams", "gram", "gr", "grs", "g."], 1, 50), (["oz", "ounces", "oz."], 28.349523125, 1),
        (["lb", "lbs", "pounds", "lb."], 453.59237, 1), (["kg", "kilos"], 1000, 1),
    ]
    static let volumes: [(words: [String], milliliters: Double)] = [
        (["cup", "cups"], 236.5882365), (["tbsp", "tablespoons", "tbsp.", "Tablespoon"], 236.5882365 / 16),
        (["tsp", "teaspoons"], 236.5882365 / 48), (["ml", "milliliters"], 1), (["pint", "pints"], 236.5882365 * 2),
        (["fl oz", "fluid ounces"], 236.5882365 / 8), (["quart", "quarts"], 236.5882365 * 4),
    ]

    mutating func item() -> GeneratedMeal.Item {
        switch draw.below(9) {
        case 0: return count()
        case 1: return size()
        case 2: return energy()
        case 3: return unknownUnit()
        case 4: return brand()
        default:
            let food = draw.element(of: draw.once(in: 2) ? Self.poured : Self.weighed)
            let (text, grams, noted) = measure(of: food)
            return place(text, grams, food, noted: noted)
        }
    }

    private func gramsEach(_ milliliters: Double, of food: Food) -> Double {
        if abs(milliliters * 16 - 236.5882365) < 1e-9, let grams = food.portions[.tablespoons] { return grams }
        if abs(milliliters * 48 - 236.5882365) < 1e-9, let grams = food.portions[.teaspoons] { return grams }
        return milliliters * (food.portions[.cups] ?? 0) / 236.5882365
    }

    /// A number and its unit, or several such amounts that are added up.
    private mutating func measure(of food: Food) -> (text: String, grams: Double, noted: [String]) {
        let isPoured = food.portions[.cups] != nil && draw.once(in: 2)
        if !isPoured, draw.once(in: 4) {
            let whole = 1 + draw.below(4)
            let part = 1 + draw.below(15)
            let comma = draw.element(of: [" ", " ", ", ", " and "])
            return draw.once(in: 2)
                ? ("\(whole) lb\(comma)\(part) oz", Double(whole) * 453.59237 + Double(part) * 28.349523125, [])
                : ("\(whole)kg\(comma)\(part * 10)g", Double(whole * 1000 + part * 10), [])
        }
        var (text, grams, noted) = term(of: food, isPoured: isPoured)
        if draw.once(in: 3) {
            let next = term(of: food, isPoured: isPoured)
            text += draw.element(of: [" + ", "+ ", " plus ", " and ", " & "]) + next.text
            grams += next.grams
            noted += next.noted
        }
        return (text, grams, noted)
    }

    private mutating func term(of food: Food, isPoured: Bool) -> (text: String, grams: Double, noted: [String]) {
        let number = draw.element(of: Self.numbers)
        // A comma as a decimal point is an assumption.
        let noted = number.text == "2,5" ? ["2,5"] : []
        if isPoured {
            let unit = draw.element(of: Self.volumes)
            let (word, grams) = (draw.element(of: unit.words), number.value * gramsEach(unit.milliliters, of: food))
            // A heaped amount is also an assumption.
            guard noted.isEmpty, !word.contains(" "), !word.hasSuffix("."), draw.once(in: 6) else {
                return ("\(number.text) \(word)", grams, noted)
            }
            return ("\(number.text) heaped \(word)", grams, ["heaped \(word)"])
        }
        let unit = draw.element(of: Self.weights)
        if unit.scale > 1 {
            let value = 1 + draw.below(400)
            return ("\(value)\(draw.element(of: ["", " "]))\(draw.element(of: unit.words))", Double(value), [])
        }
        return ("\(number.text) \(draw.element(of: unit.words))", number.value * unit.grams, noted)
    }

    /// Puts an amount before or after its food.
    private mutating func place(
        _ text: String, _ grams: Double, _ food: Food, noted: [String] = []
    ) -> GeneratedMeal.Item {
        let name = food.names[0]
        let whole = draw.element(of: [
            "\(text) \(name)", "\(text) of \(name)", "\(name) \(text)", "\(name) (\(text))", "\(name): \(text)",
        ])
        return .init(food: food, text: whole, grams: grams, noted: noted)
    }

    private mutating func count() -> GeneratedMeal.Item {
        let food = draw.element(of: Self.counted)
        let each = food.portions[.pieces] ?? 0
        let name = food.names[0]
        let count = 1 + draw.below(9)
        switch draw.below(6) {
        case 0: return .init(food: food, text: "\(name) x \(count)", grams: Double(count) * each)
        case 3: return .init(food: food, text: "\(count) \(name) at 60 g", grams: Double(count) * 60)
        case 4:
            let text = draw.element(of: ["\(count) \(name), 60 g each", "\(count) \(name) (each 60 g)"])
            return .init(food: food, text: text, grams: Double(count) * 60)
        case 1: return .init(food: food, text: "\(count) x 150g \(name)", grams: Double(count) * 150)
        case 2: return .init(food: food, text: "\(name) x \(count * 50)g", grams: Double(count * 50))
        default: return .init(food: food, text: "\(count) \(name)", grams: Double(count) * each)
        }
    }

    /// A size in inches is not a count, and is noted.
    private mutating func size() -> GeneratedMeal.Item {
        let food = draw.element(of: Self.counted)
        let each = food.portions[.pieces] ?? 0
        let inches = 3 + draw.below(15)
        let size = draw.element(of: [
            "\(inches) inch", "\(inches)-inch", "\(inches)\"", "(\(inches) inch)", "\(inches) cm",
        ])
        let count = 1 + draw.below(4)
        let noted = ["\(inches) \(size.contains("cm") ? "cm" : "inch")"]
        return draw.once(in: 3)
            ? .init(food: food, text: "a \(size) \(food.names[0])", grams: each, noted: noted)
            : .init(food: food, text: "\(count) \(size) \(food.names[0])", grams: Double(count) * each, noted: noted)
    }

    private mutating func energy() -> GeneratedMeal.Item {
        let food = draw.element(of: Self.energetic)
        // From a third of a serving to three servings.
        let serving = food.per100Grams.calories * food.serving.grams / 100
        let calories = max(10, (serving * Double(1 + draw.below(9)) / 3).rounded())
        let unit = draw.element(of: ["kcal", " kcal", " calories", " cal"])
        let text = "\(Int(calories))\(unit)"
        let name = food.names[0]
        if draw.once(in: 3) {
            let grams = food.serving.grams.rounded()
            let own = food.per100Grams.calories * grams / 100
            return .init(
                food: food, text: "\(Int(grams))g \(name) (\(text))", grams: grams,
                noted: calories == own.rounded() ? [] : [text], calories: calories)
        }
        return .init(
            food: food, text: draw.element(of: ["\(text) of \(name)", "\(name) \(text)", "\(name) (\(text))"]),
            grams: 0, noted: [text], calories: calories)
    }

    /// An item that has an unknown unit, which the notes must name.
    private mutating func unknownUnit() -> GeneratedMeal.Item {
        let food = draw.element(of: Self.counted)
        let unit = draw.element(of: ["firkins", "hogsheads", "bushels"])
        return .init(
            food: food, text: "2 \(unit) of \(food.names[0])", grams: 2 * (food.portions[.pieces] ?? 0), noted: [unit])
    }

    /// A brand that repeats the food.
    private mutating func brand() -> GeneratedMeal.Item {
        let food = draw.element(of: Self.weighed)
        let grams = 10 + draw.below(300)
        return .init(
            food: food, text: "\(grams) g \(food.names[0]) from Zorkos \(food.names[0])", grams: Double(grams),
            noted: ["Zorkos", "once"])
    }
}
