import JSON

/// Response bodies of the list endpoints.
public enum ListAnswers {
    /// `GET /api/v1/consultations`: `data: {consultations, pagination}`.
    public static func consultations(_ items: [[UInt8]], page: Page, total: Int) -> [UInt8] {
        body(reserving: items.reduce(256) { $0 + $1.count + 1 }) { writer in
            writer.key("consultations")
            writer.beginArray()
            for item in items { writer.raw(item) }
            writer.endArray()
            writer.pagination(page, total: total)
        }
    }

    /// `GET /api/v1/consultations/{id}/messages`: `data: {messages, pagination}`, oldest first.
    ///
    /// consultation-websocket has no paging, so its form omits `pagination`.
    ///
    /// - Parameter encodedMessages: The messages as JSON, separated by commas.
    public static func messages(
        _ encodedMessages: ArraySlice<UInt8>, page: Page, total: Int, in form: GuideMode
    ) -> [UInt8] {
        body(reserving: encodedMessages.count + 256) { writer in
            writer.key("messages")
            writer.beginArray()
            if !encodedMessages.isEmpty { writer.raw(encodedMessages) }
            writer.endArray()
            if form != .consultationWebSocket { writer.pagination(page, total: total) }
        }
    }

    /// `GET /api/v1/consultations/quick-actions`: `data: {quick_actions, count}`.
    public static func quickActions(_ actions: [QuickAction]) -> [UInt8] {
        body(reserving: 256 * actions.count) { writer in
            writer.key("quick_actions")
            writer.beginArray()
            for action in actions { action.write(into: &writer) }
            writer.endArray()
            writer.member("count", actions.count)
        }
    }

    private static func body(reserving capacity: Int, _ writeMembers: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter(reserving: capacity)
        writer.beginObject()
        writer.member("success", true)
        writer.key("data")
        writer.beginObject()
        writeMembers(&writer)
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func pagination(_ page: Page, total: Int) {
        let pages = page.count(of: total)
        key("pagination")
        beginObject()
        member("page", page.number)
        member("page_size", page.size)
        member("total_pages", pages)
        member("total_count", total)
        member("has_next", page.number < pages)
        member("has_prev", page.number > 1)
        endObject()
    }
}

extension ListAnswers {
    /// `GET /api/v1/goals`: `{goals, totalCount}`; the union adds `success` and `data` with the same in snake_case.
    ///
    /// - Parameter form: `.goalLinking` or `.union`, the form in which the goals were encoded.
    public static func goals(_ goals: [EncodedGoal], in form: GuideMode) -> [UInt8] {
        var writer = JSONWriter(reserving: goals.reduce(128) { $0 + $1.camelCase.count + $1.snakeCase.count + 2 })
        writer.object { writer in
            if form.hasEnvelopeOfGoals {
                writer.member("success", true)
                writer.object("data") { data in
                    data.array("goals") { array in for goal in goals { array.raw(goal.snakeCase) } }
                    data.member("total_count", goals.count)
                }
            }
            writer.array("goals") { array in for goal in goals { array.raw(goal.camelCase) } }
            writer.member("totalCount", goals.count)
        }
        return writer.bytes
    }
}

/// A prompt that starts a conversation with one tap (enhanced-consultations, QuickAction).
public struct QuickAction: Hashable, Sendable {
    /// The text to put into the message field.
    public var prompt: String
    /// A line below the prompt.
    public var description: String?
    public var contextType: ContextType
    /// The matching coach; nil matches all.
    public var persona: Persona?
    /// A word to group by.
    public var category: String?

    public init(
        prompt: String, description: String? = nil, contextType: ContextType, persona: Persona? = nil,
        category: String? = nil
    ) {
        self.prompt = prompt
        self.description = description
        self.contextType = contextType
        self.persona = persona
        self.category = category
    }

    func write(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("prompt", prompt)
        if let description { writer.member("description", description) }
        writer.member("context_type", contextType.rawValue)
        if let persona { writer.member("persona", persona.rawValue) }
        if let category { writer.member("category", category) }
        writer.endObject()
    }
}
