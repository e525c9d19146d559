import FitIQAPI

/// What a request is for; the book of requests holds each errand at most once.
enum Errand: Sendable, Hashable {
    case createConsultation(Persona)
    case chatAboutGoal(String)
    case history(consultation: String)
    case archive(consultation: String)
    case createGoal(GoalDraft)
    /// Whether a goal was made by a request that got no usable answer.
    case findGoal(GoalDraft)
    case listGoals
    case linkGoal(goal: String, consultation: String)
    case createMeal(Int)
    /// Whether a meal log was made by a request that got no usable answer.
    case findMeal(Int)
    case loadMeal(Int)

    /// Whether the request may be sent again although the first may have been done.
    ///
    /// Another consultation is answered with 409 and chat-about-goal with the one that exists; another goal or meal is made.
    var isRepeatable: Bool {
        switch self {
        case .createGoal, .createMeal: false
        default: true
        }
    }

    /// Whether the book repeats it by the schedule; the load of a meal has a cadence of its own.
    var isRetried: Bool {
        if case .loadMeal = self { false } else { true }
    }

    /// Whether it goes first after a pause that the backend asked for: a create must not earn another 429.
    var isUrgent: Bool {
        if case .createConsultation = self { true } else { false }
    }
}

/// A goal that is being made.
struct GoalDraft: Sendable, Hashable {
    /// Tells two of the same words apart.
    let number: Int
    let title: String
    let description: String
    let targetDate: String
    let begunAt: Timestamp
    /// The consultation in which the coach suggested it.
    let consultation: String?
}
