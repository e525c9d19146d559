import FitIQAPI
import JSON
import Text

/// Insights, which the backend writes and the app's user reads, marks and archives.
extension Backend {
    /// `GET /api/v1/insights/unread/count`: those that are neither read nor archived.
    public func unreadInsights(of user: UserID) -> [UInt8] {
        let count = users[user].documents[.insights, default: []].count(where: \.isUnread)
        return JSONWriter.success { $0.member("count", count) }
    }

    /// Sets a mark of an insight, or turns it if the value is nil; one that has the value already keeps its time.
    ///
    /// Throws 404.
    public mutating func markInsight(
        _ id: String, _ member: String, as value: Bool?, by user: UserID, _ turn: inout Turn
    ) throws(APIError) -> [UInt8] {
        let index = try index(of: id, in: .insights, of: user)
        let insight = users[user].documents[.insights, default: []][index]
        var object = insight.object
        let value = value ?? (object[member] != true)
        if object[member] != .bool(value) {
            object[member] = .bool(value)
            let marked = Document(
                id: insight.id, user: users[user].id, object: object, in: .insights, createdAt: insight.createdAt,
                updatedAt: turn.date)
            set(marked, at: index, in: .insights, of: user)
        }
        return JSONWriter.success { data in
            let state = member.dropFirst("is_".count)
            data.member(
                "message", "The insight is \(value ? "" : "not ")\(state == "favorite" ? "a favorite" : state).")
            data.member("id", insight.id)
            for mark in ["is_read", "is_favorite", "is_archived"] {
                data.key(escaping: mark)
                data.value(object[mark] == true)
            }
        }
    }

    /// Adds an insight that counts what the user recorded in a period (`POST /api/v1/insights/generate/wellness`).
    ///
    /// - Throws: 507 at the limit of documents, or if the world is full.
    public mutating func generateInsight(
        _ request: GenerateInsightRequest, by user: UserID, _ turn: inout Turn
    ) throws(APIError) -> [UInt8] {
        func count(_ collection: DocumentCollection) -> Int {
            users[user].documents[collection, default: []].count { request.period.contains($0.time) }
        }
        let (moods, entries) = (count(.moodEntries), count(.journal))
        let states = users[user].goals.map { goals[$0].goal.state.appStatus }
        let (active, completed) = (states.count { $0 == .active }, states.count { $0 == .completed })
        let parts = [
            Text.Words.counted(moods, "mood"), Text.Words.counted(entries, "journal entry", "journal entries"),
            Text.Words.counted(active, "active goal"),
        ]
        let summary = parts.joined(separator: ", ") + "."
        func time(_ time: DateTime) -> JSONValue { .string(time.millisecondText) }
        func number(_ count: Int) -> JSONValue { .number(JSONNumber(count)) }
        let suggestions: [JSONValue] = [
            moods == 0 ? "Record a mood once a day." : "Look at what your best days have in common.",
            entries == 0 ? "Write two sentences before you sleep." : "Read again what you wrote last week.",
        ]
        let insight = try addDocument(
            [
                "insight_type": .string(request.type), "title": .string("Your \(request.type) wellness insight"),
                "content": .string(
                    "From \(request.period.lowerBound.wireText.prefix(10)) to "
                        + "\(request.period.upperBound.wireText.prefix(10)) you recorded " + summary),
                "summary": .string(summary), "period_start": time(request.period.lowerBound),
                "period_end": time(request.period.upperBound),
                "metrics": [
                    "mood_entries_count": number(moods), "journal_entries_count": number(entries),
                    "goals_active": number(active), "goals_completed": number(completed),
                ],
                "suggestions": .array(suggestions), "is_read": false, "is_favorite": false, "is_archived": false,
            ], in: .insights, by: user, &turn)
        return JSONWriter.success(data: insight.encoded)
    }
}
