import JSON

/// Response bodies of the list endpoints.
public enum ListAnswers {
    /// `GET /api/v1/consultations`: `data: {consultations, pagination}` and, for the apps, totals next to them.
    public static func consultations(_ items: [[UInt8]], page: Page, total: Int, isForApps: Bool = false) -> [UInt8] {
        JSONWriter.success(reserving: items.reduce(256) { $0 + $1.count + 1 }) { writer in
            writer.array("consultations") { array in for item in items { array.raw(item) } }
            writer.pagination(page, total: total)
            if isForApps { writer.totals(page, total: total) }
        }
    }

    /// `GET /api/v1/consultations/{id}/messages`: `data: {messages, pagination}`, oldest first.
    ///
    /// The messages are JSON separated by commas. consultation-websocket has no paging, so its form omits `pagination`.
    /// The apps read totals next to `pagination`.
    public static func messages(
        _ encodedMessages: ArraySlice<UInt8>, page: Page, total: Int, in form: GuideMode, isForApps: Bool = false
    ) -> [UInt8] {
        JSONWriter.success(reserving: encodedMessages.count + 256) { writer in
            writer.array("messages") { if !encodedMessages.isEmpty { $0.raw(encodedMessages) } }
            if form != .consultationWebSocket { writer.pagination(page, total: total) }
            if isForApps { writer.totals(page, total: total) }
        }
    }

    /// `GET /api/v1/consultations/quick-actions`: `data: {quick_actions, count}`.
    public static func quickActions(_ actions: [QuickAction]) -> [UInt8] {
        JSONWriter.success(reserving: 256 * actions.count) { writer in
            writer.array("quick_actions") { array in for action in actions { action.write(into: &array) } }
            writer.member("count", actions.count)
        }
    }

    /// `GET /api/v1/goals`: `{goals, totalCount}`; the union adds `success` and `data` with the same members in
    /// snake_case.
    ///
    /// - Parameters:
    ///   - form: `.goalLinking` or `.union`, the form of the encoded goals.
    ///   - apps: The time and the page's position in the list; nil in modes without the apps.
    public static func goals(
        _ goals: [EncodedGoal], total: Int, in form: GuideMode, apps: (now: Timestamp, page: Page)? = nil
    ) -> [UInt8] {
        let size = goals.reduce(256) { $0 + $1.camelCase.count + $1.snakeCase.count + 64 }
        return JSONWriter.object(reserving: size) { writer in
            if form.hasEnvelopeOfGoals {
                writer.member("success", true)
                writer.object("data") { data in
                    data.array("goals") { array in
                        for goal in goals {
                            if let apps {
                                goal.writeForApps(into: &array, at: apps.now)
                            } else {
                                array.raw(goal.snakeCase)
                            }
                        }
                    }
                    if let apps { data.totals(apps.page, total: total) } else { data.member("total_count", total) }
                }
            }
            writer.array("goals") { array in for goal in goals { array.raw(goal.camelCase) } }
            writer.member("totalCount", total)
        }
    }
}

extension JSONWriter {
    /// A response body in the success envelope.
    public static func success(reserving capacity: Int = 512, _ writeData: (inout JSONWriter) -> Void) -> [UInt8] {
        JSONWriter.object(reserving: capacity) { writer in
            writer.member("success", true)
            writer.object("data", writeData)
        }
    }

    /// A response body with an already encoded object in the success envelope.
    public static func success(data object: [UInt8]) -> [UInt8] {
        JSONWriter.object(reserving: object.count + 32) { writer in
            writer.member("success", true)
            writer.member("data", raw: object)
        }
    }

    /// A page's position in its list, in the apps' form.
    mutating func totals(_ page: Page, total: Int) {
        member("total", total)
        member("total_count", total)
        member("limit", page.size)
        member("offset", page.offset)
        member("has_more", page.hasNext(of: total))
    }

    fileprivate mutating func pagination(_ page: Page, total: Int) {
        let pages = page.count(of: total)
        object("pagination") { writer in
            writer.member("page", page.number)
            writer.member("page_size", page.size)
            writer.member("total_pages", pages)
            writer.member("total_count", total)
            writer.member("has_next", page.hasNext(of: total))
            writer.member("has_prev", page.offset > 0)
        }
    }
}

/// A prompt that starts a conversation (enhanced-consultations, QuickAction).
public struct QuickAction: Hashable, Sendable {
    public var prompt: String
    /// A line below the prompt.
    public var description: String?
    public var contextType: ContextType
    /// The matching coach; nil matches all.
    public var persona: Persona?
    public var category: String?

    public init(
        prompt: String, description: String? = nil, contextType: ContextType, persona: Persona? = nil,
        category: String? = nil
    ) {
        (self.prompt, self.description, self.contextType) = (prompt, description, contextType)
        (self.persona, self.category) = (persona, category)
    }

    func write(into writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("prompt", prompt)
            writer.member("description", ifPresent: description)
            writer.member("context_type", contextType.rawValue)
            writer.member("persona", ifPresent: persona?.rawValue)
            writer.member("category", ifPresent: category)
        }
    }
}
