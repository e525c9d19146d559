import FitIQAPI
import JSON
import Nutrition

/// The goals of a user in a document, before they are planted.
struct GoalDrafts {
    var goals: [Goal] = []
    private var names: [ExactString: Int] = [:]
    private var ids: [ResourceID: Int] = [:]

    mutating func append(_ goal: Goal, name: ExactString?, at path: String) throws(PlantError) {
        if let name {
            guard names[name] == nil else { throw PlantError("\(path).name", .duplicateName(name.text)) }
            names[name] = goals.count
        }
        ids[goal.id] = goals.count
        goals.append(goal)
    }

    func index(of goal: GoalReference, _ path: @autoclosure () -> String) throws(PlantError) -> Int {
        let index =
            switch goal {
            case .named(let name): names[name]
            case .id(let id): ids[id]
            }
        guard let index else { throw PlantError(path(), .unknownGoal(goal)) }
        return index
    }

    func index(ofID id: ResourceID) -> Int? { ids[id] }
}

extension Planter {
    mutating func goalDrafts(of data: UserData, _ user: UserID, at path: String) throws(PlantError) -> GoalDrafts {
        let count = backend.users[user].goals.count + data.goals.count
        try check(count, "goals for this user", limit: limits.goals, "\(path).goals")
        var goals = GoalDrafts()
        for (index, goal) in data.goals.enumerated() {
            let path = "\(path).goals[\(index)]"
            try goals.append(try self.goal(goal, userID: data.id, at: path), name: goal.name, at: path)
        }
        return goals
    }

    private mutating func goal(_ data: GoalData, userID: ExactString, at path: String) throws(PlantError) -> Goal {
        try check(data.title, "\(path).title", GoalLengths.title)
        try check(data.description, "\(path).description", GoalLengths.description)
        try check(data.category, "\(path).category", GoalLengths.category)
        try check(data.progress, "\(path).progress", 0...1)
        try check(data.measure.type, "\(path).goal_type", GoalLengths.category)
        try check(data.measure.unit, "\(path).target_unit", GoalLengths.unit)
        try check(data.measure.target ?? 1, "\(path).target_value", GoalMeasure.targets)
        try check(data.measure.current ?? 0, "\(path).current_value", GoalMeasure.values)
        let times = try times(data.createdAt, data.updatedAt, "the goal was created", at: path)
        var goal = Goal(
            id: data.id ?? turn.identifiers.next(), userID: userID, title: data.title, description: data.description,
            category: data.category, targetDate: data.targetDate ?? usualTargetDate, createdAt: times.created)
        goal.state = data.status
        goal.progress = data.progress
        goal.measure = data.measure
        goal.updatedAt = times.updated
        return goal
    }

    private var usualTargetDate: DateTime { DateTime(secondsSinceEpoch: now.secondsSinceEpoch + 90 * 86_400) }

    mutating func insert(_ goals: [Goal], of user: UserID, at path: String) throws(PlantError) {
        for (index, goal) in Self.oldestFirst(goals, by: \.createdAt) {
            try checkStorage("\(path).goals[\(index)]")
            backend.insert(goal, of: user)
        }
    }

    mutating func plantMealLogs(of data: UserData, _ user: UserID, at path: String) throws(PlantError) {
        let count = backend.users[user].mealLogs.count + data.mealLogs.count
        try check(count, "meal logs for this user", limit: limits.mealLogs, "\(path).meal_logs")
        var logs: [MealLog] = []
        for (index, log) in data.mealLogs.enumerated() {
            logs.append(try mealLog(log, userID: data.id, at: "\(path).meal_logs[\(index)]"))
        }
        for (index, log) in Self.oldestFirst(logs, by: \.createdAt) {
            try checkStorage("\(path).meal_logs[\(index)]")
            let position = backend.insert(log, of: user)
            guard log.status == .processing else { continue }
            let start = log.startedAt.advanced(byNanoseconds: -turn.dateShift)
            backend.process(position, from: start, at: turn.now)
        }
        try plantPhotos(of: data, user, at: path)
    }

    private mutating func plantPhotos(of data: UserData, _ user: UserID, at path: String) throws(PlantError) {
        let count = backend.users[user].photos.count + data.photos.count
        try check(count, "photos for this user", limit: limits.photos, "\(path).photos")
        for (index, photo) in data.photos.enumerated() {
            let path = "\(path).photos[\(index)]"
            guard photo.progress != .processing, !photo.isManual else { throw PlantError(path, .photoNotRecognized) }
            try checkStorage(path)
            let log = try mealLog(photo, userID: data.id, at: path)
            backend.insert(MealPhoto(log, confirmedAs: photo.mealLogID), of: user)
        }
    }

    private mutating func mealLog(
        _ data: MealLogData, userID: ExactString, at path: String
    ) throws(PlantError) -> MealLog {
        try check(data.rawInput, "\(path).text", TextLengths.mealText)
        guard !data.rawInput.isBlank else { throw PlantError("\(path).text", .blank) }
        guard isRestored || MealType.known(isForApps: backend.configuration.mode.servesApps).contains(data.mealType)
        else {
            throw PlantError("\(path).meal_type", .mealTypeOfApps(data.mealType))
        }
        guard isRestored || !data.isManual || backend.configuration.mode != .webSocketArchitecture else {
            throw PlantError("\(path).status", .manualMeal)
        }
        try check(data.notes, "\(path).notes", TextLengths.mealNotes)
        let finished = try time(data.finishedAt, "\(path).finished_at")
        let created = try time(data.createdAt, "\(path).created_at") ?? finished ?? now
        let started = try time(data.startedAt, "\(path).started_at") ?? created
        try check(started, "\(path).started_at", notBefore: created, "the meal log was created")
        let end = finished ?? started
        try check(end, "\(path).finished_at", notBefore: created, "the meal log was created")
        try check(end, "\(path).finished_at", notBefore: started, "processing started")
        var log = MealLog(
            id: data.id ?? turn.identifiers.next(), userID: userID, rawInput: data.rawInput,
            mealType: data.mealType, loggedAt: data.loggedAt ?? DateTime(created), createdAt: created)
        (log.startedAt, log.notes, log.isManual) = (started, data.notes, data.isManual)
        log.changedAt = try time(data.updatedAt, "\(path).updated_at")
        try check(log.changedAt ?? created, "\(path).updated_at", notBefore: created, "the meal log was created")
        switch data.progress {
        case .processing:
            guard finished == nil else { throw PlantError("\(path).finished_at", .finishedWhileProcessing) }
        case .parsed: log.progress = MealProcessing.outcome(.parsed, of: log, at: end)
        case .completed(let items): log.progress = .completed(items, at: end)
        case .foods(let foods): log.progress = MealProcessing.outcome(.completed(foods), of: log, at: end)
        case .failed(let failure): log.progress = .failed(failure, at: end)
        }
        try check(log.items, "\(path).items")
        return log
    }

    private func check(_ items: [MealItem], _ path: String) throws(PlantError) {
        try check(items.count, "foods of a meal log", limit: MealParser.maximumItems, path)
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

    /// The sums must not overflow.
    private func check(_ nutrients: MealNutrients, _ path: String) throws(PlantError) {
        try check(Double(nutrients.calories), "\(path).calories", 0...1_000_000)
        for (name, tenths) in zip(["protein", "carbs", "fat", "fiber", "sugar"], nutrients.tenths) {
            try check(Double(tenths) / 10, "\(path).\(name)", 0...1_000_000)
        }
    }
}
