import Nutrition
import Testing

@Suite("Reading: unknown")
struct UnknownReadingTests {
    @Test("The parser reports unused words and amounts as unknown", arguments: cases)
    func reads(_ meal: ReadMeal) { meal.check() }

    static let cases: [ReadMeal] = [
        // An amount without a food is not dropped silently.
        .init("100g of 2 eggs", "egg 2 pieces", 140, unknown: ["100g"]),
        .init("2 eggs, 120g", "egg 2 pieces", 140, unknown: ["120g"]),
        .init("2 3 eggs", "egg 3 pieces", 210, unknown: ["2"]),
        .init("2 or dozen eggs", "egg 12 pieces", 840, unknown: ["2"]),
        .init("2 half avocados", "avocado 0.5 pieces", 161, unknown: ["2"]),
        .init("2 and half an avocado", "avocado 0.5 pieces", 161, unknown: ["2"]),
        .init("2 and half of an avocado", "avocado 0.5 pieces", 161, unknown: ["2"]),
        // There may be at most two words between a number and its unit.
        .init("2 good thick slices of bread", "bread 2 slices", 154),
        .init("2 good large thick slices of bread", "bread 1 slices", 77, unknown: ["2"]),
        // A letter is a unit only after a number.
        .init("a c rice", "rice 1 servings", 205, unknown: ["c"]),
        .init("1 bunch of grapes", "grape 1 pieces", 3, unknown: ["bunch"]),
        .init("2 pinch salt", "salt 2 servings", 0, unknown: ["pinch"]),
        .init("a bunch of grapes", "grape 1 servings", 104),
        .init("2 toasts with 10 g butter each", "toast 2 slices, butter 10 grams", 222, unknown: ["each"]),
        .init("2 eggs each", "egg 2 pieces", 140),
        .init("unobtainium", "", 0, unknown: ["unobtainium"]),
        .init("2 unobtainium", "", 0, unknown: ["unobtainium"]),
        .init("2 unobtainium and eggs", "egg 1 servings", 70, unknown: ["unobtainium"]),
        .init("unobtainium, eggs", "egg 1 servings", 70, unknown: ["unobtainium"]),
        .init("eggs with unobtainium", "egg 1 servings", 70, unknown: ["unobtainium"]),
        .init("2 glorbed eggs", "egg 2 pieces", 140, unknown: ["glorbed"]),
        .init("blub blab blob eggs", "egg 1 servings", 70, unknown: ["blub", "blab", "blob"]),
        .init("яйца", "", 0, unknown: ["яйца"]),
        .init("2 яйца and 2 eggs", "egg 2 pieces", 140, unknown: ["яйца"]),
        .init("I ran 5 km and ate 2 eggs", "egg 2 pieces", 140, unknown: ["ran", "km"]),
        .init("hot unobtainium and eggs", "egg 1 servings", 70, unknown: ["unobtainium"]),
        .init("2", "", 0),
        .init("2 cups", "", 0),
        .init("cup", "", 0),
        .init("and", "", 0),
        .init(",;.", "", 0),
        .init("x2", "", 0),
        .init("()", "", 0),
    ]
}
