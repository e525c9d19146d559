import FitIQAPI
import JSON

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

/// What an answer or an event tells of a meal log.
struct MealNews: Sendable, Equatable {
    let id: String
    let status: MealLogStatus
    let text: String?
    let calories: Int?
    let error: String?

    /// Reads a log; the status is the event's where the data have none.
    init?(_ data: JSONValue?, status known: MealLogStatus? = nil) {
        guard let data, let id = Answer.id(data["id"] ?? data["meal_log_id"]),
            let status = known ?? data["status"]?.string.flatMap(MealLogStatus.init)
        else { return nil }
        self.id = id
        self.status = status
        text = data["raw_input"]?.string
        calories = data["total_calories"].flatMap { value in
            value.int ?? value.double.flatMap { Int(exactly: $0.rounded()) }
        }
        error = data["error_message"]?.string ?? data["error"]?.string
    }

    /// Whether nothing more will come of it.
    var isFinal: Bool { status != .processing }
}
