/// A unit of amounts; the raw value is its name in responses, always a plural.
enum MealUnit: String, Sendable, CaseIterable {
    case grams, kilograms, milligrams, ounces, pounds
    case milliliters, centiliters, deciliters, liters
    case fluidOunces = "fluid ounces"
    case cups, tablespoons, teaspoons, pints, shots
    case slices, pieces, bowls, plates, glasses, cans, bottles, handfuls, scoops, servings

    /// The weight of one unit in grams, for units of mass; the ounce and the pound are international.
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

    /// The volume of one unit in milliliters, for units of volume; cups, spoons and pints are US customary.
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

    /// Whether it is a weight or a volume, the same for every food.
    var isMeasure: Bool { grams != nil || milliliters != nil }
}

enum UnitWords {
    static let units: [String: MealUnit] = {
        var units: [String: MealUnit] = [:]
        for (unit, words) in lists { for word in words.split(separator: " ") { units[String(word)] = unit } }
        return units
    }()

    /// Words that are units only after a number: `I can`, `a tin roof`.
    static let needNumber: Set<String> = [
        "g", "gr", "gm", "kg", "mg", "oz", "lb", "lbs", "l", "c", "t", "ml", "cl", "dl", "cc", "pt", "can", "tin",
        "shot", "stick", "bar", "box", "bag", "pack", "pot", "link", "ear", "strip", "cube", "pound", "ounce",
    ]

    /// Abbreviations with a full stop that does not end a sentence.
    static let abbreviations = Words.set("g gr gm kg mg oz lb lbs l c t ml cl dl cc pt tbsp tbs tsp pc pcs fl")

    /// Words before a unit that do not change it: `2 heaped tablespoons`.
    static let ornaments: Set<String> = [
        "large", "small", "big", "medium", "heaped", "heaping", "level", "rounded", "thick", "thin", "full", "whole",
        "good", "generous", "little", "scant", "standard", "tall",
    ]

    static let rough: Set<String> = [
        "spoon", "spoons", "spoonful", "spoonfuls", "dollop", "dollops", "drizzle", "splash", "knob", "mug", "mugs",
        "bag", "bags", "box", "boxes", "pack", "packs", "packet", "packets", "pot", "pots", "container", "containers",
        "tub", "tubs",
    ]

    private static let lists: [MealUnit: String] = [
        .grams: "g gr gm gms gram grams gramme grammes",
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
        .tablespoons: "tbsp tbsps tbs tablespoon tablespoons tablespoonful tablespoonfuls spoon spoons spoonful "
            + "spoonfuls dollop dollops drizzle splash knob",
        .teaspoons: "t tsp tsps teaspoon teaspoons teaspoonful teaspoonfuls",
        .pints: "pt pint pints",
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
