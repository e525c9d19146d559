import JSON

/// A goal that a coach suggests to the apps.
public struct GoalSuggestion: Equatable, Sendable {
    public var title: String
    public var description: String
    public var goalType: String
    public var targetValue: Double?
    public var targetUnit: String?
    public var rationale: String
    /// The estimated time to reach it, in days.
    public var days: Int?
    /// 1 to 5.
    public var difficulty: Int

    public init(
        title: String, description: String, goalType: String, targetValue: Double?, targetUnit: String?,
        rationale: String, days: Int?, difficulty: Int
    ) {
        (self.title, self.description, self.goalType) = (title, description, goalType)
        (self.targetValue, self.targetUnit, self.rationale) = (targetValue, targetUnit, rationale)
        (self.days, self.difficulty) = (days, difficulty)
    }

    /// The body with suggestions: `data: {suggestions, count}`, with the consultation they are for, if any.
    public static func body(_ suggestions: [Self], for consultation: Consultation? = nil) -> [UInt8] {
        ListAnswers.body(reserving: 512 * suggestions.count + 256) { writer in
            writer.array("suggestions") { array in for suggestion in suggestions { suggestion.write(into: &array) } }
            writer.member("count", suggestions.count)
            writer.member("persona", ifPresent: consultation?.persona.rawValue)
            writer.member("consultation_id", ifPresent: consultation?.id.description)
        }
    }

    private func write(into writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("title", title)
            writer.member("description", description)
            writer.member("goal_type", goalType)
            writer.member("target_value", ifPresent: targetValue)
            writer.member("target_unit", ifPresent: targetUnit)
            writer.member("rationale", rationale)
            writer.member("estimated_duration", ifPresent: days)
            writer.member("difficulty", difficulty)
        }
    }
}
