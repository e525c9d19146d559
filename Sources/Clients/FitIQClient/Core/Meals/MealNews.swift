import FitIQAPI
import JSON

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
