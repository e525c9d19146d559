import Nutrition
import Testing

@Suite("Reading: unknown")
struct UnknownReadingTests {
    @Test("Words that name no food", arguments: cases)
    func reads(_ meal: ReadMeal) { meal.check() }

    static let cases: [ReadMeal] = [
        // An amount that no food takes is not lost without a word.
        .init("100g of 2 eggs", "egg 2 pieces", 140, unknown: ["100g"]),
        .init("2 eggs, 120g", "egg 2 pieces", 140, unknown: ["120g"]),
        .init("2 3 eggs", "egg 3 pieces", 210, unknown: ["2"]),
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
