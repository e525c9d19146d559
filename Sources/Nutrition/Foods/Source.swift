/// Where an entry's facts per 100 grams come from, with the name of the food there.
///
/// All but recipes are data types of USDA FoodData Central. The weights of portions are USDA's household measures
/// of the same or the nearest food, rounded.
enum Source: Sendable, Equatable {
    /// The final release of the Standard Reference; the id is FoodData Central's, where we are certain of it.
    case srLegacy(String, id: Int? = nil)
    /// The Food and Nutrient Database for Dietary Studies.
    case fndds(String)
    /// Foundation Foods.
    case foundation(String)
    /// Branded Foods: what manufacturers print on labels.
    case branded(String)
    /// Computed from other foods of FoodData Central in the proportions given.
    case recipe(String)

    /// The name of the food at the source.
    var description: String {
        switch self {
        case .srLegacy(let text, _), .fndds(let text), .foundation(let text), .branded(let text), .recipe(let text):
            text
        }
    }
}
