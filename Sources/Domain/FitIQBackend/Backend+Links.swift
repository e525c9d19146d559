import FitIQAPI

/// The link between a goal and its conversation, the only place where either end is set.
///
/// Always: the consultation that a goal names is active, of the same user, and names that goal. The other way round it need
/// not be so: a consultation keeps the goal that it was about when it is archived, or when the goal has another conversation.
extension Backend {
    /// The consultation that a goal names.
    func conversation(ofGoal goal: Int) -> Int? {
        goals[goal].goal.conversationID.flatMap { positions[$0] }
    }

    /// The goal that names a consultation.
    func goal(conversingIn consultation: Int) -> Int? {
        let consultation = consultations[consultation].consultation
        guard let goal = consultation.goalID.flatMap({ goalPositions[$0] }) else { return nil }
        return goals[goal].goal.conversationID == consultation.id ? goal : nil
    }

    /// Links both ways, and unlinks both former partners.
    mutating func link(goal: Int, with consultation: Int, at now: Timestamp) {
        precondition(consultations[consultation].consultation.isActive, "Only an active consultation is linked.")
        precondition(consultations[consultation].owner == goals[goal].owner, "A link stays within one user.")
        if let former = conversation(ofGoal: goal), former != consultation { setGoal(of: former, to: nil, at: now) }
        if let former = self.goal(conversingIn: consultation), former != goal {
            update(goal: former, at: now) { $0.conversationID = nil }
        }
        setGoal(of: consultation, to: goals[goal].goal.id, at: now)
        let id = consultations[consultation].consultation.id
        update(goal: goal, at: now) { $0.conversationID = id }
    }

    /// Unlinks a goal and its conversation from each other.
    mutating func unlinkBothEnds(ofGoal goal: Int, at now: Timestamp) {
        guard let consultation = conversation(ofGoal: goal) else { return }
        setGoal(of: consultation, to: nil, at: now)
        update(goal: goal, at: now) { $0.conversationID = nil }
    }

    /// Takes a consultation that is no longer active from its goal; it keeps the goal as history.
    mutating func releaseGoal(of consultation: Int, at now: Timestamp) {
        guard let goal = goal(conversingIn: consultation) else { return }
        update(goal: goal, at: now) { $0.conversationID = nil }
    }

    private mutating func setGoal(of consultation: Int, to goal: ResourceID?, at now: Timestamp) {
        guard consultations[consultation].consultation.goalID != goal else { return }
        update(consultation, at: now) { $0.consultation.goalID = goal }
    }
}
