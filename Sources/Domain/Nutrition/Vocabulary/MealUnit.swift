/// A unit of amounts; the raw value is its name in answers, always a plural.
enum MealUnit: String, Sendable, CaseIterable {
    case grams, kilograms, milligrams, ounces, pounds
    case milliliters, centiliters, deciliters, liters
    case fluidOunces = "fluid ounces"
    case cups, tablespoons, teaspoons, pints, shots
    case slices, pieces, bowls, plates, glasses, cans, bottles, handfuls, scoops, servings

    /// The weight of one in grams, for units of mass.
    ///
    /// The ounce and the pound are the international ones.
    var grams: Double? {
        switch self {
        case .grams: 1
        case .kilograms: 1000
        case .milligrams: 0.001
        case .ounces: 28.349523125
        case .pounds: 453.59237
        default: nil
        }
    }

    /// The volume of one in milliliters, for units of volume.
    ///
    /// Cups, spoons and pints are US customary.
    var milliliters: Double? {
        switch self {
        case .milliliters: 1
        case .centiliters: 10
        case .deciliters: 100
        case .liters: 1000
        case .fluidOunces: 236.5882365 / 8
        case .cups: 236.5882365
        case .tablespoons: 236.5882365 / 16
        case .teaspoons: 236.5882365 / 48
        case .pints: 236.5882365 * 2
        case .shots: 236.5882365 / 8 * 1.5
        default: nil
        }
    }

    /// Whether it says how much by itself, whatever the food.
    var isMeasure: Bool { grams != nil || milliliters != nil }
}
