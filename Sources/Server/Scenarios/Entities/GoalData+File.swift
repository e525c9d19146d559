import FitIQAPI
import FitIQBackend
import JSON

extension GoalData {
    static func read(_ fields: Fields) -> GoalData {
        let title = fields.required("title", Messages.text(of: GoalLengths.title))?.text(GoalLengths.title)
        var goal = GoalData(title: title ?? "")
        goal.id = fields["id"]?.resourceID()
        goal.name = fields["name"]?.exactText(1...100)
        goal.description = fields["description"]?.text(GoalLengths.description) ?? goal.description
        goal.category = fields["category"]?.text(GoalLengths.category)
        goal.targetDate = fields["target_date"]?.dateTime()
        goal.status = fields["status"]?.choice(of: GoalState.self) ?? goal.status
        goal.progress = fields["progress"]?.double(0...1) ?? goal.progress
        goal.measure.startDate = fields["start_date"]?.date()
        goal.measure.type = fields["goal_type"]?.text(GoalLengths.category)
        goal.measure.target = fields["target_value"]?.double(GoalMeasure.targets)
        goal.measure.unit = fields["target_unit"]?.text(GoalLengths.unit)
        goal.measure.current = fields["current_value"]?.double(GoalMeasure.values)
        goal.createdAt = fields["created_at"]?.dataTime()
        goal.updatedAt = fields["updated_at"]?.dataTime()
        return goal
    }

    func write(into writer: inout JSONWriter) {
        writer.member("id", ifPresent: id)
        writer.member("name", ifPresent: name?.text)
        writer.member("title", title)
        writer.member("description", ifPresent: description)
        writer.member("category", ifPresent: category)
        writer.member("target_date", ifPresent: targetDate)
        writer.member("status", status.rawValue)
        writer.member("progress", progress)
        measure.write(into: &writer)
        writer.time("created_at", createdAt)
        writer.time("updated_at", updatedAt)
    }
}

struct GoalTable {
    private var indexOfName: [ExactString: Int] = [:]
    private var indexOfID: [ResourceID: Int] = [:]
    private var names: [String] = []
    private var count = 0

    /// Adds a goal; reports a name or an id that already exists.
    mutating func add(_ goal: GoalData, fields: Fields) {
        if let name = goal.name {
            if indexOfName.updateValue(count, forKey: name) == nil {
                names.append(name.text)
            } else {
                fields.refuse("name", Messages.notUnique("name"))
            }
        }
        if let id = goal.id, indexOfID.updateValue(count, forKey: id) != nil {
            fields.refuse("id", Messages.notUnique("id"))
        }
        count += 1
    }

    func index(of reference: GoalReference) -> Int? {
        switch reference {
        case .named(let name): indexOfName[name]
        case .id(let id): indexOfID[id]
        }
    }

    func reference(_ cursor: Cursor) -> GoalReference? {
        guard let text = cursor.text(1...100) else { return nil }
        let name = GoalReference.named(ExactString(text))
        // A free-form id looks like a name.
        let id = index(of: name) == nil ? ResourceID(text, as: cursor.diagnosis.ids).map(GoalReference.id) : nil
        let reference = id.flatMap { index(of: $0) == nil && ResourceID(text) == nil ? nil : $0 } ?? name
        guard index(of: reference) == nil else { return reference }
        if case .id = reference {
            cursor.refuse(Messages.unknownGoalID(text))
        } else {
            cursor.refuse(
                Messages.unknownGoal(text, known: Array(names.prefix(20)), nearest: Messages.nearest(text, names)))
        }
        return nil
    }
}

extension GoalReference {
    var text: String {
        switch self {
        case .named(let name): name.text
        case .id(let id): id.description
        }
    }
}
