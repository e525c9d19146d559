/// The sentences in the notes of items: the reader's assumptions.
enum Messages {
    static let separator = "; "

    static func assumedServing(_ serving: Food.Serving) -> String {
        "Assumed one serving (\(serving.name), \(number(serving.grams)) g)"
    }

    static func assumedOne(grams: Double) -> String { "Assumed one of \(number(grams)) g" }

    static func countedServings(_ serving: Food.Serving) -> String {
        "Counted in servings (\(serving.name), \(number(serving.grams)) g)"
    }

    static func servings(insteadOf unit: MealUnit, _ serving: Food.Serving) -> String {
        "Counted \(unit.rawValue) as servings (\(serving.name), \(number(serving.grams)) g)"
    }

    static let waterDensity = "Assumed 1 g per milliliter"
    static let fluidOunces = "Read ounces as fluid ounces"

    static func usual(_ unit: MealUnit, grams: Double) -> String {
        "Assumed \(number(grams)) g each for \(unit.rawValue)"
    }

    static func uncounted(_ adjective: String) -> String { "Counted without \"\(adjective)\"" }

    static func assumption(_ assumption: Amount.Assumption) -> String {
        switch assumption {
        case .mean(let low, let high): "Mean of \(number(low)) and \(number(high))"
        case .vague(let words, let value), .decimalComma(let words, let value):
            "Read \"\(words)\" as \(number(value))"
        case .roughUnit(let word, let unit): "Read \"\(word)\" as \(unit.rawValue)"
        case .one(let words): "Read \"\(words)\" as one"
        }
    }

    static let clamped = "Limited to 10 kg"

    /// Names at most three words.
    static func notRecognised(_ words: [String]) -> String {
        let named = words.prefix(3).map { "\"\($0)\"" }.joined(separator: ", ")
        return "Not recognised: \(named)" + (words.count > 3 ? " and \(words.count - 3) more" : "")
    }

    /// A number with at most two decimals, without trailing zeros.
    private static func number(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
        if rest == 0 { return "\(whole)" }
        return rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }
}
