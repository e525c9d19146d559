extension GoalLinkingGuide {
    private static func printed(_ name: String) throws -> Shape { try Shape(GuideFixture("goal-linking", name)) }

    /// The answer to POST /goals and to GET and PATCH /goals/{id}.
    package static func goal() throws -> Shape {
        try printed("goal").nullable("category", "conversationId").with(.goalStatus, at: "status")
            .with(.id, at: "id").with(.nullable(.id), at: "conversationId")
    }

    /// The answer to GET /goals.
    package static func list() throws -> Shape { try .members(["goals": .array(goal()), "totalCount": .integer]) }

    /// The answer to POST /consultations/chat-about-goal.
    package static func chatAboutGoal() throws -> Shape {
        try printed("chat-about-goal").with(.id, at: "conversationId", "goalId").with(.persona, at: "persona.id")
    }

    /// The answer to GET /consultations/{id}.
    package static func conversation() throws -> Shape {
        try printed("conversation").nullable("lastMessageAt").with(.id, at: "id")
            .with(.nullable(.id), at: "goalId").with(.persona, at: "persona.id")
    }
}
