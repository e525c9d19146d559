import FitIQAPI

/// Ids of the document, and ids that are issued.
extension Planter {
    /// Makes sure that no id occurs twice, and that none will be issued that the document has.
    mutating func passOverIssuedIDs(of data: WorldData) throws(PlantError) {
        if let count = data.issuedIDs {
            guard count >= 0 else { throw .issuedIDs("issued_ids", count, maximum: .max) }
            turn.identifiers.skip(toCount: count)
        }
        var ids = ExplicitIDs(backend)
        for (index, user) in data.users.enumerated() {
            try ids.take(user, at: "users[\(index)]", &turn.identifiers)
        }
    }
}

/// The ids that a world has, and those that a document gives.
private struct ExplicitIDs {
    private var taken: Set<ResourceID>

    init(_ backend: Backend) {
        taken = Set(backend.goalPositions.keys)
        taken.formUnion(backend.positions.keys)
        taken.formUnion(backend.mealLogPositions.keys)
        for record in backend.consultations { taken.formUnion(record.history.messages.lazy.map(\.id)) }
        for record in backend.mealLogs { taken.formUnion(record.log.items.lazy.map(\.id)) }
    }

    mutating func take(
        _ user: UserData, at path: String, _ identifiers: inout ResourceIDSequence
    ) throws(PlantError) {
        for (index, goal) in user.goals.enumerated() {
            try take(goal.id, "\(path).goals[\(index)]", &identifiers)
        }
        for (index, consultation) in user.consultations.enumerated() {
            try take(consultation.id, "\(path).consultations[\(index)]", &identifiers)
            for (message, data) in consultation.messages.enumerated() {
                try take(data.id, "\(path).consultations[\(index)].messages[\(message)]", &identifiers)
            }
        }
        for (index, log) in user.mealLogs.enumerated() {
            try take(log.id, "\(path).meal_logs[\(index)]", &identifiers)
            guard case .completed(let items) = log.progress else { continue }
            for (item, data) in items.enumerated() {
                try take(data.id, "\(path).meal_logs[\(index)].items[\(item)]", &identifiers)
            }
        }
    }

    private mutating func take(
        _ id: ResourceID?, _ path: @autoclosure () -> String, _ identifiers: inout ResourceIDSequence
    ) throws(PlantError) {
        guard let id else { return }
        guard taken.insert(id).inserted else { throw .duplicateID(path() + ".id", id) }
        identifiers.skip(past: id)
    }
}
