import JSON

/// One food of a meal log.
public struct MealLogItem: Equatable, Sendable {
    public var id: ResourceID
    /// The food in the backend's table: the same food has the same id in every log and world.
    public var foodID: ResourceID
    /// The display name: "Scrambled Eggs".
    public var name: String
    /// The number of units; finite.
    public var quantity: Double
    /// The unit: "grams", "cups", "pieces".
    public var unit: String
    /// The amount in the words of the input, "120g", which websocket-architecture calls the quantity.
    public var amountText: String
    public var nutrients: MealNutrients
    /// The confidence, from 0 to 1.
    public var confidence: Double
    /// The assumptions, if any.
    public var notes: String?

    public init(
        id: ResourceID, foodID: ResourceID, name: String, quantity: Double, unit: String, amountText: String,
        nutrients: MealNutrients, confidence: Double, notes: String?
    ) {
        self.id = id
        self.foodID = foodID
        self.name = name
        self.quantity = quantity
        self.unit = unit
        self.amountText = amountText
        self.nutrients = nutrients
        self.confidence = confidence
        self.notes = notes
    }
}

extension MealLogItem {
    /// Writes the item as in meal-log-websocket; the union adds the names of websocket-architecture.
    ///
    /// - Parameters:
    ///   - index: The position in the log, from 0.
    ///   - time: The time at which processing completed.
    func write(into writer: inout JSONWriter, of log: ResourceID, index: Int, at time: Timestamp, isUnion: Bool) {
        writer.object { writer in
            writer.member("id", id.description)
            writer.member("meal_log_id", log.description)
            writer.member("food_id", foodID.description)
            writer.member("food_name", name)
            if isUnion { writer.member("name", name) }
            // A number: the only place where the union follows the later guide alone (openapi/DEVIATIONS.md).
            writer.member("quantity", quantity)
            writer.member("unit", unit)
            writer.member("calories", nutrients.calories)
            writer.member("protein_g", tenths: nutrients.proteinTenths)
            writer.member("carbs_g", tenths: nutrients.carbsTenths)
            writer.member("fat_g", tenths: nutrients.fatTenths)
            writer.member("fiber_g", tenths: nutrients.fiberTenths)
            writer.member("sugar_g", tenths: nutrients.sugarTenths)
            if isUnion { writeOlderNutrients(into: &writer) }
            writer.member("confidence_score", confidence)
            if isUnion { writer.member("confidence", confidence) }
            writer.member("parsing_notes", ifPresent: notes)
            if isUnion { writer.member("notes", ifPresent: notes) }
            writer.member("order_index", index)
            writer.member("created_at", time.wireText)
        }
    }

    /// Writes the item as websocket-architecture prints it.
    ///
    /// The quantity is the text of the input; calories have one digit after the point.
    func writeAsWebSocketArchitecture(into writer: inout JSONWriter, of log: ResourceID) {
        writer.object { writer in
            writer.member("id", id.description)
            writer.member("meal_log_id", log.description)
            writer.member("name", name)
            writer.member("quantity", amountText)
            writer.member("unit", unit)
            writer.member("calories", fixed: Double(nutrients.calories), fractionDigits: 1)
            writeOlderNutrients(into: &writer)
            writer.member("confidence", confidence)
            writer.member("notes", ifPresent: notes)
        }
    }

    private func writeOlderNutrients(into writer: inout JSONWriter) {
        writer.member("protein", tenths: nutrients.proteinTenths)
        writer.member("carbohydrates", tenths: nutrients.carbsTenths)
        writer.member("fat", tenths: nutrients.fatTenths)
        writer.member("fiber", tenths: nutrients.fiberTenths)
        writer.member("sugar", tenths: nutrients.sugarTenths)
    }
}

extension JSONWriter {
    /// Writes a member in grams with one digit after the point: 372 as `37.2`, 0 as `0.0`.
    mutating func member(_ name: StaticString, tenths: Int) {
        key(name)
        value(tenths, fractionDigits: 1)
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
        self.calories = calories
        self.proteinTenths = proteinTenths
        self.carbsTenths = carbsTenths
        self.fatTenths = fatTenths
        self.fiberTenths = fiberTenths
        self.sugarTenths = sugarTenths
    }

    public static func += (left: inout MealNutrients, right: MealNutrients) {
        left.calories += right.calories
        left.proteinTenths += right.proteinTenths
        left.carbsTenths += right.carbsTenths
        left.fatTenths += right.fatTenths
        left.fiberTenths += right.fiberTenths
        left.sugarTenths += right.sugarTenths
    }
}
