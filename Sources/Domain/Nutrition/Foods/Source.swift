/// Where an entry's facts per 100 grams come from, with the name of the food there.
///
/// All but recipes are data types of USDA FoodData Central. Not compared with it row by row: the facts of pea, corn,
/// brussels-sprout, potato, sweet-potato, mixed-vegetable, oatmeal, chicken, fried-chicken, tuna-in-oil, pizza and flour,
/// and the weights of portions, which follow the usual household measures. Good for a fake, not for a diet.
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
