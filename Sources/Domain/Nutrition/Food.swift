/// An entry of the table: a food with its names, its facts, and the weights of its portions.
struct Food: Sendable {
    /// A stable slug: `chicken-breast`.
    let key: String

    /// The names in the singular, the usual one first.
    let names: [String]

    let per100Grams: FactsPer100Grams

    /// The usual serving, used if the text gives no amount.
    let serving: Serving

    /// The weight of one unit in grams.
    let portions: [MealUnit: Double]

    /// The weight of one piece in grams by the size that the text gives.
    let sizes: [PieceSize: Double]

    /// The facts of one serving on labels, if they differ from `per100Grams`.
    let label: NutritionFacts?

    /// The assumed preparation: `Grilled, skinless`.
    let preparation: String?

    let kind: Kind

    let source: Source

    enum Kind: Sendable {
        case solid
        /// Ounces are fluid ounces; glasses, cans and bottles have usual volumes.
        case drink
        /// A drink with alcohol, which adds calories.
        case alcohol
    }

    struct Serving: Sendable {
        /// The words of a label: `1 large egg`.
        let name: String
        let grams: Double

        init(_ name: String, _ grams: Double) {
            self.name = name
            self.grams = grams
        }
    }
}

/// The sizes of pieces for which the table has weights.
enum PieceSize: String, CaseIterable, Sendable {
    case small, medium, large
}

/// The contents of 100 grams of a food: kilocalories, and grams of the rest; zero if the source does not report it.
struct FactsPer100Grams: Sendable {
    let calories: Double
    let protein: Double
    let carbs: Double
    let fat: Double
    let fiber: Double
    let sugar: Double

    init(
        _ calories: Double, protein: Double = 0, carbs: Double = 0, fat: Double = 0, fiber: Double = 0,
        sugar: Double = 0
    ) {
        self.calories = calories
        self.protein = protein
        self.carbs = carbs
        self.fat = fat
        self.fiber = fiber
        self.sugar = sugar
    }

    /// The facts of a portion: whole calories and tenths of grams, halves rounded away from zero.
    func facts(ofGrams grams: Double) -> NutritionFacts {
        func tenths(_ perHundred: Double) -> Int { Int((perHundred * grams / 10).rounded()) }
        return NutritionFacts(
            calories: Int((calories * grams / 100).rounded()), proteinTenths: tenths(protein),
            carbsTenths: tenths(carbs), fatTenths: tenths(fat), fiberTenths: tenths(fiber), sugarTenths: tenths(sugar))
    }
}

extension NutritionFacts {
    /// The facts of several portions, rounded as in `FactsPer100Grams.facts`.
    func scaled(by factor: Double) -> NutritionFacts {
        func times(_ value: Int) -> Int { Int((Double(value) * factor).rounded()) }
        return NutritionFacts(
            calories: times(calories), proteinTenths: times(proteinTenths), carbsTenths: times(carbsTenths),
            fatTenths: times(fatTenths), fiberTenths: times(fiberTenths), sugarTenths: times(sugarTenths))
    }
}

/// The source of an entry's facts per 100 grams, with the name of the food there.
///
/// All except recipes are data types of USDA FoodData Central. A food's remarks in the table say where its facts were
/// not compared with it. The weights of portions follow the usual household measures and were not compared either. Good
/// enough for a fake, not for a diet.
enum Source: Sendable, Equatable {
    /// The final release of the Standard Reference; the id is FoodData Central's, given only where it is certain.
    case srLegacy(String, id: Int?)
    /// The Food and Nutrient Database for Dietary Studies.
    case fndds(String)
    /// Foundation Foods.
    case foundation(String)
    /// Branded Foods: the labels of manufacturers.
    case branded(String)
    /// Computed from other foods of FoodData Central in the given proportions.
    case recipe(String)

    /// The range of ids in SR Legacy.
    static let ids = 167_512...175_304

    /// The name of the food at the source.
    var description: String {
        switch self {
        case .srLegacy(let text, _), .fndds(let text), .foundation(let text), .branded(let text), .recipe(let text):
            text
        }
    }
}
