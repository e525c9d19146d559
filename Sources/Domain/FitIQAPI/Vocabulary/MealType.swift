/// Which meal of the day a log belongs to (meal-log-websocket, MealType).
public enum MealType: String, CaseIterable, Sendable, Hashable {
    case breakfast
    case lunch
    case dinner
    case snack
}
