extension WebSocketArchitectureGuide {
    /// The answer to POST /consultations, with only the members that the guide describes.
    package static let created = Shape.members(["consultation_id": .id])

    /// The frame `meal_log.completed`, as printed: amounts as text, calories with a fraction.
    package static func completed() throws -> Shape {
        try Shape.frame("websocket-architecture", "meal_log.completed")
            .with(.id, at: "data.id", "data.items[].id", "data.items[].meal_log_id")
            .with(.mealType, at: "data.meal_type").with(.oneOf(["completed"]), at: "data.status")
            .with(.decimal, at: "data.total_calories", "data.items[].calories")
            .optional("data.items[].notes")
    }

    /// The frame `meal_log.failed`, as printed.
    package static func failed() throws -> Shape {
        try Shape.frame("websocket-architecture", "meal_log.failed").with(.id, at: "data.meal_log_id")
    }
}
