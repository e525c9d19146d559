import FitIQAPI

@testable import FitIQBackend

extension Invariants {
    /// The violations among one user's goals and their conversations.
    static func violationsOfLinks(of user: UserID, _ world: World) -> [String] {
        let backend = world.backend
        var violations: [String] = []
        var named: Set<ResourceID> = []
        for position in backend.users[user].goals {
            let record = backend.goals[position]
            let goal = record.goal
            if record.owner != user { violations.append("\(goal.id) is listed for another user") }
            if goal.updatedAt < goal.createdAt || goal.updatedAt > world.turn.now {
                violations.append("\(goal.id): updated_at is off")
            }
            guard let id = goal.conversationID else { continue }
            if !named.insert(id).inserted { violations.append("two goals name \(id)") }
            guard let conversation = backend.consultations.position(of: id).map({ backend.consultations[$0] }) else {
                violations.append("\(goal.id) names \(id), which does not exist")
                continue
            }
            if conversation.owner != user { violations.append("\(goal.id) names another user's \(id)") }
            if !conversation.consultation.isActive { violations.append("\(goal.id) names \(id), which is not active") }
            if conversation.consultation.goalID != goal.id { violations.append("\(id) does not name \(goal.id)") }
        }
        return violations
    }

    /// The violations among all goals, including slow checks.
    static func deepViolationsOfGoals(of world: World) -> [String] {
        let backend = world.backend
        var violations: [String] = []
        let listed = backend.users.ids.flatMap { backend.users[$0].goals }
        if listed.sorted() != Array(backend.goals.positions) { violations.append("goals are not listed once each") }
        for (position, record) in zip(backend.goals.positions, backend.goals) {
            if backend.goals.position(of: record.id) != position {
                violations.append("\(record.goal.id) found elsewhere")
            }
            let mode = backend.configuration.mode
            if record.encoded != record.goal.encoded(in: mode.form(of: .showGoal), forApps: mode.servesApps) {
                violations.append("\(record.goal.id) shows something old")
            }
        }
        return violations
    }
}
