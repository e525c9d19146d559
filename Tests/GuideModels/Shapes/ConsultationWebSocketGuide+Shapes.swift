/// The shapes of the guides' answers contain the members that the models list, in the models' order. A member that is
/// optional in a model is optional in the shape; if the server promises more than the guide, a test uses `requiring`.
extension Shape {
    static let persona = Shape.oneOf(["nutritionist", "fitness_coach", "wellness_specialist", "general_wellness"])
    static let consultationStatus = Shape.oneOf(["active", "completed", "archived"])
    static let contextType = Shape.oneOf(["general", "goal", "insight", "mood", "journal"])
    static let role = Shape.oneOf(["user", "assistant", "system"])
    static let goalStatus = Shape.oneOf(["not_started", "in_progress", "completed", "archived"])
    static let mealType = Shape.oneOf(["breakfast", "lunch", "dinner", "snack"])

    /// The error body in every mode except meal-log-websocket.
    package static let failure = Shape.members([
        "success": .bool, "error": .members(["code": .string, "message": .string, "details?": .any]),
    ])

    /// A frame that a guide prints: its members and their types, and the exact value of its `type`.
    static func frame(_ guide: String, _ type: String) throws -> Shape {
        try Shape(GuideFixture(guide, type)).with(.oneOf([type]), at: "type")
    }
}

extension ConsultationWebSocketGuide {
    package static let consultation = Shape.members([
        "id": .id, "user_id": .string, "persona": .persona, "status": .consultationStatus, "started_at": .timestamp,
        "message_count": .integer, "created_at": .timestamp, "updated_at": .timestamp, "goal_id?": .id,
    ])

    /// The answer to POST /consultations.
    package static let created = Shape.enveloped(.members(["consultation": consultation]))
    /// The answer to GET /consultations/{id}.
    package static let shown = Shape.enveloped(consultation)
    /// The answer to GET /consultations/{id}/messages.
    package static let messages = Shape.enveloped(
        .members([
            "messages": .array(
                .members([
                    "id": .id, "consultation_id": .id, "role": .role, "content": .string, "created_at": .timestamp,
                ]))
        ]))
    /// The 409 from POST /consultations.
    package static let conflict = Shape.members([
        "success": .bool,
        "error": .members([
            "code": .oneOf(["CONSULTATION_EXISTS"]), "message": .string,
            "details": .members([
                "existing_consultation_id": .id, "persona": .persona, "status": .consultationStatus,
                "can_continue": .bool, "goal_id?": .id,
            ]),
        ]),
    ])

    package static let frameTypes = [
        "connected", "message_received", "stream_chunk", "stream_complete", "error", "pong",
    ]

    package static func frame(_ type: String) throws -> Shape {
        let shape = try Shape.frame("consultation-websocket", type)
        return type == "pong" ? shape : shape.with(.id, at: "consultation_id")
    }
}
