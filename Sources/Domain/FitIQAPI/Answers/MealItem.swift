import JSON

/// One food of a meal with its amount: as read from a text, as a script says, as its user corrected it, or in a log.
public struct MealItem: Equatable, Sendable {
    /// Nil until it is part of a log.
    public var id: ResourceID?
    /// The food in the backend's table: the same food has the same id in every log and world.
    public var foodID: ResourceID
    /// In title case if read from a text, with the text's adjectives: `Scrambled Eggs`.
    public var name: String
    /// The number of `unit`: finite; from a text greater than zero and rounded to hundredths.
    public var quantity: Double
    /// From a text one of the table's units, always in the plural: `grams`, `cups`, `slices`, `pieces`, `servings`.
    public var unit: String
    /// The amount in the words of the input, `120g` or `half a`, which websocket-architecture calls the quantity.
    public var amountText: String
    /// The contents of this amount of the food.
    public var nutrients: MealNutrients
    /// From 0 to 1; from a text with two decimals, and 0.95 if nothing was assumed.
    public var confidence: Double
    /// From a text the preparation and the assumptions, or nil if there are none.
    public var notes: String?
    /// If nil, the type comes from the food of the same name in the table.
    public var foodType: FoodType?

    public init(
        id: ResourceID? = nil, foodID: ResourceID, name: String, quantity: Double, unit: String, amountText: String,
        nutrients: MealNutrients, confidence: Double, notes: String?, foodType: FoodType? = nil
    ) {
        (self.id, self.foodID, self.name, self.quantity, self.unit) = (id, foodID, name, quantity, unit)
        (self.amountText, self.nutrients) = (amountText, nutrients)
        (self.confidence, self.notes, self.foodType) = (confidence, notes, foodType)
    }

    /// Creates a food in the words of a script or a user, whose ``foodID`` is that of the table for a food of the table.
    ///
    /// - Parameter confidence: From 0 to 1.
    public init(
        name: String, quantity: Double, unit: String, nutrients: MealNutrients, confidence: Double = 1,
        notes: String? = nil, foodType: FoodType? = nil
    ) {
        let number = JSONNumber(quantity).text
        self.init(
            foodID: Self.foodID(ofKey: String(name.lowercased().map { $0 == " " ? "-" : $0 })), name: name,
            quantity: quantity, unit: unit, amountText: unit.isEmpty ? number : "\(number) \(unit)",
            nutrients: nutrients, confidence: confidence, notes: notes, foodType: foodType)
    }

    /// The id of a food: the same in every log and world, so clients can keep what they know about it.
    ///
    /// - Parameter key: As in the table: `chicken-breast`.
    package static func foodID(ofKey key: String) -> ResourceID { ResourceIDSequence.first(of: key.utf8.fnv1a) }

    /// Writes the item as in meal-log-websocket; the union adds the names of websocket-architecture.
    func write(
        into writer: inout JSONWriter, of log: ResourceID, index: Int, at time: Timestamp, isUnion: Bool,
        isForApps: Bool
    ) {
        writer.object { writer in
            writer.member("id", ifPresent: id)
            writer.member("meal_log_id", log)
            writer.member("food_id", foodID)
            writer.member("food_name", name)
            if isUnion { writer.member("name", name) }
            // A number: the only place where the union follows the later guide alone (openapi/DEVIATIONS.md).
            writeAmount(into: &writer)
            if isUnion { writer.olderGrams(of: nutrients) }
            writer.member("confidence_score", confidence)
            if isUnion { writer.member("confidence", confidence) }
            writer.member("parsing_notes", ifPresent: notes)
            if isUnion { writer.member("notes", ifPresent: notes) }
            writer.member("order_index", index)
            writer.member("created_at", time)
            if isForApps { writer.member("food_type", (foodType ?? .food).rawValue) }
        }
    }

    /// Writes the item as what was seen in a photo, with the members of the app's two models.
    func writeAsRecognized(into writer: inout JSONWriter, index: Int) {
        writer.object { writer in
            writer.member("id", ifPresent: id)
            writer.member("food_id", foodID)
            writer.member("name", name)
            writeAmount(into: &writer)
            writer.member("confidence_score", confidence)
            writer.member("confidence", confidence.percent)
            writer.member("needs_review", confidence.needsReview)
            writer.object("macronutrients") { writer in
                writer.member("calories", nutrients.calories)
                for (name, tenths) in zip(Self.macronutrients, nutrients.tenths) {
                    writer.member(name, (tenths + 5) / 10)
                }
            }
            writer.array("portion_hints") { if !amountText.isEmpty { $0.value(amountText) } }
            writer.member("order_index", index)
            writer.member("food_type", (foodType ?? .food).rawValue)
            writer.member("notes", ifPresent: notes)
        }
    }

    private static let macronutrients: [StaticString] = ["protein", "carbohydrates", "fats", "fiber", "sugar"]

    private func writeAmount(into writer: inout JSONWriter) {
        writer.member("quantity", quantity)
        writer.member("unit", unit)
        writer.member("calories", nutrients.calories)
        writer.grams(of: nutrients, "protein_g", "carbs_g", "fat_g", "fiber_g", "sugar_g")
    }

    /// Writes the item as websocket-architecture prints it: the quantity in words, and a decimal for the calories.
    func writeAsWebSocketArchitecture(into writer: inout JSONWriter, of log: ResourceID) {
        writer.object { writer in
            writer.member("id", ifPresent: id)
            writer.member("meal_log_id", log)
            writer.member("name", name)
            writer.member("quantity", amountText)
            writer.member("unit", unit)
            writer.member("calories", fixed: Double(nutrients.calories), fractionDigits: 1)
            writer.olderGrams(of: nutrients)
            writer.member("confidence", confidence)
            writer.member("notes", ifPresent: notes)
        }
    }
}

extension Double {
    /// A confidence from 0 to 100.
    var percent: Int { Int((self * 100).rounded()) }
    /// Whether this confidence is so low that the user should look.
    var needsReview: Bool { self < 0.8 }
}

extension [MealItem] {
    /// A meal's text from the names of its foods, as far as a text may be long.
    public var words: String {
        var text = ""
        for item in self
        where text.utf8.count + item.name.utf8.count + 2 <= CreateMealLogRequest.maximumInputLength {
            text += text.isEmpty ? item.name : ", " + item.name
        }
        return text.isBlank ? "A meal" : text
    }
}

extension JSONWriter {
    /// Writes members in grams with one digit after the point: 372 as `37.2`, 0 as `0.0`.
    ///
    /// - Parameter names: Of protein, carbohydrates, fat, fiber and sugar.
    package mutating func grams(of nutrients: MealNutrients, _ names: StaticString...) {
        for (name, tenths) in zip(names, nutrients.tenths) {
            key(name)
            value(tenths, fractionDigits: 1)
        }
    }

    /// The members of an item in websocket-architecture.
    fileprivate mutating func olderGrams(of nutrients: MealNutrients) {
        grams(of: nutrients, "protein", "carbohydrates", "fat", "fiber", "sugar")
    }
}

/// The contents of a food or meal: energy in kilocalories, the rest in tenths of grams, so that sums are exact.
public struct MealNutrients: Equatable, Sendable {
    public var calories: Int
    public var proteinTenths: Int
    /// Carbohydrates by difference, so measured sugar may exceed them slightly.
    public var carbsTenths: Int
    public var fatTenths: Int
    public var fiberTenths: Int
    public var sugarTenths: Int

    public init(
        calories: Int = 0, proteinTenths: Int = 0, carbsTenths: Int = 0, fatTenths: Int = 0, fiberTenths: Int = 0,
        sugarTenths: Int = 0
    ) {
        (self.calories, self.proteinTenths, self.carbsTenths) = (calories, proteinTenths, carbsTenths)
        (self.fatTenths, self.fiberTenths, self.sugarTenths) = (fatTenths, fiberTenths, sugarTenths)
    }

    /// The names of all but the calories, as in the table of foods and in scenario files.
    package static let names = ["protein", "carbs", "fat", "fiber", "sugar"]

    /// - Parameter tenths: The tenths of grams of what is named, one of ``names``.
    package init<Failure>(calories: Int, _ tenths: (String) throws(Failure) -> Int) throws(Failure) {
        self.init(
            calories: calories, proteinTenths: try tenths("protein"), carbsTenths: try tenths("carbs"),
            fatTenths: try tenths("fat"), fiberTenths: try tenths("fiber"), sugarTenths: try tenths("sugar"))
    }

    /// All but the calories, in the order of the members.
    public var tenths: [Int] { [proteinTenths, carbsTenths, fatTenths, fiberTenths, sugarTenths] }

    public static func += (left: inout MealNutrients, right: MealNutrients) {
        left.calories += right.calories
        left.proteinTenths += right.proteinTenths
        left.carbsTenths += right.carbsTenths
        left.fatTenths += right.fatTenths
        left.fiberTenths += right.fiberTenths
        left.sugarTenths += right.sugarTenths
    }
}
