import FitIQAPI
import JSON

struct Fields {
    let cursor: Cursor
    private let kind: ObjectKind
    private let keys: [String]
    private var values: [ExactString: Cursor] = [:]
    private var keyPositions: [ExactString: Position] = [:]

    /// Reads a mapping; reports unknown and repeated keys.
    init?(_ cursor: Cursor, as kind: ObjectKind) {
        guard case .mapping(let members) = cursor.node.content else {
            cursor.refuse(expected: Messages.mapping(kind))
            return nil
        }
        self.cursor = cursor
        self.kind = kind
        keys = kind.keys
        for member in members {
            let path = Path.key(member.key, of: cursor.path)
            let position = member.keyPosition ?? member.value.position
            if !keys.contains(member.key) {
                cursor.diagnosis.note(Messages.unknownKey(member.key, in: kind), path: path, position: position)
            } else if values[ExactString(member.key)] != nil {
                cursor.diagnosis.note(Messages.repeatedKey, path: path, position: position)
            } else {
                values[ExactString(member.key)] = Cursor(node: member.value, path: path, diagnosis: cursor.diagnosis)
                keyPositions[ExactString(member.key)] = position
            }
        }
    }

    /// The value of a key; nil if it is omitted or null.
    subscript(key: String) -> Cursor? {
        guard let value = including(key), value.node.content != .null else { return nil }
        return value
    }

    /// The value of a key, even if it is null; nil if the key is omitted.
    func including(_ key: String) -> Cursor? {
        assert(keys.contains(key), "the vocabulary of \(kind) lacks \(key)")
        return values[ExactString(key)]
    }

    /// The readable elements of a list; empty if it is omitted or null.
    func list<Element>(_ key: String, limit: Int, of what: String, _ read: (Cursor) -> Element?) -> [Element] {
        self[key]?.elements(limit: limit, of: what)?.compactMap(read) ?? []
    }

    func required(_ key: String, _ expected: String) -> Cursor? {
        if let value = self[key] { return value }
        cursor.diagnosis.note(
            Messages.missing(expected), path: .key(key, of: cursor.path), position: cursor.node.position)
        return nil
    }

    func refuse(_ key: String, _ predicate: @autoclosure () -> String) {
        cursor.diagnosis.note(predicate(), path: .key(key, of: cursor.path), position: keyPositions[ExactString(key)])
    }

    func present(of keys: [String]) -> [String] { keys.filter { self[$0] != nil } }

    /// The present key among several; reports a missing key if one is required, and a second key.
    func one(of keys: [String], isRequired: Bool) -> String? {
        let present = present(of: keys)
        guard let first = present.first else {
            if isRequired { cursor.refuse(Messages.noneOf(keys)) }
            return nil
        }
        for other in present.dropFirst() { refuse(other, Messages.contradicts(first)) }
        return first
    }

    func refuse(_ keys: [String], unless condition: Bool, _ predicate: String) {
        guard !condition else { return }
        for key in present(of: keys) { refuse(key, predicate) }
    }
}

/// The mappings of a scenario file and their keys: accepted by the reader and described by scenario.schema.json.
enum ObjectKind: String, CaseIterable {
    case scenario, clock, token, accounts, consultations, user, profile, preferences, goal, consultation, message
    case mealLog = "meal_log"
    case item, food, documents, share
    case refreshToken = "refresh_token"
    case template
    case answer
    case answerCondition = "answer_condition"
    case timing, jitter, chunk, step
    case meal
    case mealCondition = "meal_condition"
    case replay
    case fault, selection, quota, dribble, truncate, reset, close, cut, end, hold, point
    case network, outages, stub, upstream, exception, overlay, change

    var keys: [String] {
        switch self {
        case .scenario:
            [
                "name", "summary", "guide", "seed", "clock", "token_lifetime", "accounts", "consultations", "ids",
                "tokens", "on_rewind", "compression", "pings", "users", "pauses", "answers", "meals", "faults", "stubs",
                "network", "upstream", "overlay", "issued_ids", "replay",
            ]
        case .stub: ["method", "path", "status", "body", "headers", "override"]
        case .overlay: ["overlay"]
        case .change:
            [
                "on", "status", "type", "member", "value", "instead_of", "rename", "remove", "becomes", "content_type",
            ]
        case .clock: ["manual"]
        case .token: ["token", "user"]
        case .accounts: ["access_token", "refresh_token", "password_cost"]
        case .consultations: ["per_topic"]
        case .user:
            [
                "id", "email", "password", "password_hash", "refresh_tokens", "profile", "preferences", "goals",
                "consultations", "fill_active_consultations", "meal_logs", "photos", "documents",
            ]
        case .profile:
            [
                "id", "name", "bio", "preferred_unit_system", "language_code", "date_of_birth", "biological_sex",
                "height_cm", "gender", "weight", "activity_level", "provisional", "created_at", "updated_at",
            ]
        case .preferences:
            ["id", "allergies", "dietary_restrictions", "food_dislikes", "created_at", "updated_at"]
        case .refreshToken: ["id", "expires_at"]
        case .goal:
            [
                "name", "id", "title", "description", "category", "target_date", "status", "progress", "start_date",
                "goal_type", "target_value", "target_unit", "current_value", "created_at", "updated_at",
            ]
        case .consultation:
            [
                "id", "persona", "context", "context_id", "goal", "linked_goal", "unlinked", "is_goals_conversation",
                "title", "quick_action", "status", "made_up_messages", "messages", "awaits_answer", "created_at",
                "updated_at", "completed_at",
            ]
        case .message:
            [
                "user", "assistant", "system", "id", "tokens_used", "function_called", "template_created", "persona",
                "processing_time_ms", "created_at",
            ]
        case .mealLog:
            [
                "id", "text", "meal_type", "status", "items", "error", "details", "code", "suggestions", "notes",
                "meal_log_id", "logged_at", "created_at", "started_at", "finished_at", "updated_at",
            ]
        case .item: ["id", "food_id", "amount"] + ObjectKind.food.keys
        case .food:
            [
                "name", "quantity", "unit", "calories", "protein", "carbs", "fat", "fiber", "sugar", "confidence",
                "notes", "food_type",
            ]
        case .share: ["user_id", "id", "professional_type", "notes", "created_at"]
        case .documents: DocumentCollection.allCases.map(\.rawValue)
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
        case .meal: ["when", "after", "items", "fail", "details", "code", "suggestions", "never"]
        case .mealCondition: ["text", "meal_type", "photo"]
        case .replay: ["session", "match", "speed", "frames"]
        case .fault:
            ["name", "enabled", "on", "requests", "connections", "at"] + FaultAction.allCases.map(\.rawValue) + [
                "body", "code", "message", "retry_after", "processed",
            ]
        case .selection: ["from", "to", "every", "per_mille"]
        case .quota: ["requests", "per"]
        case .dribble: ["bytes", "every"]
        case .truncate, .reset: ["after"]
        case .close: ["code", "reason"]
        case .cut: ["after", "reset"]
        case .end: ["how", "after"]
        case .hold: ["what", "text", "for"]
        case .point: ["frame", "type", "n", "chunk", "answer", "byte"]
        case .network: ["rtt", "down", "up", "jitter", "loss_per_mille", "outages", "failing_connections"]
        case .upstream: ["url", "answers", "except"]
        case .exception: ["on", "answers"]
        case .outages: ["every", "for", "reset_per_mille"]
        }
    }

    /// The kind in messages: "a goal".
    var description: String {
        switch self {
        case .mealLog: "a meal log"
        case .refreshToken: "a refresh token"
        case .accounts: "rules for accounts"
        case .consultations: "rules for consultations"
        case .preferences: "preferences"
        case .item: "a food"
        case .documents: "a user's documents"
        case .share: "a share of a workout template"
        case .answer: "an answer"
        case .upstream: "an upstream"
        case .exception: "an exception"
        case .answerCondition, .mealCondition: "a condition"
        case .truncate: "a truncation"
        case .end: "an end"
        case .outages: "outages"
        case .overlay: "an overlay"
        case .point: "a point of a connection"
        default: "a \(rawValue)"
        }
    }
}
