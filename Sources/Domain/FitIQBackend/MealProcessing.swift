import FitIQAPI
import JSON
import Nutrition

/// How the fake works out a meal: how long it takes, and what comes of the text.
enum MealProcessing {
    /// How long processing takes, in nanoseconds: 2.0 to 4.5 s at a human pace (CONTRACT: meal logs).
    ///
    /// A pure function: the same log takes the same time in every run. A guide's test looks after 5 s.
    static func duration(at pace: Pace, seed: UInt64) -> Int64 {
        switch pace {
        case .instant: return 0
        case .human:
            var numbers = SplitMix64(seed: seed)
            return 2_000_000_000 + Int64(numbers.next(below: 2_500_000_001))
        }
    }

    /// How long processing takes by a rule; at no pace it takes no time, whatever the rule.
    static func duration(by rule: MealRule?, at pace: Pace, seed: UInt64) -> Int64 {
        guard pace != .instant, let duration = rule?.duration else { return duration(at: pace, seed: seed) }
        return duration
    }

    /// What processing ends with.
    static func outcome(_ outcome: MealRule.Outcome, of log: MealLog, at time: Timestamp) -> MealLog.Progress {
        switch outcome {
        case .parsed: return self.outcome(of: MealParser.parse(log.rawInput), for: log.id, at: time)
        case .completed(let items):
            var identifiers = ResourceIDSequence(seed: log.id.seed)
            return .completed(items.map { MealLogItem($0, id: identifiers.next()) }, at: time)
        case .failed(let message, let details):
            return .failed(MealLogFailure(message: message, details: details), at: time)
        case .never: preconditionFailure("What never ends is never due.")
        }
    }

    /// What processing ends with where the built-in parser does it.
    ///
    /// The items' ids follow from the log's: taken from the world's sequence, they would change the ids that come after
    /// with the time at which a client's next request happens to arrive.
    static func outcome(of meal: ParsedMeal, for log: ResourceID, at time: Timestamp) -> MealLog.Progress {
        guard !meal.isTruncated else { return .failed(.tooManyFoods(limit: MealParser.maximumItems), at: time) }
        guard !meal.items.isEmpty else { return .failed(.noFood, at: time) }
        var identifiers = ResourceIDSequence(seed: log.seed)
        return .completed(meal.items.map { MealLogItem($0, id: identifiers.next()) }, at: time)
    }

    /// The id of a food: the same in every log and every world, so that clients can keep what they know of it.
    static func foodID(ofKey key: String) -> ResourceID {
        // FNV-1a spreads the key over 64 bits; the sequence makes 128 of them.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in key.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        var identifiers = ResourceIDSequence(seed: hash)
        return identifiers.next()
    }
}

extension MealRule.Item {
    /// The name as the table of foods has its keys, so that a food of a script has the id of the same food in the table.
    var foodKey: String {
        String(name.lowercased().map { $0 == " " ? "-" : $0 })
    }

    /// The amount as a person would write it: "1.5 cups".
    var amountText: String {
        var writer = JSONWriter(reserving: 24)
        writer.value(quantity)
        let number = String(decoding: writer.bytes, as: UTF8.self)
        return unit.isEmpty ? number : "\(number) \(unit)"
    }
}

extension MealLogItem {
    init(_ item: MealRule.Item, id: ResourceID) {
        self.init(
            id: id, foodID: MealProcessing.foodID(ofKey: item.foodKey), name: item.name, quantity: item.quantity,
            unit: item.unit, amountText: item.amountText, nutrients: item.nutrients, confidence: item.confidence,
            notes: item.notes)
    }

    init(_ item: MealItem, id: ResourceID) {
        self.init(
            id: id, foodID: MealProcessing.foodID(ofKey: item.foodKey), name: item.name, quantity: item.quantity,
            unit: item.unit, amountText: item.amountText, nutrients: MealNutrients(item.facts),
            confidence: item.confidence, notes: item.notes)
    }
}

extension MealNutrients {
    init(_ facts: NutritionFacts) {
        self.init(
            calories: facts.calories, proteinTenths: facts.proteinTenths, carbsTenths: facts.carbsTenths,
            fatTenths: facts.fatTenths, fiberTenths: facts.fiberTenths, sugarTenths: facts.sugarTenths)
    }
}
