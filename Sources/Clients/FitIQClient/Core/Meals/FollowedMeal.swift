import FitIQAPI

/// A meal that the user logged, and how it is followed.
struct FollowedMeal: Sendable {
    /// Its number among the client's meals.
    let number: Int
    /// When the user logged it.
    let loggedAt: Timestamp
    /// What the user sees.
    var meal: ClientState.Meal
    var stage = Stage.creating

    /// How far the client is with it.
    enum Stage: Sendable, Hashable {
        /// The request is on its way.
        case creating
        /// The request got no usable answer; the list is looked at from that time on.
        case searching(Timestamp)
        case following(Following)
        /// Nothing more will come of it, or be waited for.
        case settled
    }

    /// The wait for what a meal comes to.
    struct Following: Sendable, Hashable {
        /// When it is looked at next; nil while its event is waited for.
        var nextLook: Timestamp?
        /// When it is given up.
        var end: Timestamp
        var pollCount = 0
        var failureCount = 0
        var lastLook: Timestamp?
        /// Whether the next look is no poll, so that an open socket does not forbid it.
        var isFree = false
    }

    /// Whether anything is waited for.
    var isBusy: Bool { stage != .settled }

    /// Takes what is known of the log.
    mutating func take(_ news: MealNews) {
        meal.id = news.id
        meal.status = news.status
        meal.calories = news.calories ?? meal.calories
        if news.status == .failed { meal.error = news.error ?? ClientMessages.mealFailed }
        if news.isFinal { stage = .settled }
    }

    /// When something is due by itself.
    var nextDeadline: Timestamp? {
        switch stage {
        case .creating, .settled: nil
        case .searching(let time): time
        case .following(let following): earlier(following.nextLook, following.end)
        }
    }
}
