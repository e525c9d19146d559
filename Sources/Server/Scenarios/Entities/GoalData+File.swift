import FitIQAPI
import FitIQBackend
import JSON

extension GoalData: Coded {
    mutating func code(_ coder: inout MemberCoder) {
        coder.member("id", &id, .id())
        coder.member("name", &name, .exactText(1...100))
        coder.required("title", &title, .text(GoalLengths.title), Messages.text(of: GoalLengths.title))
        coder.member("description", &description, .text(GoalLengths.description))
        coder.member("category", &category, .text(GoalLengths.category))
        coder.member("target_date", &targetDate, .dateTime())
        coder.member("status", &status, .choice())
        coder.member("progress", &progress, .double(0...1))
        coder.member("start_date", &measure.startDate, .date())
        coder.member("goal_type", &measure.type, .text(GoalLengths.category))
        coder.member("target_value", &measure.target, .double(GoalMeasure.targets))
        coder.member("target_unit", &measure.unit, .text(GoalLengths.unit))
        coder.member("current_value", &measure.current, .double(GoalMeasure.values))
        coder.member("created_at", &createdAt, .time())
        coder.member("updated_at", &updatedAt, .time())
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
