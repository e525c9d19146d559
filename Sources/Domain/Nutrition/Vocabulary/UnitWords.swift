/// The words for units.
enum UnitWords {
    /// What a folded word counts, where it can be a unit.
    static let units: [String: MealUnit] = {
        var units: [String: MealUnit] = [:]
        for (unit, words) in lists {
            for word in words.split(separator: " ") { units[String(word)] = unit }
        }
        return units
    }()

    /// Words that count only after a number, because alone they mean something else: `I can`, `a tin roof`.
    static let needNumber: Set<String> = [
        "g", "gr", "gm", "kg", "mg", "oz", "lb", "lbs", "l", "c", "t", "ml", "cl", "dl", "cc", "pt", "can", "tin",
        "shot",
        "stick", "bar", "box", "bag", "pack", "pot", "link", "ear", "strip", "cube", "pound", "ounce",
    ]

    /// Abbreviations after which a full stop ends no sentence.
    static let abbreviations: Set<String> = [
        "g", "gr", "gm", "kg", "mg", "oz", "lb", "lbs", "l", "c", "t", "ml", "cl", "dl", "cc", "pt", "tbsp", "tbs",
        "tsp",
        "pc", "pcs", "fl",
    ]

    /// Words that stand in front of a unit without changing it: `2 heaped tablespoons`.
    static let ornaments: Set<String> = [
        "large", "small", "big", "medium", "heaped", "heaping", "level", "rounded", "thick", "thin", "full", "whole",
        "good", "generous", "little", "scant", "standard", "tall",
    ]

    /// Words for a unit that only roughly say how much.
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
