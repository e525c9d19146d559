/// A unit for amounts; the raw value is its plural name in responses.
enum MealUnit: String, Sendable, CaseIterable {
    case grams, kilograms, milligrams, ounces, pounds
    case milliliters, centiliters, deciliters, liters
    case fluidOunces = "fluid ounces"
    case cups, tablespoons, teaspoons, pints, quarts, gallons, shots
    case loaves, slices, pieces, bowls, plates, glasses, cans, bottles, handfuls, scoops, servings

    /// The weight of one unit in grams, for units of mass (international ounces and pounds).
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

    /// The volume of one unit in milliliters, for units of volume, which are US customary except for metric ones.
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
        case .quarts: 236.5882365 * 4
        case .gallons: 236.5882365 * 16
        case .shots: 236.5882365 / 8 * 1.5
        default: nil
        }
    }

    /// Whether the unit is a weight or a volume, which is the same for every food.
    var isMeasure: Bool { grams != nil || milliliters != nil }

    private var isMetric: Bool {
        switch self {
        case .grams, .kilograms, .milligrams, .milliliters, .centiliters, .deciliters, .liters: true
        default: false
        }
    }

    /// Whether the unit is a smaller unit of the same system, as in `1 lb 4 oz`.
    func isPart(of other: MealUnit) -> Bool {
        guard isMetric == other.isMetric else { return false }
        if let grams, let whole = other.grams { return grams < whole }
        if let milliliters, let whole = other.milliliters { return milliliters < whole }
        return false
    }
}

enum UnitWords {
    static let units: [String: MealUnit] = {
        var units: [String: MealUnit] = [:]
        for (unit, words) in lists { for word in words.split(separator: " ") { units[String(word)] = unit } }
        return units
    }()

    /// Words that are units only after a number: `I can`, `a tin roof`.
    static let needNumber: Set<String> = [
        "g", "gr", "grs", "gm", "kg", "mg", "oz", "lb", "lbs", "l", "c", "t", "ml", "cl", "dl", "cc", "pt", "qt", "gal",
        "can", "tin", "shot", "stick", "bar", "box", "bag", "pack", "pot", "link", "ear", "strip", "cube", "pound",
        "ounce",
    ]

    /// Abbreviations whose full stop does not end a sentence.
    static let abbreviations = Words.set(
        "g gr grs gm kg mg oz lb lbs l c t ml cl dl cc pt qt qts gal tbsp tbs tbl tsp pc pcs fl")

    /// Words that may precede a unit; the reader then assumes the usual unit, as in `2 heaped tablespoons`.
    static let ornaments: Set<String> = [
        "large", "small", "big", "medium", "heaped", "heaping", "level", "rounded", "thick", "thin", "full", "whole",
        "good", "generous", "little", "scant", "standard", "tall",
    ]

    /// Words before a unit that mean exactly the usual unit.
    static let exact: Set<String> = ["medium", "level", "full", "whole", "standard"]

    /// Kilocalories per unit; a calorie in a meal is a kilocalorie.
    static let energies: [String: Double] = [
        "kcal": 1, "kcals": 1, "cal": 1, "cals": 1, "calorie": 1, "calories": 1, "kilocalorie": 1, "kilocalories": 1,
        "kj": 1 / 4.184, "kilojoule": 1 / 4.184, "kilojoules": 1 / 4.184,
    ]

    /// Units of a food's size, which is not a count.
    static let dimensions = Words.set(
        "inch inches cm centimeter centimeters centimetre centimetres mm millimeter millimeters foot ft")

    static let rough: Set<String> = [
        "spoon", "spoons", "spoonful", "spoonfuls", "dollop", "dollops", "drizzle", "splash", "knob", "mug", "mugs",
        "bag", "bags", "box", "boxes", "pack", "packs", "packet", "packets", "pot", "pots", "container", "containers",
        "tub", "tubs",
    ]

    private static let lists: [MealUnit: String] = [
        .grams: "g gr grs gm gms gram grams gramme grammes",
        .kilograms: "kg kgs kilo kilos kilogram kilograms",
        .milligrams: "mg milligram milligrams",
        .ounces: "oz ounce ounces",
        .pounds: "lb lbs pound pounds",
        .milliliters: "ml mls cc milliliter milliliters millilitre millilitres",
        .centiliters: "cl centiliter centiliters centilitre centilitres",
        .deciliters: "dl deciliter deciliters decilitre decilitres",
        .liters: "l ltr liter liters litre litres",
        .fluidOunces: "floz",
        .cups: "c cup cups cupful cupfuls mug mugs",
        .tablespoons:
            "tbsp tbsps tbs tbl tbls tblsp tbsn tablespoon tablespoons tablespoonful tablespoonfuls spoon spoons spoonful "
            + "spoonfuls dollop dollops drizzle splash knob",
        .teaspoons: "t tsp tsps teaspoon teaspoons teaspoonful teaspoonfuls",
        .pints: "pt pint pints",
        .quarts: "qt qts quart quarts",
        .gallons: "gal gals gallon gallons",
        .loaves: "loaf loaves",
        .shots: "shot shots",
        .slices: "slice slices wedge wedges rasher rashers",
        .pieces: "piece pieces pc pcs clove cloves stalk stalks ear ears fillet fillets filet filets strip strips link "
            + "links cube cubes patty patties stick sticks square squares leaf leaves spear spears wing wings",
        .bowls: "bowl bowls bowlful bowlfuls",
        .plates: "plate plates plateful platefuls",
        .glasses: "glass glasses",
        .cans: "can cans tin tins",
        .bottles: "bottle bottles",
        .handfuls: "handful handfuls",
        .scoops: "scoop scoops",
        .servings: "serving servings portion portions helping helpings order orders bar bars bag bags box boxes pack "
            + "packs packet packets pot pots container containers tub tubs",
    ]
}
