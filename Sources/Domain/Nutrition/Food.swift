import FitIQAPI
import Texts

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
    let label: MealNutrients?
    /// The assumed preparation: `Grilled, skinless`.
    let preparation: String?
    let kind: Kind
    let source: Source

    enum Kind: String, Sendable {
        case solid
        /// Ounces are fluid ounces; glasses, cans and bottles have usual volumes.
        case drink
        /// A drink that the apps count as water.
        case water
        /// A drink with alcohol, which adds calories.
        case alcohol

        var type: FoodType {
            switch self {
            case .solid: .food
            case .drink, .alcohol: .drink
            case .water: .water
            }
        }
    }

    struct Serving: Sendable {
        /// The words of a label: `1 large egg`.
        let name: String
        let grams: Double
    }

    /// The source of the facts per 100 grams.
    ///
    /// All except recipes are data types of USDA FoodData Central. A food's remarks in the table say where its facts
    /// were not compared with it. The weights of portions follow the usual household measures and were not compared
    /// either. Good enough for a fake, not for a diet.
    struct Source: Equatable, Sendable {
        enum Database: String, Sendable {
            /// The final release of the Standard Reference.
            case srLegacy = "SR Legacy"
            /// The Food and Nutrient Database for Dietary Studies.
            case fndds = "FNDDS"
            case foundation = "Foundation"
            /// Branded Foods: the labels of manufacturers.
            case branded = "Branded"
            /// Computed from other foods of FoodData Central in the given proportions.
            case recipe
        }

        let database: Database
        /// The name of the food there.
        let food: String
        /// FoodData Central's id, given only for foods of SR Legacy and only where it is certain.
        let id: Int?

        static let ids = 167_512...175_304
    }
}

enum PieceSize: String, CaseIterable, Sendable {
    case small, medium, large
}

/// The contents of 100 grams of a food: kilocalories, and grams of the rest; zero if the source does not report it.
struct FactsPer100Grams: Sendable {
    let calories, protein, carbs, fat, fiber, sugar: Double

    /// The facts of a portion: whole calories and tenths of grams, halves rounded away from zero.
    func facts(ofGrams grams: Double) -> MealNutrients {
        func tenths(_ perHundred: Double) -> Int { Int((perHundred * grams / 10).rounded()) }
        return MealNutrients(
            calories: Int((calories * grams / 100).rounded()), proteinTenths: tenths(protein),
            carbsTenths: tenths(carbs), fatTenths: tenths(fat), fiberTenths: tenths(fiber), sugarTenths: tenths(sugar))
    }
}

extension MealNutrients {
    /// The facts of several portions, rounded as in `FactsPer100Grams.facts`.
    func scaled(by factor: Double) -> MealNutrients {
        func times(_ value: Int) -> Int { Int((Double(value) * factor).rounded()) }
        return MealNutrients(
            calories: times(calories), proteinTenths: times(proteinTenths), carbsTenths: times(carbsTenths),
            fatTenths: times(fatTenths), fiberTenths: times(fiberTenths), sugarTenths: times(sugarTenths))
    }
}

/// The foods, and the index of their names.
enum FoodTable {
    /// The embedded table, read at the first meal.
    private static let file: FoodFile = {
        let text = EmbeddedText(path: FoodFile.path)
        let file = FoodFile(UnsafeBufferPointer(start: text.start, count: text.count))
        precondition(file.mistakes.isEmpty, file.mistakes.first ?? "")
        return file
    }()

    static let foods = file.foods
    /// The entry of each name and each plural, by its folded words.
    static let entries = file.entries
    /// The first words of names; other words need no look-up.
    static let firstWords = file.firstWords
    static let longestName = file.longestName

    struct Entry: Sendable {
        let food: Food
        /// The name in folded words: `scrambled egg`.
        let singular: String
        let plural: String
        /// Whether the phrase is the plural; false if both forms are the same.
        let isPlural: Bool
    }

    /// The longest name that begins at a token, and the index of the token after it.
    static func longestMatch(in text: TokenText, at start: Int) -> (entry: Entry, end: Int)? {
        guard let first = text.word(start), firstWords.contains(first) else { return nil }
        var phrases = [first]
        while phrases.count < longestName, let word = nameWord(in: text, at: start + phrases.count) {
            phrases.append(phrases[phrases.count - 1] + " " + word)
        }
        for (offset, phrase) in phrases.enumerated().reversed() {
            if let entry = entries[phrase] { return (entry, start + offset + 1) }
        }
        return nil
    }

    /// A token as a word of a name: `&` and `n` are `and`.
    private static func nameWord(in text: TokenText, at index: Int) -> String? {
        text.kind(index) == .ampersand || text.word(index) == "n" ? "and" : text.word(index)
    }
}

enum Plural {
    /// The plural of a folded name: that of its last word, or of the one before `of`: `bars of chocolate`.
    static func of(_ name: String) -> String {
        let words = name.utf8.split(separator: 0x20).map { String(Substring($0)) }
        if let index = words.firstIndex(of: "of"), index > 0 {
            let head = words[..<index].joined(separator: " ")
            return of(head) + name.dropFirst(head.count)
        }
        if let plural = irregular[words.last ?? name] { return String(name.dropLast(plural.dropped)) + plural.ending }
        // Already plural or the same: hummus, asparagus, corn flakes.
        let end = Array(name.utf8.suffix(2))
        switch end.last {
        case UInt8(ascii: "s"): return name
        case UInt8(ascii: "x"), UInt8(ascii: "z"): return name + "es"
        case UInt8(ascii: "h") where end.first == UInt8(ascii: "c") || end.first == UInt8(ascii: "s"):
            return name + "es"
        case UInt8(ascii: "y") where end.count == 2 && !"aeiou".utf8.contains(end[0]): return name.dropLast() + "ies"
        default: return name + "s"
        }
    }

    private static let irregular: [String: (dropped: Int, ending: String)] = [
        "tomato": (0, "es"), "potato": (0, "es"), "mango": (0, "es"), "jalapeno": (0, "s"), "loaf": (1, "ves"),
    ]
}
