import FitIQAPI
import JSON
import Nutrition

extension Planter {
    mutating func plantMealLogs(of data: UserData, _ user: UserID, at path: String) throws(PlantError) {
        let count = backend.users[user].mealLogs.count + data.mealLogs.count
        guard count <= limits.mealLogs else {
            throw .tooMany("\(path).meal_logs", "meal logs of this user", count, limit: limits.mealLogs)
        }
        var logs: [MealLog] = []
        for (index, log) in data.mealLogs.enumerated() {
            logs.append(try mealLog(log, userID: data.id, at: "\(path).meal_logs[\(index)]"))
        }
        for (index, log) in Self.oldestFirst(logs, by: \.createdAt) {
            try checkStorage("\(path).meal_logs[\(index)]")
            insert(log, of: user)
        }
        let records = backend.mealLogs
        backend.users[user].mealLogs.sort { left, right in
            (records[left].log.loggedAt, left) < (records[right].log.loggedAt, right)
        }
    }

    private mutating func insert(_ log: MealLog, of user: UserID) {
        let record = MealLogRecord(log, owner: user, form: backend.configuration.mode.form(of: .showMealLog))
        let position = backend.mealLogs.count
        backend.mealLogs.append(record)
        backend.mealLogPositions[log.id] = position
        backend.users[user].mealLogs.append(position)
        backend.storedBytes += record.byteCount
        if log.status == .processing { backend.process(position, from: log.createdAt, at: now) }
    }

    private mutating func mealLog(
        _ data: MealLogData, userID: ExactString, at path: String
    ) throws(PlantError) -> MealLog {
        try check(data.rawInput, "\(path).text", TextLengths.mealText)
        guard data.rawInput.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else {
            throw .blank("\(path).text")
        }
        let finished = try time(data.finishedAt, "\(path).finished_at")
        let created = try time(data.createdAt, "\(path).created_at") ?? finished ?? now
        let end = finished ?? created
        try check(end, "\(path).finished_at", notBefore: created, "the meal log was created")
        var log = MealLog(
            id: data.id ?? turn.identifiers.next(), userID: userID, rawInput: data.rawInput,
            mealType: data.mealType, loggedAt: data.loggedAt ?? DateTime(created), createdAt: created)
        switch data.progress {
        case .processing:
            guard finished == nil else { throw .finishedWhileProcessing("\(path).finished_at") }
        case .parsed:
            log.progress = MealProcessing.outcome(of: MealParser.parse(log.rawInput), for: log.id, at: end)
        case .completed(let items):
            log.progress = .completed(items, at: end)
        case .foods(let foods):
            var identifiers = ResourceIDSequence(seed: log.id.seed)
            log.progress = .completed(foods.map { MealLogItem($0, id: identifiers.next()) }, at: end)
        case .failed(let failure):
            log.progress = .failed(failure, at: end)
        }
        try check(log.items, "\(path).items")
        return log
    }

    private func check(_ items: [MealLogItem], _ path: String) throws(PlantError) {
        guard items.count <= MealParser.maximumItems else {
            throw .tooMany(path, "foods of a meal log", items.count, limit: MealParser.maximumItems)
        }
        for (index, item) in items.enumerated() {
            let path = "\(path)[\(index)]"
            try check(item.name, "\(path).name", TextLengths.itemName)
            try check(item.unit, "\(path).unit", TextLengths.itemText)
            try check(item.amountText, "\(path).amount", TextLengths.itemText)
            try check(item.notes, "\(path).notes", TextLengths.itemText)
            try check(item.quantity, "\(path).quantity", 0...1_000_000_000)
            try check(item.confidence, "\(path).confidence", 0...1)
            try check(item.nutrients, path)
        }
    }

    /// Sums are made of these, which must not overflow.
    private func check(_ nutrients: MealNutrients, _ path: String) throws(PlantError) {
        let grams = [
            ("protein", nutrients.proteinTenths), ("carbs", nutrients.carbsTenths), ("fat", nutrients.fatTenths),
            ("fiber", nutrients.fiberTenths), ("sugar", nutrients.sugarTenths),
        ]
        try check(Double(nutrients.calories), "\(path).calories", 0...1_000_000)
        for (name, tenths) in grams { try check(Double(tenths) / 10, "\(path).\(name)", 0...1_000_000) }
    }
}
