/// Where a goal is in its life (goal-linking, GoalStatus).
public enum GoalStatus: String, CaseIterable, Sendable, Hashable {
    /// What every goal begins as.
    case notStarted = "not_started"
    /// Being worked on.
    case inProgress = "in_progress"
    /// Reached.
    case completed
    /// Put away.
    case archived
}
