import FitIQAPI

/// Something that is due: an answer goes on, or the processing of a meal log ends.
struct ScheduledStep: Comparable, Sendable {
    enum Work: Equatable, Sendable {
        /// The next step of this answer; where it has ended already, the entry is passed over.
        case answer(ResourceID)
        /// A meal log is done.
        case mealLog

        fileprivate var rank: Int { self == .mealLog ? 1 : 0 }
    }

    let time: Timestamp
    /// Of the consultation, or of the meal log, in the backend's list.
    let position: Int
    let work: Work

    /// By time; what is due at the same time: answers before meal logs, each in the order in which they were made.
    static func < (left: ScheduledStep, right: ScheduledStep) -> Bool {
        (left.time, left.work.rank, left.position) < (right.time, right.work.rank, right.position)
    }
}
