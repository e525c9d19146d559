import JSON

/// One food of a meal log.
public struct MealLogItem: Equatable, Sendable {
    public var id: ResourceID
    /// The food in the backend's table: the same food has the same id in every log and world.
    public var foodID: ResourceID
    public var name: String
    /// Finite.
    public var quantity: Double
    public var unit: String
    /// The amount in the words of the input, "120g", which websocket-architecture calls the quantity.
    public var amountText: String
    public var nutrients: MealNutrients
    /// From 0 to 1.
    public var confidence: Double
    public var notes: String?
    public var foodType: FoodType

    public init(
        id: ResourceID, foodID: ResourceID, name: String, quantity: Double, unit: String, amountText: String,
        nutrients: MealNutrients, confidence: Double, notes: String?, foodType: FoodType = .food
    ) {
        (self.id, self.foodID, self.name, self.quantity, self.unit) = (id, foodID, name, quantity, unit)
        (self.amountText, self.nutrients) = (amountText, nutrients)
        (self.confidence, self.notes, self.foodType) = (confidence, notes, foodType)
    }

    /// Writes the item as in meal-log-websocket; the union adds the names of websocket-architecture.
    func write(
        into writer: inout JSONWriter, of log: ResourceID, index: Int, at time: Timestamp, isUnion: Bool,
        isForApps: Bool
    ) {
        writer.object { writer in
            writer.member("id", id.description)
            writer.member("meal_log_id", log.description)
            writer.member("food_id", foodID.description)
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
            writer.member("created_at", time.wireText)
            if isForApps { writer.member("food_type", foodType.rawValue) }
        }
    }

    /// Writes the item as what was seen in a photo.
    func writeAsRecognized(into writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("id", id.description)
            writer.member("food_id", foodID.description)
            writer.member("name", name)
            writeAmount(into: &writer)
            writer.member("confidence_score", confidence)
            writer.member("food_type", foodType.rawValue)
            writer.member("notes", ifPresent: notes)
        }
    }

    private func writeAmount(into writer: inout JSONWriter) {
        writer.member("quantity", quantity)
        writer.member("unit", unit)
        writer.member("calories", nutrients.calories)
        writer.grams(of: nutrients, "protein_g", "carbs_g", "fat_g", "fiber_g", "sugar_g")
    }

    /// Writes the item as websocket-architecture prints it: the quantity in words, and a decimal for the calories.
    func writeAsWebSocketArchitecture(into writer: inout JSONWriter, of log: ResourceID) {
        writer.object { writer in
            writer.member("id", id.description)
            writer.member("meal_log_id", log.description)
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
