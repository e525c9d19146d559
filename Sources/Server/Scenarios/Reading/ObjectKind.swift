/// The mappings of a scenario file and their keys: what the reader takes, and what scenario.schema.json describes.
enum ObjectKind: String, CaseIterable {
    case scenario, clock, user, goal, consultation, message
    case mealLog = "meal_log"
    case item, food
    case template
    case answer
    case answerCondition = "answer_condition"
    case timing, jitter, chunk, step
    case meal
    case mealCondition = "meal_condition"
    case replay
    case fault, selection, quota, dribble, truncate, reset, close, cut, point

    /// Its keys, in the order in which messages list them.
    var keys: [String] {
        switch self {
        case .scenario:
            [
                "name", "summary", "guide", "seed", "clock", "token_lifetime", "users", "pauses", "answers", "meals",
                "faults", "issued_ids", "replay",
            ]
        case .clock: ["manual"]
        case .user: ["id", "goals", "consultations", "fill_active_consultations", "meal_logs"]
        case .goal:
            [
                "name", "id", "title", "description", "category", "target_date", "status", "progress", "created_at",
                "updated_at",
            ]
        case .consultation:
            [
                "id", "persona", "context", "context_id", "goal", "linked_goal", "unlinked", "is_goals_conversation",
                "title",
                "status", "made_up_messages", "messages", "created_at", "updated_at",
            ]
        case .message:
            [
                "user", "assistant", "system", "id", "tokens_used", "function_called", "template_created",
                "created_at",
            ]
        case .mealLog:
            [
                "id", "text", "meal_type", "status", "items", "error", "details", "logged_at", "created_at",
                "finished_at",
            ]
        case .item: ["id", "food_id", "amount"] + ObjectKind.food.keys
        case .food:
            [
                "name", "quantity", "unit", "calories", "protein", "carbs", "fat", "fiber", "sugar", "confidence",
                "notes",
            ]
        case .template: ["type", "id", "name"]
        case .answer:
            [
                "when", "text", "chunks", "steps", "error", "code", "silence", "timing", "tokens_used",
                "function_called", "template_created",
            ]
        case .answerCondition: ["persona", "context", "content", "turn"]
        case .timing: ["first_chunk", "chunks_per_second", "tokens_per_second", "jitter"]
        case .jitter: ["uniform", "log_normal"]
        case .chunk: ["text", "after"]
        case .step: ["text", "chunk", "after", "burst", "pause", "template_created", "error", "code"]
        case .meal: ["when", "after", "items", "fail", "details", "never"]
        case .mealCondition: ["text", "meal_type"]
        case .replay: ["session", "match", "speed", "frames"]
        case .fault:
            ["name", "enabled", "on", "requests", "connections", "at"] + FaultAction.allCases.map(\.rawValue)
                + ["body", "code", "message", "retry_after", "processed"]
        case .selection: ["from", "to", "every", "per_mille"]
        case .quota: ["requests", "per"]
        case .dribble: ["bytes", "every"]
        case .truncate, .reset: ["after"]
        case .close: ["code", "reason"]
        case .cut: ["after", "reset"]
        case .point: ["frame", "type", "n", "chunk", "answer", "byte"]
        }
    }

    /// What it is, for messages: "a goal".
    var description: String {
        switch self {
        case .scenario: "a scenario"
        case .clock: "a clock"
        case .user: "a user"
        case .goal: "a goal"
        case .consultation: "a consultation"
        case .message: "a message"
        case .mealLog: "a meal log"
        case .item, .food: "a food"
        case .template: "a template"
        case .answer: "an answer"
        case .answerCondition, .mealCondition: "a condition"
        case .timing: "a timing"
        case .jitter: "a jitter"
        case .chunk: "a chunk"
        case .step: "a step"
        case .meal: "a meal"
        case .replay: "a replay"
        case .fault: "a fault"
        case .selection: "a selection"
        case .quota: "a quota"
        case .dribble: "a dribble"
        case .truncate: "a truncation"
        case .reset: "a reset"
        case .close: "a close"
        case .cut: "a cut"
        case .point: "a point of a connection"
        }
    }
}
