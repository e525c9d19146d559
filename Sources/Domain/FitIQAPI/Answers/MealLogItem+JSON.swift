import JSON

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
