import FitIQAPI
import FitIQBackend
import JSON

extension MealLogData: Coded {
    static func read(_ cursor: Cursor, isPhoto: Bool) -> MealLogData? {
        guard let fields = Fields(cursor, as: .mealLog) else { return nil }
        fields.refuse(["meal_log_id"], unless: isPhoto, Messages.needs("a photo"))
        var log = MealLogData(rawInput: "", mealType: .snack)
        log.read(fields)
        return log
    }

    mutating func code(_ coder: inout MemberCoder) {
        coder.member("id", &id, .id())
        coder.required(
            "text", &rawInput, .string { $0.mealText() }, "the meal in words, such as 2 eggs and toast")
        coder.required("meal_type", &mealType, .choice(), Messages.oneOf(MealType.allCases.map(\.rawValue)))
        if let fields = coder.fields {
            progress = Progress.read(fields) ?? progress
            isManual = fields["status"]?.written == MealLogStatus.manual.rawValue
        } else {
            progress.write(into: &coder.writer, isManual: isManual)
        }
        coder.member("notes", &notes, .text(TextLengths.mealNotes))
        coder.member("meal_log_id", &mealLogID, .id())
        coder.member("logged_at", &loggedAt, .dateTime())
        coder.member("created_at", &createdAt, .time())
        coder.member("started_at", &startedAt, .time())
        coder.member("finished_at", &finishedAt, .time())
        coder.member("updated_at", &updatedAt, .time())
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
            var failure = MealLogFailure(
                message: fields["error"]?.text(1...500) ?? usual.message, details: usual.details)
            failure.read(fields)
            return .failed(failure)
        default: return fields["items"].map(items) ?? .parsed
        }
    }

    fileprivate func write(into writer: inout JSONWriter, isManual: Bool) {
        switch self {
        case .processing: writer.member("status", MealLogStatus.processing.rawValue)
        case .parsed: writer.member("status", MealLogStatus.completed.rawValue)
        case .completed(let items), .foods(let items):
            // Write the list even if it is empty, because otherwise the parser would run.
            writer.member("status", (isManual ? MealLogStatus.manual : .completed).rawValue)
            writer.key("items")
            writer.lines(items) { $1.write(into: &$0) }
        case .failed(let failure):
            writer.member("status", MealLogStatus.failed.rawValue)
            writer.member("error", failure.message)
            failure.write(into: &writer)
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

/// All members except the message, whose name depends on the object.
extension MealLogFailure: Coded {
    mutating func code(_ coder: inout MemberCoder) {
        coder.member("details", &details, .text(1...1000))
        coder.member("code", &code, .choice(), unless: .parsing)
        coder.member("suggestions", &suggestions, .texts(limit: Self.mostSuggestions, 1...500), unless: [])
    }
}

extension MealItem: Coded {
    static func read(_ fields: Fields) -> MealItem? {
        var item = MealItem(name: "", quantity: 0, unit: "", nutrients: MealNutrients())
        guard item.read(fields) else { return nil }
        // The food's id follows from its name, and the amount's text from the quantity and the unit.
        return MealItem(
            name: item.name, quantity: item.quantity, unit: item.unit, nutrients: item.nutrients,
            confidence: item.confidence, notes: item.notes, foodType: item.foodType)
    }

    mutating func code(_ coder: inout MemberCoder) {
        if coder.isWriting, let id {
            coder.writer.member("id", id)
            coder.writer.member("food_id", foodID)
        }
        coder.required("name", &name, .text(MealItem.nameLengths), "the food's name")
        coder.required("quantity", &quantity, .double(0...1e9), "the number of units")
        coder.required("unit", &unit, .text(MealItem.unitLengths), "the unit, such as grams, cups or slice")
        if coder.isWriting, id != nil { coder.writer.member("amount", amountText) }
        let grams = MemberForm<Int>(read: { $0.tenths(upTo: 1_000_000) }, write: { $0.value($1, fractionDigits: 1) })
        coder.member("calories", &nutrients.calories, .integer(0...1_000_000))
        coder.member("protein", &nutrients.proteinTenths, grams)
        coder.member("carbs", &nutrients.carbsTenths, grams)
        coder.member("fat", &nutrients.fatTenths, grams)
        coder.member("fiber", &nutrients.fiberTenths, grams)
        coder.member("sugar", &nutrients.sugarTenths, grams)
        coder.member("confidence", &confidence, .double(0...1))
        coder.member("notes", &notes, .text(0...5000))
        if id == nil || foodType != .food { coder.member("food_type", &foodType, .choice()) }
    }
}

extension Cursor {
    /// A meal's text, as clients may send it.
    fileprivate func mealText() -> String? {
        guard let text = text(TextLengths.mealText) else { return nil }
        return text.isBlank ? refuse(Messages.blankText) : text
    }
}
