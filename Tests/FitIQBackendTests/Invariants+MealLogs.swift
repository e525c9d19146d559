import FitIQAPI

@testable import FitIQBackend

/// The invariants of meal logs, and of the sockets that get their events.
extension Invariants {
    /// Inactive consultations have no sockets, because events visit only active consultations.
    static func violationsOfSockets(of owner: User, _ backend: Backend) -> [String] {
        owner.consultations.map { backend.consultations[$0] }
            .filter { !$0.consultation.isActive && !$0.sockets.isEmpty }
            .map { "\($0.consultation.id) is \($0.consultation.status) and has sockets" }
    }

    static func violationsOfMealLogs(of owner: User, _ world: World) -> [String] {
        let logs = owner.mealLogs.map { world.backend.mealLogs[$0].log }
        var violations: [String] = []
        if zip(owner.mealLogs.indices, owner.mealLogs.indices.dropFirst()).contains(where: { earlier, later in
            (logs[earlier].loggedAt.secondsSinceEpoch, owner.mealLogs[earlier])
                >= (logs[later].loggedAt.secondsSinceEpoch, owner.mealLogs[later])
        }) || !owner.mealLogs.isConsistent({ world.backend.mealLogs[$0].log.kind }) {
            violations.append("the meal logs of \(owner.id) are out of order")
        }
        for log in logs {
            let rule = world.backend.script.meal(log.rawInput, mealType: log.mealType)
            let due = MealProcessing.duration(by: rule, at: world.backend.configuration.pace, seed: log.seed)
            let isDue = log.startedAt.advanced(byNanoseconds: due) <= world.turn.now && rule?.outcome != .never
            if isDue == (log.status == .processing) { violations.append("\(log.id) is \(log.status)") }
            if log.updatedAt > world.turn.now { violations.append("\(log.id): updated_at lies in the future") }
        }
        return violations
    }

    /// The violations among all meal logs, including slow checks.
    static func deepViolationsOfMealLogs(in world: World) -> [String] {
        let backend = world.backend
        var violations: [String] = []
        for (position, record) in zip(backend.mealLogs.positions, backend.mealLogs) {
            func expect(_ condition: Bool, _ what: String) {
                if !condition { violations.append("\(record.log.id): \(what)") }
            }
            expect(backend.mealLogs.position(of: record.id) == position, "found elsewhere")
            expect(backend.users[record.owner].mealLogs.count { $0 == position } == 1, "not listed once")
            expect(record.listItem == record.log.object(in: .union, isForApps: true), "the list shows something old")
            expect(record.body == record.log.body(of: record.listItem, in: .union), "get shows something old")
        }
        return violations
    }
}
