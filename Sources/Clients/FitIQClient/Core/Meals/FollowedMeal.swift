import FitIQAPI
import JSON

/// A meal that the user logged, and how it is followed.
struct FollowedMeal: Sendable {
    /// Its number among the client's meals.
    let number: Int
    let loggedAt: Timestamp
    var meal: ClientState.Meal
    var stage = Stage.creating

    enum Stage: Sendable, Hashable {
        case creating
        /// The request got no usable answer; the list is searched from that time on.
        case searching(Timestamp)
        case following(Following)
        /// Nothing more will arrive or be waited for.
        case settled
    }

    /// The wait for the result of a meal.
    struct Following: Sendable, Hashable {
        /// When it is next loaded; nil while its event is awaited.
        var nextLook: Timestamp?
        /// When it is given up.
        var end: Timestamp
        var pollCount = 0
        var failureCount = 0
        var lastLook: Timestamp?
        /// Whether the next load does not count as a poll, so an open socket does not forbid it.
        var isFree = false
    }

    var isBusy: Bool { stage != .settled }

    mutating func take(_ news: MealNews) {
        meal.id = news.id
        meal.status = news.status
        meal.calories = news.calories ?? meal.calories
        if news.status == .failed { meal.error = news.error ?? ClientMessages.mealFailed }
        if news.isFinal { stage = .settled }
    }

    /// When a timer is due.
    var nextDeadline: Timestamp? {
        switch stage {
        case .creating, .settled: nil
        case .searching(let time): time
        case .following(let following): earlier(following.nextLook, following.end)
        }
    }
}

/// What an answer or an event says about a meal log.
struct MealNews: Sendable, Equatable {
    let id: String
    let status: MealLogStatus
    let text: String?
    let calories: Int?
    let error: String?

    /// Parses a log; the status is the event's if the data has none.
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

    var isFinal: Bool { status != .processing }
}
