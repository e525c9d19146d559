import FitIQAPI
import FitIQBackend
import JSON

extension MealLogData {
    static func read(_ cursor: Cursor, isPhoto: Bool) -> MealLogData? {
        guard let fields = Fields(cursor, as: .mealLog) else { return nil }
        let text = fields.required("text", "the meal in words, such as 2 eggs and toast")?.mealText()
        let names = MealType.allCases.map(\.rawValue)
        let type = fields.required("meal_type", Messages.oneOf(names))?.choice(of: MealType.self)
        var log = MealLogData(rawInput: text ?? "", mealType: type ?? .snack)
        log.id = fields["id"]?.resourceID()
        log.loggedAt = fields["logged_at"]?.dateTime()
        log.createdAt = fields["created_at"]?.dataTime()
        log.startedAt = fields["started_at"]?.dataTime()
        log.finishedAt = fields["finished_at"]?.dataTime()
        log.updatedAt = fields["updated_at"]?.dataTime()
        log.notes = fields["notes"]?.text(TextLengths.mealNotes)
        fields.refuse(["meal_log_id"], unless: isPhoto, Messages.needs("a photo"))
        log.mealLogID = fields["meal_log_id"]?.resourceID()
        if let progress = Progress.read(fields) { log.progress = progress }
        log.isManual = fields["status"]?.written == MealLogStatus.manual.rawValue
        return log
    }

    func write(into writer: inout JSONWriter) {
        writer.member("id", ifPresent: id)
        writer.member("text", rawInput)
        writer.member("meal_type", mealType.rawValue)
        switch progress {
        case .processing: writer.member("status", MealLogStatus.processing.rawValue)
        case .parsed: writer.member("status", MealLogStatus.completed.rawValue)
        case .completed(let items), .foods(let items):
            // Write the list even if it is empty, because otherwise the parser would run.
            writer.member("status", (isManual ? MealLogStatus.manual : .completed).rawValue)
            writer.lines("items", items) { $1.write(into: &$0) }
        case .failed(let failure):
            writer.member("status", MealLogStatus.failed.rawValue)
            writer.member("error", failure.message)
            writer.member("details", ifPresent: failure.details)
            if failure.code != .parsing { writer.member("code", failure.code.rawValue) }
            if !failure.suggestions.isEmpty {
                writer.array("suggestions") { writer in for text in failure.suggestions { writer.value(text) } }
            }
        }
        writer.member("notes", ifPresent: notes)
        writer.member("meal_log_id", ifPresent: mealLogID)
        writer.member("logged_at", ifPresent: loggedAt)
        writer.time("created_at", createdAt)
        writer.time("started_at", startedAt)
        writer.time("finished_at", finishedAt)
        writer.time("updated_at", updatedAt)
    }
}

extension MealLogData.Progress {
    fileprivate static func read(_ fields: Fields) -> MealLogData.Progress? {
        let statuses = MealLogStatus.allCases.map(\.rawValue)
        let status: String
        if let cursor = fields["status"] {
            guard let name = cursor.name(among: statuses) else { return nil }
            status = name
        } else {
            status = fields["error"] == nil ? "completed" : "failed"
        }
        let hasFoods = ["completed", "manual"].contains(status)
        fields.refuse(["items"], unless: hasFoods, Messages.needs("'status: completed' or 'status: manual'"))
        fields.refuse(
            ["error", "details", "code", "suggestions"], unless: status == "failed", Messages.needs("'status: failed'"))
        fields.refuse(
            ["finished_at"], unless: status != "processing",
            Messages.needs("'status: completed', 'status: failed' or 'status: manual'"))
        switch status {
        case "processing": return .processing
        case "failed":
            let usual = MealLogFailure.noFood
            var failure = MealLogFailure(fields, message: "error", else: usual.message)
            if fields["details"] == nil { failure.details = usual.details }
            return .failed(failure)
        default: return fields["items"].map(items) ?? .parsed
        }
    }

    private static func items(_ cursor: Cursor) -> MealLogData.Progress {
        let all = (cursor.elements(limit: ScenarioLimits.items, of: "foods") ?? []).compactMap { Fields($0, as: .item) }
        let identified = all.filter { $0["id"] != nil && $0["food_id"] != nil }
        guard !identified.isEmpty else {
            for fields in all {
                fields.refuse(["id", "food_id"], unless: false, Messages.itemIDs)
                fields.refuse(["amount"], unless: false, Messages.needs("'id' and 'food_id'"))
            }
            return .foods(all.compactMap(MealItem.read))
        }
        return .completed(
            all.compactMap { fields in
                guard let id = fields["id"], let foodID = fields["food_id"] else {
                    return fields.cursor.refuse(Messages.itemIDs)
                }
                guard var item = MealItem.read(fields), let id = id.resourceID(), let foodID = foodID.resourceID()
                else { return nil }
                (item.id, item.foodID, item.foodType) = (id, foodID, item.foodType ?? .food)
                item.amountText = fields["amount"]?.text(0...1000) ?? Messages.number(item.quantity)
                return item
            })
    }
}

extension MealLogFailure {
    init(_ fields: Fields, message: String, else usual: String) {
        self.init(
            message: fields[message]?.text(1...500) ?? usual, details: fields["details"]?.text(1...1000),
            code: fields["code"]?.choice(of: Code.self) ?? .parsing,
            suggestions: fields.list("suggestions", limit: Self.mostSuggestions, of: "strings") { $0.text(1...500) })
    }
}

extension MealItem {
    static func read(_ fields: Fields) -> MealItem? {
        let name = fields.required("name", "the food's name")?.text(MealItem.nameLengths)
        let quantity = fields.required("quantity", "the number of units")?.double(0...1e9)
        let unit = fields.required("unit", "the unit, such as grams, cups or slice")?.text(MealItem.unitLengths)
        let nutrients = MealNutrients(calories: fields["calories"]?.integer(0...1_000_000) ?? 0) { name in
            fields[name]?.tenths(upTo: 1_000_000) ?? 0
        }
        let confidence = fields["confidence"]?.double(0...1) ?? 1
        let notes = fields["notes"]?.text(0...5000)
        let foodType = fields["food_type"]?.choice(of: FoodType.self)
        guard let name, let quantity, let unit else { return nil }
        return MealItem(
            name: name, quantity: quantity, unit: unit, nutrients: nutrients, confidence: confidence, notes: notes,
            foodType: foodType)
    }

    func write(into writer: inout JSONWriter) {
        if let id {
            writer.member("id", id)
            writer.member("food_id", foodID)
        }
        writer.member("name", name)
        writer.member("quantity", quantity)
        writer.member("unit", unit)
        if id != nil { writer.member("amount", amountText) }
        writer.member("calories", nutrients.calories)
        writer.grams(of: nutrients, "protein", "carbs", "fat", "fiber", "sugar")
        writer.member("confidence", confidence)
        writer.member("notes", ifPresent: notes)
        if id == nil || foodType != .food { writer.member("food_type", ifPresent: foodType?.rawValue) }
    }
}

extension Cursor {
    /// A meal's text, as clients may send it.
    fileprivate func mealText() -> String? {
        guard let text = text(TextLengths.mealText) else { return nil }
        return text.isBlank ? refuse(Messages.blankText) : text
    }
}
