extension MealLogWebSocketGuide {
    /// The log in answers to create and get requests, with the members that are known at each status.
    package static let response = Shape.members([
        "id": .id, "user_id": .string, "raw_input?": .string, "meal_type": .mealType,
        "status": .oneOf(["processing", "completed", "failed", "manual"]), "total_calories?": .integer,
        "total_protein_g?": .number, "total_carbs_g?": .number, "total_fat_g?": .number, "logged_at": .timestamp,
        "created_at": .timestamp, "updated_at": .timestamp,
    ])

    /// A completed log in the notification.
    package static let completed = Shape.members([
        "id": .id, "user_id": .string, "raw_input?": .string, "meal_type": .mealType, "status": .oneOf(["completed"]),
        "total_calories?": .integer, "total_protein_g?": .number, "total_carbs_g?": .number, "total_fat_g?": .number,
        "total_fiber_g?": .number, "total_sugar_g?": .number, "logged_at": .timestamp,
        "processing_started_at?": .timestamp, "processing_completed_at?": .timestamp, "created_at": .timestamp,
        "updated_at": .timestamp, "items": .array(item),
    ])

    static let item = Shape.members([
        "id": .id, "meal_log_id": .id, "food_id?": .id, "user_food_id?": .id, "food_name": .string,
        "quantity": .number, "unit": .string, "calories": .integer, "protein_g": .number, "carbs_g": .number,
        "fat_g": .number, "fiber_g?": .number, "sugar_g?": .number, "confidence_score?": .number,
        "parsing_notes?": .string, "order_index": .integer, "created_at": .timestamp,
    ])

    /// A failed log in the notification.
    package static let failed = Shape.members([
        "id": .id, "user_id": .string, "raw_input?": .string, "meal_type": .mealType, "status": .oneOf(["failed"]),
        "error_message?": .string, "logged_at": .timestamp, "created_at": .timestamp, "updated_at": .timestamp,
    ])

    package static func answer(_ data: Shape) -> Shape { .members(["data": data]) }

    /// The body of an error from an endpoint that the guide documents.
    package static let failure = Shape.members(["error": .members(["message": .string, "code?": .string])])

    package static func frame(_ type: WebSocketMessage.MessageType) -> Shape {
        let name = Shape.oneOf([type.rawValue])
        return switch type {
        case .connected, .pong: .members(["type": name, "timestamp": .timestamp])
        case .error: .members(["type": name, "error": .string, "timestamp": .timestamp])
        case .mealLogCompleted: .members(["type": name, "data": completed, "timestamp": .timestamp])
        case .mealLogFailed: .members(["type": name, "data": failed, "timestamp": .timestamp])
        }
    }
}
