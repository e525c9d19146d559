/// What a portion or a meal contains: energy in whole kilocalories, the rest in tenths of grams.
///
/// Integers, so that sums are exact: a meal's totals are its items' facts added up, to the last digit.
public struct NutritionFacts: Equatable, Hashable, Sendable {
    /// The energy in kilocalories.
    public var calories: Int

    /// Protein in tenths of grams: 372 is 37.2 g.
    public var proteinTenths: Int

    /// Carbohydrate by difference, fiber and sugar included, in tenths of grams.
    public var carbsTenths: Int

    /// Total fat in tenths of grams.
    public var fatTenths: Int

    /// Dietary fiber in tenths of grams.
    public var fiberTenths: Int

    /// Total sugars in tenths of grams.
    public var sugarTenths: Int

    /// Nothing at all, the facts of an empty plate.
    public static let zero = NutritionFacts()

    /// Makes facts from their numbers; what is left out is zero.
    public init(
        calories: Int = 0, proteinTenths: Int = 0, carbsTenths: Int = 0, fatTenths: Int = 0, fiberTenths: Int = 0,
        sugarTenths: Int = 0
    ) {
        self.calories = calories
        self.proteinTenths = proteinTenths
        self.carbsTenths = carbsTenths
        self.fatTenths = fatTenths
        self.fiberTenths = fiberTenths
        self.sugarTenths = sugarTenths
    }

    /// The facts of two portions together.
    public static func + (left: NutritionFacts, right: NutritionFacts) -> NutritionFacts {
        NutritionFacts(
            calories: left.calories + right.calories,
            proteinTenths: left.proteinTenths + right.proteinTenths,
            carbsTenths: left.carbsTenths + right.carbsTenths,
            fatTenths: left.fatTenths + right.fatTenths,
            fiberTenths: left.fiberTenths + right.fiberTenths,
            sugarTenths: left.sugarTenths + right.sugarTenths)
    }

    /// Adds the facts of another portion.
    public static func += (left: inout NutritionFacts, right: NutritionFacts) {
        left = left + right
    }
}
