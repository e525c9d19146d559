import FitIQAPI

/// A draft's weight and unit, and the assumptions made.
struct Portion {
    let food: Food
    private(set) var quantity: Double
    private(set) var unit: MealUnit
    /// The weight of one unit in grams.
    private(set) var gramsEach: Double
    /// Whether the food's label applies instead of the facts per 100 grams.
    private var isLabelled = false
    private(set) var notes: [String] = []
    /// The confidence in hundredths.
    private(set) var confidence = Self.clear

    /// Nothing was assumed.
    static let clear = 95
    /// A number, a size, a preparation or a serving was assumed.
    static let assumed = 85
    /// A unit was assumed, or words were not recognized.
    static let doubtful = 70
    /// The amount was reduced to the maximum.
    static let clamped = 30

    /// The ratio between the stated and the computed energy above which the stated energy is ignored.
    static let mostEnergyFactor = 10.0

    /// The maximum weight of an item: 10 kg.
    static let maximumGrams = 10_000.0

    /// Whether the text has only the energy, which determines the weight.
    private(set) var isWeighedByEnergy = false
    /// The ratio between the food's energy and the stated energy.
    private var energyFactor = 1.0

    init(_ draft: Draft) {
        food = draft.entry.food
        quantity = draft.amount?.value ?? 1
        unit = .servings
        gramsEach = food.serving.grams
        if let unit = draft.amount?.unit {
            measure(in: unit)
        } else if draft.amount == nil, let energy = draft.energy, weigh(by: energy) {
            isWeighedByEnergy = true
        } else {
            count(
                hasAmount: draft.amount != nil, size: draft.adjectives.lazy.compactMap { Words.sizes[$0.words] }.first,
                isPiece: draft.adjectives.contains { $0.standing == .dimension })
        }
        if let added = draft.amount?.added { add(added, of: draft) }
        if let assumption = draft.amount?.assumption { note(Messages.assumption(assumption), Self.assumed) }
        if quantity * gramsEach > Self.maximumGrams {
            quantity = Self.maximumGrams / gramsEach
            note(Messages.clamped, Self.clamped)
        }
        if let energy = draft.energy, !isWeighedByEnergy { scale(to: energy) }
    }

    /// Adds the remaining terms of a sum, in the unit of the first.
    private mutating func add(_ terms: [Amount.Term], of draft: Draft) {
        for term in terms {
            var part = draft
            part.energy = nil
            part.amount = Amount(value: term.value, unit: term.unit, text: "", assumption: term.assumption)
            let portion = Portion(part)
            quantity += portion.quantity * portion.gramsEach / gramsEach
            for sentence in portion.notes where !notes.contains(sentence) { notes.append(sentence) }
            confidence = min(confidence, portion.confidence)
        }
    }

    /// The quantity rounded to hundredths, as in items; items with a quantity of zero are dropped.
    var roundedQuantity: Double { (quantity * 100).rounded() / 100 }

    var facts: MealNutrients {
        let grams = quantity * gramsEach * energyFactor
        if isLabelled, let label = food.label { return label.scaled(by: grams / food.serving.grams) }
        return food.per100Grams.facts(ofGrams: grams)
    }

    private var calories: Double {
        let grams = quantity * gramsEach
        if isLabelled, let label = food.label { return Double(label.calories) * grams / food.serving.grams }
        return food.per100Grams.calories * grams / 100
    }

    // MARK: Stated energy

    /// Sets the weight that has the stated energy; returns false if the weight is far from a serving.
    private mutating func weigh(by energy: Energy) -> Bool {
        let grams = energy.kilocalories / food.per100Grams.calories * 100
        guard grams > 0, grams <= min(food.serving.grams * Self.mostEnergyFactor, Self.maximumGrams) else {
            return false
        }
        (quantity, unit, gramsEach) = (grams, .grams, 1)
        note(Messages.weighed(by: energy.text), Self.assumed)
        return true
    }

    /// Scales the facts to the stated energy unless it is far from the amount's energy.
    private mutating func scale(to energy: Energy) {
        let factor = energy.kilocalories / calories
        if energy.kilocalories.rounded() == calories.rounded() { return }
        guard factor >= 1 / Self.mostEnergyFactor, factor <= Self.mostEnergyFactor,
            quantity * gramsEach * factor <= Self.maximumGrams
        else {
            return note(Messages.unusedEnergy(energy.text), Self.doubtful)
        }
        energyFactor = factor
        note(Messages.scaled(to: energy.text), Self.assumed)
    }

    private mutating func note(_ note: String, _ confidence: Int) {
        notes.append(note)
        self.confidence = min(self.confidence, confidence)
    }

    // MARK: Counting

    private mutating func count(hasAmount: Bool, size: PieceSize?, isPiece: Bool) {
        if let size, let grams = food.sizes[size] {
            gramsEach = grams
            unit = .pieces
            isLabelled = grams == food.serving.grams
            if !hasAmount { note(Messages.assumedOne(grams: grams), Self.assumed) }
            return
        }
        isLabelled = true
        // `12 inch pizza` means a whole pizza.
        if isPiece, !hasAmount, let pieces = food.portions[.pieces] {
            gramsEach = pieces
            unit = .pieces
            return note(Messages.assumedOne(grams: pieces), Self.assumed)
        }
        guard hasAmount else { return note(Messages.assumedServing(food.serving), Self.assumed) }
        let pieces = food.portions[.pieces]
        let slices = food.portions[.slices]
        if let slices, pieces == nil || pieces == slices {
            gramsEach = slices
            unit = .slices
        } else if let pieces {
            gramsEach = pieces
            unit = .pieces
        } else {
            note(Messages.countedServings(food.serving), Self.assumed)
        }
    }

    // MARK: Measuring

    private mutating func measure(in given: MealUnit) {
        unit = given
        if given == .ounces, food.kind != .solid {
            unit = .fluidOunces
            note(Messages.fluidOunces, Self.assumed)
        }
        if let grams = unit.grams {
            gramsEach = grams
        } else if unit == .servings {
            isLabelled = true
        } else if let grams = food.portions[unit] {
            gramsEach = grams
            isLabelled = unit == .pieces || unit == .slices
        } else if let milliliters = unit.milliliters {
            if gramsPerMilliliter == nil { note(Messages.waterDensity, Self.doubtful) }
            gramsEach = milliliters * (gramsPerMilliliter ?? 1)
        } else if let grams = usualGrams(of: unit) {
            gramsEach = grams
            note(Messages.usual(unit, grams: grams), Self.assumed)
        } else {
            isLabelled = true
            note(Messages.servings(insteadOf: unit, food.serving), Self.doubtful)
            unit = .servings
        }
    }

    /// The food's density, computed from its cup, tablespoon or teaspoon.
    private var gramsPerMilliliter: Double? {
        for unit in [MealUnit.cups, .tablespoons, .teaspoons] {
            if let grams = food.portions[unit], let milliliters = unit.milliliters { return grams / milliliters }
        }
        return nil
    }

    /// The usual volume of a vessel, if the weight of a cup is known.
    ///
    /// A glass is 240 ml, like the cup in 21 CFR 101.9(b)(5)(viii). For drinks only, a can is 355 ml and a bottle is
    /// 500 ml. A bowl is 1.5 cups, a handful is a quarter of a cup, and a scoop is half a cup.
    private func usualGrams(of unit: MealUnit) -> Double? {
        guard let density = gramsPerMilliliter, let cup = MealUnit.cups.milliliters else { return nil }
        let isDrink = food.kind != .solid
        let milliliters: Double? =
            switch unit {
            case .glasses: 240
            case .cans: isDrink ? 355 : nil
            case .bottles: isDrink ? 500 : nil
            case .bowls: cup * 1.5
            case .handfuls: isDrink ? nil : cup / 4
            case .scoops: isDrink ? nil : cup / 2
            default: nil
            }
        return milliliters.map { ($0 * density).rounded() }
    }
}

/// The sentences in items' notes, which list the reader's assumptions.
enum Messages {
    static let separator = "; "
    static func assumedServing(_ serving: Food.Serving) -> String { "Assumed one serving \(text(serving))" }
    static func assumedOne(grams: Double) -> String { "Assumed one of \(number(grams)) g" }
    static func countedServings(_ serving: Food.Serving) -> String { "Counted in servings \(text(serving))" }
    static func servings(insteadOf unit: MealUnit, _ serving: Food.Serving) -> String {
        "Counted \(unit.rawValue) as servings \(text(serving))"
    }
    private static func text(_ serving: Food.Serving) -> String { "(\(serving.name), \(number(serving.grams)) g)" }
    static let waterDensity = "Assumed 1 g per milliliter"
    static let fluidOunces = "Read ounces as fluid ounces"
    static let clamped = "Limited to 10 kg"
    static func usual(_ unit: MealUnit, grams: Double) -> String {
        "Assumed \(number(grams)) g each for \(unit.rawValue)"
    }
    static func uncounted(_ adjective: String) -> String { "Ignored \"\(adjective)\"" }
    static func once(_ name: String) -> String { "Counted \"\(name)\" once" }
    static func weighed(by energy: String) -> String { "Weight derived from the stated \(energy)" }
    static func scaled(to energy: String) -> String { "Scaled to the stated \(energy)" }
    static func unusedEnergy(_ energy: String) -> String { "Ignored the stated \(energy)" }
    static func assumption(_ assumption: Amount.Assumption) -> String {
        switch assumption {
        case .mean(let low, let high): "Mean of \(number(low)) and \(number(high))"
        case .vague(let words, let value), .decimals(let words, let value): "Read \"\(words)\" as \(number(value))"
        case .roughUnit(let word, let unit): "Read \"\(word)\" as \(unit.rawValue)"
        case .one(let words): "Read \"\(words)\" as one"
        }
    }

    /// Names at most three words.
    static func notRecognised(_ words: [String]) -> String {
        let named = words.prefix(3).map { "\"\($0)\"" }.joined(separator: ", ")
        return "Not recognized: \(named)" + (words.count > 3 ? " and \(words.count - 3) more" : "")
    }

    /// A number with at most two decimal places, without trailing zeros.
    private static func number(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
        if rest == 0 { return "\(whole)" }
        return rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }
}
