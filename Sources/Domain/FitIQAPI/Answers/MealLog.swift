import JSON

/// A meal described in words, and the result of processing it.
public struct MealLog: Equatable, Sendable {
    public enum Progress: Equatable, Sendable {
        case processing
        /// The foods, known since this time.
        case completed([MealItem], at: Timestamp)
        /// No foods were found in the text; known since this time.
        case failed(MealLogFailure, at: Timestamp)
    }

    public let id: ResourceID
    public let userID: ExactString
    /// The text as sent, not trimmed.
    public var rawInput: String
    public var mealType: MealType
    /// The time of the meal, from the client.
    public var loggedAt: DateTime
    public let createdAt: Timestamp
    /// The start of processing: the creation, or the last change of the text.
    public var startedAt: Timestamp
    /// The last change by the client; nil for the creation.
    public var changedAt: Timestamp?
    /// The user's remarks, which only the apps send; nil for an empty text.
    public var notes: String? { didSet { if notes?.isEmpty ?? false { notes = nil } } }
    /// Whether a completed log was entered food by food, and no text was read.
    public var isManual = false
    public var progress: Progress

    /// Creates a log whose processing starts now.
    public init(
        id: ResourceID, userID: ExactString, rawInput: String, mealType: MealType, loggedAt: DateTime,
        createdAt: Timestamp
    ) {
        (self.id, self.userID, self.rawInput, self.mealType) = (id, userID, rawInput, mealType)
        (self.loggedAt, self.createdAt, startedAt) = (loggedAt, createdAt, createdAt)
        progress = .processing
    }

    /// What lists ask for.
    public struct Kind: Hashable, Sendable {
        public let status: MealLogStatus
        public let mealType: MealType
    }

    public var kind: Kind { Kind(status: status, mealType: mealType) }

    public var status: MealLogStatus {
        switch progress {
        case .processing: .processing
        case .completed: isManual ? .manual : .completed
        case .failed: .failed
        }
    }

    /// The end of processing; nil until then.
    public var finishedAt: Timestamp? {
        switch progress {
        case .processing: nil
        case .completed(_, let time), .failed(_, let time): time
        }
    }

    /// The time of creation, of the end of processing, or of the last change.
    public var updatedAt: Timestamp { max(finishedAt ?? createdAt, changedAt ?? createdAt) }

    /// The foods; empty until processing is complete.
    public var items: [MealItem] { if case .completed(let items, _) = progress { items } else { [] } }
    /// The exact sum of the items.
    public var totals: MealNutrients { items.reduce(into: MealNutrients()) { $0 += $1.nutrients } }

    /// The log in the form of a guide or of the union.
    ///
    /// Only meal-log-websocket and websocket-architecture contain meal logs, the latter only finished ones in its
    /// events; everything else follows the union.
    ///
    /// - Parameter isForApps: Whether the union's form has what only the apps read.
    public func object(in form: GuideMode, isForApps: Bool = false) -> [UInt8] {
        JSONWriter.object(reserving: 1024 + rawInput.utf8.count + 768 * items.count) { writer in
            switch (form, progress) {
            case (.mealLogWebSocket, _): writeMembers(into: &writer, isUnion: false, isForApps: false)
            case (.webSocketArchitecture, .completed(let items, let time)):
                writeAsWebSocketArchitecture(items, completedAt: time, into: &writer)
            case (.webSocketArchitecture, .failed(let failure, _)):
                writer.member("meal_log_id", id)
                writer.member("error", failure.message)
                writer.member("details", failure.details)
            default: writeMembers(into: &writer, isUnion: true, isForApps: isForApps)
            }
        }
    }

    /// The body of create and get: in meal-log-websocket `{"data"}` with the members of its `MealLogResponse`, which has
    /// fewer than its event; otherwise the given object, with `success` before it.
    ///
    /// - Parameter object: The log's ``object(in:isForApps:)`` in the same form.
    public func body(of object: [UInt8], in form: GuideMode) -> [UInt8] {
        guard form == .mealLogWebSocket else { return JSONWriter.success(data: object) }
        return JSONWriter.object(reserving: 1024 + rawInput.utf8.count) { $0.object("data", writeResponse) }
    }

    private func writeResponse(into writer: inout JSONWriter) {
        writer.member("id", id)
        writeInput(into: &writer)
        if case .completed = progress {
            let totals = totals
            writer.member("total_calories", totals.calories)
            writer.grams(of: totals, "total_protein_g", "total_carbs_g", "total_fat_g")
        }
        writer.member("logged_at", loggedAt)
        writer.member("created_at", createdAt)
        writer.member("updated_at", updatedAt)
    }

    /// The body of `GET /api/v1/meal-logs`: a page of the list in the form of the union; no guide documents it.
    public static func listBody(_ objects: [[UInt8]], page: Page, total: Int, isForApps: Bool = false) -> [UInt8] {
        JSONWriter.success(reserving: objects.reduce(128) { $0 + $1.count + 1 }) { writer in
            writer.array("meal_logs") { writer in for object in objects { writer.raw(object) } }
            if isForApps {
                writer.totals(page, total: total)
                writer.member("page", page.number)
            } else {
                writer.member("total_count", total)
                writer.member("page", page.number)
                writer.member("limit", page.size)
                writer.member("has_more", page.hasNext(of: total))
            }
        }
    }

    /// The body of `POST /api/v1/meal-logs/batch`.
    public static func batchBody(_ objects: [[UInt8]]) -> [UInt8] {
        JSONWriter.success(reserving: objects.reduce(128) { $0 + $1.count + 1 }) { writer in
            writer.array("meal_logs") { writer in for object in objects { writer.raw(object) } }
            writer.member("count", objects.count)
        }
    }

    /// Writes the members that meal-log-websocket documents; the union adds those of websocket-architecture.
    func writeMembers(into writer: inout JSONWriter, isUnion: Bool, isForApps: Bool) {
        writeHead(into: &writer, isUnion: isUnion, isForApps: isForApps)
        guard case .completed(let items, let time) = progress else { return }
        writer.array("items") { writer in
            for (index, item) in items.enumerated() {
                item.write(into: &writer, of: id, index: index, at: time, isUnion: isUnion, isForApps: isForApps)
            }
        }
    }

    /// Writes all of them but the items.
    func writeHead(into writer: inout JSONWriter, isUnion: Bool, isForApps: Bool) {
        writer.member("id", id)
        if isUnion { writer.member("meal_log_id", id) }
        writeInput(into: &writer)
        switch progress {
        case .processing: break
        case .completed(let items, _): writeTotals(itemCount: items.count, into: &writer, isUnion: isUnion)
        case .failed(let failure, _):
            writer.member("error_message", failure.message)
            if isUnion {
                writer.member("error", failure.message)
                writer.member("details", failure.details)
            }
            guard isForApps else { break }
            writer.member("error_code", failure.code.rawValue)
            guard !failure.suggestions.isEmpty else { break }
            writer.array("suggestions") { writer in for text in failure.suggestions { writer.value(text) } }
        }
        if isForApps { writer.member("notes", ifPresent: notes) }
        writer.member("logged_at", loggedAt)
        switch progress {
        case .processing: if isUnion { writer.member("processing_started_at", startedAt) }
        case .completed(_, let time):
            writer.member("processing_started_at", startedAt)
            writer.member("processing_completed_at", time)
        case .failed: break
        }
        writer.member("created_at", createdAt)
        writer.member("updated_at", updatedAt)
    }

    private func writeInput(into writer: inout JSONWriter) {
        writer.member("user_id", userID.text)
        writer.member("raw_input", rawInput)
        writer.member("meal_type", mealType.rawValue)
        writer.member("status", status.rawValue)
    }

    private func writeTotals(itemCount: Int, into writer: inout JSONWriter, isUnion: Bool) {
        let totals = totals
        writer.member("total_calories", totals.calories)
        writer.grams(
            of: totals, "total_protein_g", "total_carbs_g", "total_fat_g", "total_fiber_g", "total_sugar_g")
        guard isUnion else { return }
        writeOlderTotals(totals, into: &writer)
        writer.member("items_count", itemCount)
    }

    private func writeOlderTotals(_ totals: MealNutrients, into writer: inout JSONWriter) {
        writer.grams(of: totals, "total_protein", "total_carbs", "total_fat", "total_fiber", "total_sugar")
    }

    /// Writes the guide's printed example, member by member.
    private func writeAsWebSocketArchitecture(
        _ items: [MealItem], completedAt time: Timestamp, into writer: inout JSONWriter
    ) {
        writer.member("id", id)
        writeInput(into: &writer)
        writer.member("logged_at", loggedAt)
        writer.array("items") { writer in
            for item in items { item.writeAsWebSocketArchitecture(into: &writer, of: id) }
        }
        let totals = totals
        writer.member("total_calories", fixed: Double(totals.calories), fractionDigits: 1)
        writeOlderTotals(totals, into: &writer)
        writer.member("processing_started_at", createdAt)
        writer.member("processing_completed_at", time)
        writer.member("created_at", createdAt)
        writer.member("updated_at", updatedAt)
    }
}
