import FitIQAPI

/// A goal and its JSON.
struct GoalRecord: Sendable {
    let owner: UserID
    let goal: Goal
    /// The goal in the form of the mode, encoded when it changes and not when it is read.
    let encoded: EncodedGoal

    init(_ goal: Goal, owner: UserID, form: GuideMode) {
        self.goal = goal
        self.owner = owner
        encoded = goal.encoded(in: form)
    }
}
