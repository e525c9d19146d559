import JSON

/// A meal's description and the result of processing it.
public struct MealLog: Equatable, Sendable {
    public enum Progress: Equatable, Sendable {
        case processing
        /// The foods, and the time when processing ended.
        case completed([MealItem], at: Timestamp)
        /// No foods were found in the text; processing failed at the given time.
        case failed(MealLogFailure, at: Timestamp)
    }

    public let id: ResourceID
    public let userID: ExactString
    /// The text as sent, not trimmed.
    public var rawInput: String
    public var mealType: MealType
    /// The time of the meal, from the client.
    public var loggedAt: DateTime
    public let createdAt: Timestamp
    /// When processing started: at creation or after the last change to the text.
    public var startedAt: Timestamp
    /// The time of the last change by the client; nil before any change.
    public var changedAt: Timestamp?
    /// The user's notes, which only the apps send; an empty string becomes nil.
    public var notes: String? { didSet { if notes?.isEmpty ?? false { notes = nil } } }
    /// Whether the user entered the foods individually, so that no text was parsed.
    public var isManual = false
    public var progress: Progress

    /// Creates a log whose processing starts now.
    public init(
        id: ResourceID, userID: ExactString, rawInput: String, mealType: MealType, loggedAt: DateTime,
        createdAt: Timestamp
    ) {
        (self.id, self.userID, self.rawInput, self.mealType) = (id, userID, rawInput, mealType)
        (self.loggedAt, self.createdAt, startedAt) = (loggedAt, createdAt, createdAt)
        progress = .processing
    }

    /// The properties that lists can be filtered by.
    public struct Kind: Hashable, Sendable {
        public let status: MealLogStatus
        public let mealType: MealType
    }

    public var kind: Kind { Kind(status: status, mealType: mealType) }

    public var status: MealLogStatus {
        switch progress {
        case .processing: .processing
        case .completed: isManual ? .manual : .completed
        case .failed: .failed
        }
    }

    /// When processing ended; nil until then.
    public var finishedAt: Timestamp? {
        switch progress {
        case .processing: nil
        case .completed(_, let time), .failed(_, let time): time
        }
    }

    /// The latest of creation, end of processing and last change.
    public var updatedAt: Timestamp { max(finishedAt ?? createdAt, changedAt ?? createdAt) }

    /// The foods; empty until processing is complete.
    public var items: [MealItem] { if case .completed(let items, _) = progress { items } else { [] } }
    /// The exact sum of the items.
    public var totals: MealNutrients { items.reduce(into: MealNutrients()) { $0 += $1.nutrients } }

    /// The log in the form of a guide or the union.
    ///
    /// Only meal-log-websocket and websocket-architecture contain meal logs; websocket-architecture contains only
    /// finished logs, in its events. All other forms follow the union.
    ///
    /// - Parameter isForApps: Whether the union's form includes the members that only the apps read.
    public func object(in form: GuideMode, isForApps: Bool = false) -> [UInt8] {
        JSONWriter.object(reserving: 1024 + rawInput.utf8.count + 768 * items.count) { writer in
            switch (form, progress) {
            case (.mealLogWebSocket, _): writeMembers(into: &writer, isUnion: false, isForApps: false)
            case (.webSocketArchitecture, .completed(let items, let time)):
                writeAsWebSocketArchitecture(items, completedAt: time, into: &writer)
            case (.webSocketArchitecture, .failed(let failure, _)):
                writer.member("meal_log_id", id)
                writer.member("error", failure.message)
                writer.member("details", failure.details)
            default: writeMembers(into: &writer, isUnion: true, isForApps: isForApps)
            }
        }
    }

    /// The body of the create and get responses.
    ///
    /// In meal-log-websocket, the body is `{"data"}` with the guide's `MealLogResponse`, which has fewer members than
    /// the event. Otherwise the body has `success` and the given object.
    ///
    /// - Parameter object: The log's ``object(in:isForApps:)`` in the same form.
    public func body(of object: [UInt8], in form: GuideMode) -> [UInt8] {
        guard form == .mealLogWebSocket else { return JSONWriter.success(data: object) }
        return JSONWriter.object(reserving: 1024 + rawInput.utf8.count) { $0.object("data", writeResponse) }
    }

    private func writeResponse(into writer: inout JSONWriter) {
        writer.member("id", id)
        writeInput(into: &writer)
        if case .completed = progress {
            let totals = totals
            writer.member("total_calories", totals.calories)
            writer.grams(of: totals, "total_protein_g", "total_carbs_g", "total_fat_g")
        }
        writer.member("logged_at", loggedAt)
        writer.member("created_at", createdAt)
        writer.member("updated_at", updatedAt)
    }

    /// The body of `GET /api/v1/meal-logs`, a page of the list in the union's form; no guide documents it.
    public static func listBody(_ objects: [[UInt8]], page: Page, total: Int, isForApps: Bool = false) -> [UInt8] {
        JSONWriter.success(reserving: objects.reduce(128) { $0 + $1.count + 1 }) { writer in
            writer.array("meal_logs") { writer in for object in objects { writer.raw(object) } }
            if isForApps {
                writer.totals(page, total: total)
                writer.member("page", page.number)
            } else {
                writer.member("total_count", total)
                writer.member("page", page.number)
                writer.member("limit", page.size)
                writer.member("has_more", page.hasNext(of: total))
            }
        }
    }

    /// The body of `POST /api/v1/meal-logs/batch`.
    public static func batchBody(_ objects: [[UInt8]]) -> [UInt8] {
        JSONWriter.success(reserving: objects.reduce(128) { $0 + $1.count + 1 }) { writer in
            writer.array("meal_logs") { writer in for object in objects { writer.raw(object) } }
            writer.member("count", objects.count)
        }
    }

    /// Writes the members that meal-log-websocket documents; the union adds websocket-architecture's.
    func writeMembers(into writer: inout JSONWriter, isUnion: Bool, isForApps: Bool) {
        writeHead(into: &writer, isUnion: isUnion, isForApps: isForApps)
        guard case .completed(let items, let time) = progress else { return }
        writer.array("items") { writer in
            for (index, item) in items.enumerated() {
                item.write(into: &writer, of: id, index: index, at: time, isUnion: isUnion, isForApps: isForApps)
            }
        }
    }

    /// Writes all members except the items.
    func writeHead(into writer: inout JSONWriter, isUnion: Bool, isForApps: Bool) {
        writer.member("id", id)
        if isUnion { writer.member("meal_log_id", id) }
        writeInput(into: &writer)
        switch progress {
        case .processing: break
        case .completed(let items, _): writeTotals(itemCount: items.count, into: &writer, isUnion: isUnion)
        case .failed(let failure, _):
            writer.member("error_message", failure.message)
            if isUnion {
                writer.member("error", failure.message)
                writer.member("details", failure.details)
            }
            guard isForApps else { break }
            writer.member("error_code", failure.code.rawValue)
            guard !failure.suggestions.isEmpty else { break }
            writer.array("suggestions") { writer in for text in failure.suggestions { writer.value(text) } }
        }
        if isForApps { writer.member("notes", ifPresent: notes) }
        writer.member("logged_at", loggedAt)
        switch progress {
        case .processing: if isUnion { writer.member("processing_started_at", startedAt) }
        case .completed(_, let time):
            writer.member("processing_started_at", startedAt)
            writer.member("processing_completed_at", time)
        case .failed: break
        }
        writer.member("created_at", createdAt)
        writer.member("updated_at", updatedAt)
    }

    private func writeInput(into writer: inout JSONWriter) {
        writer.member("user_id", userID.text)
        writer.member("raw_input", rawInput)
        writer.member("meal_type", mealType.rawValue)
        writer.member("status", status.rawValue)
    }

    private func writeTotals(itemCount: Int, into writer: inout JSONWriter, isUnion: Bool) {
        let totals = totals
        writer.member("total_calories", totals.calories)
        writer.grams(of: totals, "total_protein_g", "total_carbs_g", "total_fat_g", "total_fiber_g", "total_sugar_g")
        guard isUnion else { return }
        writeOlderTotals(totals, into: &writer)
        writer.member("items_count", itemCount)
    }

    private func writeOlderTotals(_ totals: MealNutrients, into writer: inout JSONWriter) {
        writer.grams(of: totals, "total_protein", "total_carbs", "total_fat", "total_fiber", "total_sugar")
    }

    /// Writes the members of the guide's printed example, in the same order.
    private func writeAsWebSocketArchitecture(
        _ items: [MealItem], completedAt time: Timestamp, into writer: inout JSONWriter
    ) {
        writer.member("id", id)
        writeInput(into: &writer)
        writer.member("logged_at", loggedAt)
        writer.array("items") { writer in
            for item in items { item.writeAsWebSocketArchitecture(into: &writer, of: id) }
        }
        let totals = totals
        writer.member("total_calories", fixed: Double(totals.calories), fractionDigits: 1)
        writeOlderTotals(totals, into: &writer)
        writer.member("processing_started_at", createdAt)
        writer.member("processing_completed_at", time)
        writer.member("created_at", createdAt)
        writer.member("updated_at", updatedAt)
    }
}

/// One food of a meal with its amount, parsed from text, given by a script or entered by the user.
public struct MealItem: Equatable, Sendable {
    /// Nil until the item is part of a log.
    public var id: ResourceID?
    /// The food in the backend's table; a food has the same id in every log and world.
    public var foodID: ResourceID
    /// In title case if read from text, including its adjectives: `Scrambled Eggs`.
    public var name: String
    /// The finite number of units; if parsed from text, greater than zero and rounded to hundredths.
    public var quantity: Double
    /// The unit; if parsed from text, a unit of the table in the plural: `grams`, `cups`, `slices`, `pieces`,
    /// `servings`.
    public var unit: String
    /// The amount as it appears in the input, such as `120g` or `half a`: websocket-architecture's quantity.
    public var amountText: String
    /// The nutrients in this amount.
    public var nutrients: MealNutrients
    /// From 0 to 1; if parsed from text, with two decimal places, and 0.95 if nothing was assumed.
    public var confidence: Double
    /// The preparation and the assumptions, if parsed from text.
    public var notes: String?
    /// If nil, the type is that of the food with this name in the table.
    public var foodType: FoodType?

    public init(
        id: ResourceID? = nil, foodID: ResourceID, name: String, quantity: Double, unit: String, amountText: String,
        nutrients: MealNutrients, confidence: Double, notes: String?, foodType: FoodType? = nil
    ) {
        (self.id, self.foodID, self.name, self.quantity, self.unit) = (id, foodID, name, quantity, unit)
        (self.amountText, self.nutrients) = (amountText, nutrients)
        (self.confidence, self.notes, self.foodType) = (confidence, notes, foodType)
    }

    /// Creates a food named by a script or user; ``foodID`` is from the table if the table contains the name.
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

    /// A food's id, the same in every log and world, so that clients can cache its data.
    ///
    /// - Parameter key: The table's key, such as `chicken-breast`.
    package static func foodID(ofKey key: String) -> ResourceID { ResourceIDSequence.first(of: key.utf8.fnv1a) }

    /// Writes the item in meal-log-websocket's form; the union adds websocket-architecture's names.
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
            // openapi/DEVIATIONS.md: for this number alone, the union follows only the later guide.
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

    /// Writes the item as recognized in a photo, with the members of both of the app's models.
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

    /// Writes the item in websocket-architecture's form: the quantity in words, and decimal calories.
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
    /// The confidence in percent.
    var percent: Int { Int((self * 100).rounded()) }
    /// Whether this confidence is low enough that the user should check the food.
    var needsReview: Bool { self < 0.8 }
}

extension [MealItem] {
    /// A meal's text, built from its foods' names and truncated to the maximum length.
    public var words: String {
        var text = ""
        for item in self where text.utf8.count + item.name.utf8.count + 2 <= CreateMealLogRequest.maximumInputLength {
            text += text.isEmpty ? item.name : ", " + item.name
        }
        return text.isBlank ? "A meal" : text
    }
}

extension JSONWriter {
    /// Writes members in grams with one decimal place: 372 as `37.2`, 0 as `0.0`.
    ///
    /// - Parameter names: The names of protein, carbohydrates, fat, fiber and sugar.
    package mutating func grams(of nutrients: MealNutrients, _ names: StaticString...) {
        for (name, tenths) in zip(names, nutrients.tenths) {
            key(name)
            value(tenths, fractionDigits: 1)
        }
    }

    /// Writes websocket-architecture's members of an item.
    fileprivate mutating func olderGrams(of nutrients: MealNutrients) {
        grams(of: nutrients, "protein", "carbohydrates", "fat", "fiber", "sugar")
    }
}

/// The nutritional content of a food or meal: energy in kilocalories and the rest in tenths of grams, so that sums are
/// exact.
public struct MealNutrients: Equatable, Sendable {
    public var calories: Int
    public var proteinTenths: Int
    /// Carbohydrates are computed by difference, so measured sugar may slightly exceed them.
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

    /// The names of all nutrients except calories, as they appear in the food table and in scenario files.
    package static let names = ["protein", "carbs", "fat", "fiber", "sugar"]

    /// - Parameter tenths: Returns the tenths of grams of one of ``names``.
    package init<Failure>(calories: Int, _ tenths: (String) throws(Failure) -> Int) throws(Failure) {
        self.init(
            calories: calories, proteinTenths: try tenths("protein"), carbsTenths: try tenths("carbs"),
            fatTenths: try tenths("fat"), fiberTenths: try tenths("fiber"), sugarTenths: try tenths("sugar"))
    }

    /// All values except the calories, in the order of the members.
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

/// The result of a photo: a meal log that no list contains, and its JSON.
public struct MealPhoto: Equatable, Sendable {
    /// The log, whose id is also the session's id.
    public let log: MealLog
    /// The confirmed meal log; nil until the user confirms the photo.
    public let mealLogID: ResourceID?
    /// The body of the endpoints that return it, with the members of both of the app's models.
    public let body: [UInt8]
    /// An upper bound on the photo's size in an export, in bytes.
    public let byteCount: Int

    public init(_ log: MealLog, confirmedAs mealLogID: ResourceID? = nil) {
        (self.log, self.mealLogID) = (log, mealLogID)
        body = JSONWriter.success { writer in
            log.writeHead(into: &writer, isUnion: false, isForApps: true)
            writer.member("meal_log_id", orNull: mealLogID)
            Self.write(log, into: &writer)
        }
        byteCount = body.count + log.object(in: .union, isForApps: true).count
    }

    /// The body of a confirmation: the resulting meal log and the session.
    ///
    /// - Parameter confirmed: The completed log with the confirmed foods.
    public func body(confirmedAs confirmed: MealLog) -> [UInt8] {
        JSONWriter.success(reserving: 2 * byteCount) { writer in
            confirmed.writeMembers(into: &writer, isUnion: true, isForApps: true)
            Self.write(log, into: &writer)
        }
    }

    /// Writes the members that photos have and meal logs lack.
    private static func write(_ log: MealLog, into writer: inout JSONWriter) {
        let (items, totals) = (log.items, log.totals)
        // A meal's confidence is that of its least certain food.
        let confidence = items.map(\.confidence).min() ?? 0
        writer.member("session_id", log.id)
        // The picture is not stored.
        writer.memberNull("image_url")
        writer.array("recognized_items") { writer in
            for (index, item) in items.enumerated() { item.writeAsRecognized(into: &writer, index: index) }
        }
        writer.object("total_macros") { writer in
            writer.member("total_calories", totals.calories)
            writer.member("total_protein", (totals.proteinTenths + 5) / 10)
            writer.member("total_carbohydrates", (totals.carbsTenths + 5) / 10)
            writer.member("total_fats", (totals.fatTenths + 5) / 10)
        }
        writer.member("overall_confidence", confidence.percent)
        writer.member("confidence_score", confidence)
        writer.member("needs_review", confidence.needsReview)
        // A made-up value: no time passes.
        writer.member("processing_time_ms", 600 + Int(log.id.seed % 1800))
    }
}
