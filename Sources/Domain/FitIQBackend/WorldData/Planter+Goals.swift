import FitIQAPI
import JSON

/// The goals of a user that a document names, before they are planted.
struct GoalDrafts {
    var goals: [Goal] = []
    private var names: [ExactString: Int] = [:]
    private var ids: [ResourceID: Int] = [:]

    mutating func append(_ goal: Goal, name: ExactString?, at path: String) throws(PlantError) {
        if let name {
            guard names[name] == nil else { throw .duplicateName("\(path).name", name.text) }
            names[name] = goals.count
        }
        ids[goal.id] = goals.count
        goals.append(goal)
    }

    /// The place of a goal that is meant.
    func index(of goal: GoalReference, _ path: @autoclosure () -> String) throws(PlantError) -> Int {
        let index =
            switch goal {
            case .named(let name): names[name]
            case .id(let id): ids[id]
            }
        guard let index else { throw .unknownGoal(path(), goal) }
        return index
    }

    func index(ofID id: ResourceID) -> Int? { ids[id] }
}

extension Planter {
    mutating func goalDrafts(
        of data: UserData, _ user: UserID, at path: String
    ) throws(PlantError) -> GoalDrafts {
        let count = backend.users[user].goals.count + data.goals.count
        guard count <= limits.goals else {
            throw .tooMany("\(path).goals", "goals of this user", count, limit: limits.goals)
        }
        var goals = GoalDrafts()
        for (index, goal) in data.goals.enumerated() {
            let path = "\(path).goals[\(index)]"
            try goals.append(try self.goal(goal, userID: data.id, at: path), name: goal.name, at: path)
        }
        return goals
    }

    private mutating func goal(_ data: GoalData, userID: ExactString, at path: String) throws(PlantError) -> Goal {
        try check(data.title, "\(path).title", TextLengths.title)
        try check(data.description, "\(path).description", TextLengths.description)
        try check(data.category, "\(path).category", TextLengths.category)
        try check(data.progress, "\(path).progress", 0...1)
        let updatedAt = try time(data.updatedAt, "\(path).updated_at")
        let createdAt = try time(data.createdAt, "\(path).created_at") ?? updatedAt ?? now
        var goal = Goal(
            id: data.id ?? turn.identifiers.next(), userID: userID, title: data.title, description: data.description,
            category: data.category, targetDate: data.targetDate ?? usualTargetDate, createdAt: createdAt)
        goal.status = data.status
        goal.progress = data.progress
        goal.updatedAt = updatedAt ?? createdAt
        try check(goal.updatedAt, "\(path).updated_at", notBefore: createdAt, "the goal was created")
        return goal
    }

    /// 90 days after the world's beginning.
    private var usualTargetDate: DateTime { DateTime(secondsSinceEpoch: now.secondsSinceEpoch + 90 * 86_400) }

    mutating func insert(_ goals: [Goal], of user: UserID, at path: String) throws(PlantError) {
        let form = backend.configuration.mode.form(of: .showGoal)
        for (index, goal) in Self.oldestFirst(goals, by: \.createdAt) {
            try checkStorage("\(path).goals[\(index)]")
            let record = GoalRecord(goal, owner: user, form: form)
            backend.goalPositions[goal.id] = backend.goals.count
            backend.users[user].goals.append(backend.goals.count)
            backend.goals.append(record)
            backend.storedBytes += record.encoded.byteCount
        }
    }
}
