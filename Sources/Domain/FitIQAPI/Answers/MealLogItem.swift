import JSON

/// One food of a meal log, as the backend worked it out.
public struct MealLogItem: Equatable, Sendable {
    /// Issued by the backend.
    public var id: ResourceID
    /// The food in the backend's table: the same food has the same id in every log and every world.
    public var foodID: ResourceID
    /// The food for people: "Scrambled Eggs".
    public var name: String
    /// How many of the unit; finite.
    public var quantity: Double
    /// What is counted: "grams", "cups", "pieces".
    public var unit: String
    /// The amount in the input's own words, "120g", which websocket-architecture calls the quantity.
    public var amountText: String
    /// What this amount contains.
    public var nutrients: MealNutrients
    /// How sure the backend is, from 0 to 1.
    public var confidence: Double
    /// What was assumed; nil where there is nothing to say.
    public var notes: String?

    /// Makes an item from its parts.
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
    /// Writes the item as meal-log-websocket has it; the union adds the names of websocket-architecture.
    ///
    /// - Parameters:
    ///   - index: its place in the log, from 0.
    ///   - time: when processing completed.
    func write(into writer: inout JSONWriter, of log: ResourceID, index: Int, at time: Timestamp, isUnion: Bool) {
        writer.object { writer in
            writer.member("id", id.description)
            writer.member("meal_log_id", log.description)
            writer.member("food_id", foodID.description)
            writer.member("food_name", name)
            if isUnion { writer.member("name", name) }
            // A number: the one place where the union follows the later guide alone (CONTRACT: where the guides disagree).
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

    /// Writes the item as websocket-architecture prints it: the quantity is the input's own text, calories have a digit
    /// after the point.
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

/// What a food or a meal contains: energy in kilocalories, the rest in tenths of grams, so that sums are exact.
public struct MealNutrients: Equatable, Sendable {
    /// Energy in kilocalories.
    public var calories: Int
    /// Protein in tenths of grams.
    public var proteinTenths: Int
    /// Carbohydrates in tenths of grams; found by difference, so that measured sugar may exceed them a little.
    public var carbsTenths: Int
    /// Fat in tenths of grams.
    public var fatTenths: Int
    /// Fiber in tenths of grams.
    public var fiberTenths: Int
    /// Sugar in tenths of grams.
    public var sugarTenths: Int

    /// Makes nutrients from their amounts.
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

    /// Adds what another food contains.
    public static func += (left: inout MealNutrients, right: MealNutrients) {
        left.calories += right.calories
        left.proteinTenths += right.proteinTenths
        left.carbsTenths += right.carbsTenths
        left.fatTenths += right.fatTenths
        left.fiberTenths += right.fiberTenths
        left.sugarTenths += right.sugarTenths
    }
}
