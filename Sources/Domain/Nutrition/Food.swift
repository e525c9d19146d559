import FitIQAPI
import Text
import Texts

struct Food: Sendable {
    /// A stable slug, such as `chicken-breast`.
    let key: String
    /// The names in the singular, the usual one first.
    let names: [String]
    let per100Grams: FactsPer100Grams
    /// The usual serving, used if the text has no amount.
    let serving: Serving
    /// The weight of one unit in grams.
    let portions: [MealUnit: Double]
    /// The weight of one piece in grams, by the size stated in the text.
    let sizes: [PieceSize: Double]
    /// The facts on a label for one serving if they differ from `per100Grams`.
    let label: MealNutrients?
    /// The assumed preparation: `Grilled, skinless`.
    let preparation: String?
    let kind: Kind
    let source: Source

    enum Kind: String, Sendable {
        case solid
        /// Ounces are fluid ounces; glasses, cans and bottles have their usual volumes.
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
        /// The serving in a label's words: `1 large egg`.
        let name: String
        let grams: Double
    }

    /// The source of the facts per 100 grams.
    ///
    /// All except recipes are data types of USDA FoodData Central. The table's remarks list facts that were not checked
    /// against the source. Portion weights follow usual household measures and were not checked either. The data is
    /// good enough for a fake, but not for a diet.
    struct Source: Equatable, Sendable {
        enum Database: String, Sendable {
            /// The final release of the Standard Reference.
            case srLegacy = "SR Legacy"
            /// The Food and Nutrient Database for Dietary Studies.
            case fndds = "FNDDS"
            case foundation = "Foundation"
            /// Branded Foods: manufacturers' labels.
            case branded = "Branded"
            /// Computed from other foods in FoodData Central, in the given proportions.
            case recipe
        }

        let database: Database
        /// The food's name in the source's data.
        let food: String
        /// FoodData Central's id, only for SR Legacy foods whose id is certain.
        let id: Int?

        static let ids = 167_512...175_304
    }
}

enum PieceSize: String, CaseIterable, Sendable { case small, medium, large }

/// The kilocalories and the grams of nutrients in 100 grams of a food; zero if the source has no value.
struct FactsPer100Grams: Sendable {
    let calories, protein, carbs, fat, fiber, sugar: Double

    /// The facts for a portion: whole calories and tenths of grams, halves rounded away from zero.
    func facts(ofGrams grams: Double) -> MealNutrients {
        func tenths(_ perHundred: Double) -> Int { Int((perHundred * grams / 10).rounded()) }
        return MealNutrients(
            calories: Int((calories * grams / 100).rounded()), proteinTenths: tenths(protein),
            carbsTenths: tenths(carbs), fatTenths: tenths(fat), fiberTenths: tenths(fiber), sugarTenths: tenths(sugar))
    }
}

extension MealNutrients {
    /// The facts for several portions, rounded like `FactsPer100Grams.facts`.
    func scaled(by factor: Double) -> MealNutrients {
        func times(_ value: Int) -> Int { Int((Double(value) * factor).rounded()) }
        return MealNutrients(
            calories: times(calories), proteinTenths: times(proteinTenths), carbsTenths: times(carbsTenths),
            fatTenths: times(fatTenths), fiberTenths: times(fiberTenths), sugarTenths: times(sugarTenths))
    }
}

/// The foods, and the index of their names.
enum FoodTable {
    /// The embedded table, loaded by the first meal.
    private static let file: FoodFile = {
        let text = EmbeddedText(path: FoodFile.path)
        let file = FoodFile(UnsafeBufferPointer(start: text.start, count: text.count))
        precondition(file.mistakes.isEmpty, file.mistakes.first ?? "")
        return file
    }()

    static let foods = file.foods
    /// The entry for each name and each plural, keyed by its folded words.
    static let entries = file.entries
    /// The first words of all names; no name starts with another word.
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

    /// The longest name that starts at a token, and the index of the token after it.
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

    /// A token as a word in a name; `&` and `n` become `and`.
    private static func nameWord(in text: TokenText, at index: Int) -> String? {
        text.kind(index) == .ampersand || text.word(index) == "n" ? "and" : text.word(index)
    }
}

enum Plural {
    /// The plural of a folded name: pluralizes its last word, or the one before `of`: `bars of chocolate`.
    static func of(_ name: String) -> String {
        let words = name.utf8.split(separator: 0x20).map { String(Substring($0)) }
        if let index = words.firstIndex(of: "of"), index > 0 {
            let head = words[..<index].joined(separator: " ")
            return of(head) + name.dropFirst(head.count)
        }
        if let plural = irregular[words.last ?? name] { return String(name.dropLast(plural.dropped)) + plural.ending }
        // Already plural or unchanged: hummus, asparagus, corn flakes.
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

/// Reads the table of foods, `Fixtures/data/foods.tsv`, with one line per food and tabs between columns.
///
/// The sources' names contain commas, and semicolons separate the parts of a cell. With tabs, no cell needs quotation
/// marks, spreadsheets can edit the file, and a diff shows each food on one line. Lines end with a line feed. The first
/// line names the columns. A food has a line like `fruit|kiwi|kiwi|kiwifruit; kiwi fruit|61|1.14|14.66|0.52|3|8.99|1
/// kiwi|69|cups 180; pieces 69|…`, with tabs in place of the bars. The reader accepts only the format described in its
/// messages, and collects all mistakes.
struct FoodFile: Sendable {
    static let path = "Fixtures/data/foods.tsv"

    private(set) var foods: [Food] = []
    /// The entry for each name and each plural; names are folded like text in `Lexer`.
    private(set) var entries: [String: FoodTable.Entry] = [:]
    private(set) var firstWords: Set<String> = []
    private(set) var longestName = 0
    /// The mistakes as sentences, each with its path and line; a table with mistakes is not used.
    private(set) var mistakes: [String] = []

    private var line = 0
    private var cells: [String] = []
    /// The line of each key.
    private var keys: [String: Int] = [:]
    /// The line of each folded name or plural.
    private var names: [String: Int] = [:]

    /// The columns in order, by their titles in the first line.
    enum Column: String, CaseIterable {
        /// For sorting the table by hand; ignored.
        case group
        /// A stable slug: `chicken-breast`.
        case key
        /// In the singular.
        case name
        /// Other names in the singular, separated by semicolons.
        case aliases
        /// Per 100 grams; a value missing in the source is empty and counts as zero.
        case kcal, protein, carbs, fat, fiber, sugar
        /// The usual serving in the words of a label, and its weight.
        case serving
        case servingGrams = "serving grams"
        /// The weight of one unit: `cups 180; pieces 69`.
        case gramsPerUnit = "grams per unit"
        /// The weight of a small, medium or large piece: `small 91; large 182`.
        case gramsPerSize = "grams per size"
        /// The label's facts for one serving, if they differ: `kcal 70; protein 6; fat 5`.
        case label
        /// The assumed preparation: `Grilled, skinless`.
        case preparation
        /// `solid`, `drink`, `water` or `alcohol`.
        case kind
        /// A data type of USDA FoodData Central, the food's name there and, if certain, its id.
        case source
        case sourceFood = "source food"
        case id = "FDC id"
        /// Notes by the table's editors; ignored.
        case remarks
    }

    private static let columns = Column.allCases
    static let titles = columns.map(\.rawValue)

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        for text in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast() {
            line += 1
            readLine(text)
        }
        if bytes.isEmpty {
            refuse("the table is empty")
        } else if bytes.last != UInt8(ascii: "\n") {
            refuse("the last line does not end with a line feed")
        }
    }

    private mutating func refuse(_ message: String) { mistakes.append("\(Self.path):\(max(line, 1)): \(message)") }

    private mutating func readLine(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
        guard String(validating: bytes, as: UTF8.self) != nil else { return refuse("the line is not UTF-8") }
        if bytes.contains(where: { $0 < 0x20 && $0 != UInt8(ascii: "\t") }) {
            return refuse("the line has a control character, such as a Windows carriage return")
        }
        cells = bytes.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        if line == 1 {
            if cells != Self.titles { refuse("the columns must be \(Self.titles.joined(separator: ", "))") }
            return
        }
        guard cells.count == Self.titles.count else {
            return refuse("a line must have \(Self.titles.count) tab-separated columns, not \(cells.count)")
        }
        let count = mistakes.count
        for column in Self.columns where !isTrimmed(self[column]) {
            refuse("\(column.rawValue) begins or ends with a space or a quotation mark; save the table without them")
        }
        guard mistakes.count == count, let food = food(), mistakes.count == count else { return }
        foods.append(food)
        index(food)
    }

    private subscript(column: Column) -> String { Self.columns.firstIndex(of: column).map { cells[$0] } ?? "" }

    private func isTrimmed(_ cell: String) -> Bool {
        guard let first = cell.utf8.first, let last = cell.utf8.last else { return true }
        return first != 0x20 && first != UInt8(ascii: "\"") && last != 0x20
    }

    // MARK: A food

    /// The food on the line; if it is invalid, the result is nil or there are new mistakes.
    private mutating func food() -> Food? {
        let key = key()
        let names = [text(.name)] + parts(.aliases)
        let per100Grams = FactsPer100Grams(
            calories: number(.kcal, atMost: 902), protein: optionalNumber(.protein), carbs: optionalNumber(.carbs),
            fat: optionalNumber(.fat), fiber: optionalNumber(.fiber), sugar: optionalNumber(.sugar))
        let serving = Food.Serving(name: text(.serving), grams: weight(self[.servingGrams], of: .servingGrams))
        guard let kind = kind(), let source = source() else { return nil }
        return Food(
            key: key, names: names, per100Grams: per100Grams, serving: serving,
            portions: weights(.gramsPerUnit, of: Self.weighedUnits),
            sizes: weights(.gramsPerSize, of: PieceSize.allCases), label: label(),
            preparation: self[.preparation].isEmpty ? nil : self[.preparation], kind: kind, source: source)
    }

    private mutating func key() -> String {
        let key = self[.key]
        if key.isEmpty || !key.utf8.allSatisfy({ $0 == .minus || $0.isLowercaseLetter }) {
            refuse("the key is \"\(key)\"; it must be a slug of lower-case letters and dashes, such as chicken-breast")
        }
        if let first = keys.updateValue(line, forKey: key) { refuse("the key \(key) is already on line \(first)") }
        return key
    }

    private mutating func text(_ column: Column) -> String {
        if self[column].isEmpty { refuse("\(column.rawValue) is empty") }
        return self[column]
    }

    private mutating func parts(_ column: Column) -> [String] {
        if self[column].isEmpty { return [] }
        var parts = self[column].utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        var isSpaced = true
        for index in parts.indices.dropFirst() where parts[index].popFirst() != 0x20 { isSpaced = false }
        if !isSpaced || parts.contains(where: { $0.isEmpty || $0.first == 0x20 || $0.last == 0x20 }) {
            refuse("\(column.rawValue) is \"\(self[column])\"; its parts must be separated by a semicolon and a space")
        }
        return parts.map { String(Substring($0)) }
    }

    private mutating func kind() -> Food.Kind? {
        let kind = Food.Kind(rawValue: self[.kind])
        if kind == nil { refuse("the kind is \"\(self[.kind])\"; it must be solid, drink, water or alcohol") }
        return kind
    }

    private mutating func source() -> Food.Source? {
        let food = text(.sourceFood)
        let id = Int(self[.id])
        let database = Food.Source.Database(rawValue: self[.source])
        let isValid = database == .srLegacy && id.map(Food.Source.ids.contains) == true && self[.id].utf8.count == 6
        if !self[.id].isEmpty, !isValid {
            refuse("the FDC id is \"\(self[.id])\"; only SR Legacy foods may have an id, from 167512 to 175304")
        }
        if database == nil {
            refuse("the source is \"\(self[.source])\"; it must be SR Legacy, FNDDS, Foundation, Branded or recipe")
        }
        return database.map { Food.Source(database: $0, food: food, id: id) }
    }

    // MARK: Numbers

    private mutating func weights<Key: RawRepresentable<String> & Hashable>(
        _ column: Column, of keys: [Key]
    ) -> [Key: Double] {
        var weights: [Key: Double] = [:]
        for (name, value) in pairs(column) {
            guard let key = keys.first(where: { $0.rawValue == name }) else {
                refuse(
                    "\(column.rawValue) has the unknown name \"\(name)\"; the names are "
                        + "\(keys.map(\.rawValue).joined(separator: ", "))")
                continue
            }
            if weights.updateValue(weight(value, of: column), forKey: key) != nil { refuse("\(name) occurs twice") }
        }
        return weights
    }

    /// Units that are weights, and servings, need no weight in the table.
    private static let weighedUnits = MealUnit.allCases.filter { $0.grams == nil && $0 != .servings }

    private mutating func label() -> MealNutrients? {
        var facts: [String: Int] = [:]  // Keyed by names of facts.
        for (name, value) in pairs(.label) {
            let isEnergy = name == "kcal"
            let number = decimal(value, digits: isEnergy ? 0 : 1).map { Int(($0 * (isEnergy ? 1 : 10)).rounded()) }
            if number == nil || !(isEnergy || MealNutrients.names.contains(name)) {
                refuse(
                    "the label has \"\(name) \(value)\"; it must have whole kcal and tenths of grams: kcal 70; "
                        + "protein 6.5")
            }
            if facts.updateValue(number ?? 0, forKey: name) != nil { refuse("\(name) occurs twice") }
        }
        return facts.isEmpty ? nil : MealNutrients(calories: facts["kcal"] ?? 0) { facts[$0] ?? 0 }
    }

    private mutating func pairs(_ column: Column) -> [(name: String, value: String)] {
        parts(column).map { part in
            guard let space = part.utf8.lastIndex(of: 0x20) else { return (part, "") }
            return (String(part[..<space]), String(part[part.utf8.index(after: space)...]))
        }
    }

    private mutating func weight(_ cell: String, of column: Column) -> Double {
        guard let grams = decimal(cell, digits: 2), grams > 0, grams < 5000 else {
            refuse(
                "\(column.rawValue) has \"\(cell)\"; a weight must be more than 0 and less than 5000 grams, such "
                    + "as 28.5")
            return 1
        }
        return grams
    }

    private mutating func optionalNumber(_ column: Column) -> Double {
        self[column].isEmpty ? 0 : number(column, atMost: 100)
    }

    private mutating func number(_ column: Column, atMost most: Int) -> Double {
        guard let number = decimal(self[column], digits: 2), number <= Double(most) else {
            refuse("\(column.rawValue) is \"\(self[column])\"; it must be a number from 0 to \(most), such as 12.56")
            return 0
        }
        return number
    }

    /// The value of `12`, `12.5` or `12.56`, with at most six digits before the point; equal to the Swift literal.
    private func decimal(_ text: String, digits: Int) -> Double? {
        var value = 0
        var count = 0
        /// The number of digits before the decimal point.
        var whole: Int?
        for byte in text.utf8 {
            if byte == .dot, whole == nil {
                whole = count
                continue
            }
            guard byte.isDigit, count < 8 else { return nil }
            value = value * 10 + Int(byte - .digitZero)
            count += 1
        }
        let decimals = whole.map { count - $0 }
        guard (1...6).contains(whole ?? count), decimals.map({ (1...2).contains($0) && $0 <= digits }) ?? true else {
            return nil
        }
        // Both numbers are exact, so the quotient is the nearest value, like the literal.
        return decimals.map { Double(value) / ($0 == 1 ? 10 : 100) } ?? Double(value)
    }

    // MARK: Names

    private mutating func index(_ food: Food) {
        for name in food.names {
            let words = Lexer.words(of: name)
            guard let first = words.first else {
                refuse("the name \"\(name)\" has no letters")
                continue
            }
            let singular = words.joined(separator: " ")
            let plural = Plural.of(singular)
            longestName = max(longestName, words.count)
            firstWords.insert(first)
            // The plural of a multi-word name starts with the same word unless `of` follows it.
            if words.count == 1 || words[1] == "of" {
                firstWords.insert(plural.utf8.firstIndex(of: 0x20).map { String(plural[..<$0]) } ?? plural)
            }
            for word in plural == singular ? [singular] : [singular, plural] {
                if let line = names.updateValue(line, forKey: word) {
                    refuse(
                        "\"\(word)\" is already on line \(line); a name or its plural must occur only once, for one "
                            + "food")
                }
                entries[word] = FoodTable.Entry(
                    food: food, singular: singular, plural: plural, isPlural: word != singular)
            }
        }
    }
}
