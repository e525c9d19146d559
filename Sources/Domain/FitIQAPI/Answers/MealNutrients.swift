/// What a food or a meal contains: energy in kilocalories, the rest in tenths of grams, so that sums are exact.
public struct MealNutrients: Equatable, Sendable {
    /// Energy in kilocalories.
    public var calories: Int
    /// Protein in tenths of grams.
    public var proteinTenths: Int
    /// Carbohydrates in tenths of grams; found by difference, so that measured sugar may exceed them a little.
    public var carbsTenths: Int
    /// Fat in tenths of grams.
    public var fatTenths: Int
    /// Fiber in tenths of grams.
    public var fiberTenths: Int
    /// Sugar in tenths of grams.
    public var sugarTenths: Int

    /// Makes nutrients from their amounts.
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

    /// Adds what another food contains.
    public static func += (left: inout MealNutrients, right: MealNutrients) {
        left.calories += right.calories
        left.proteinTenths += right.proteinTenths
        left.carbsTenths += right.carbsTenths
        left.fatTenths += right.fatTenths
        left.fiberTenths += right.fiberTenths
        left.sugarTenths += right.sugarTenths
    }
}
