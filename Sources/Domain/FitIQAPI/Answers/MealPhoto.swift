import JSON

/// What was recognized in a photo and is not confirmed yet: a meal log that no list shows, and its JSON.
public struct MealPhoto: Equatable, Sendable {
    /// Its id is that of the session.
    public let log: MealLog
    /// The body of the endpoints that return it.
    public let body: [UInt8]
    /// At least the bytes that it takes in an export.
    public let byteCount: Int

    public init(_ log: MealLog) {
        self.log = log
        body = JSONWriter.success { Self.write(log, into: &$0) }
        byteCount = body.count + log.object(in: .union, isForApps: true).count
    }

    /// The body of a confirmation: what the foods became, and with it the session that has ended.
    ///
    /// - Parameter confirmed: The completed log of the foods that the user confirmed.
    public func body(confirmedAs confirmed: MealLog) -> [UInt8] {
        JSONWriter.success(reserving: 2 * byteCount) { writer in
            confirmed.writeMembers(into: &writer, isUnion: true, isForApps: true)
            Self.write(log, into: &writer)
        }
    }

    private static func write(_ log: MealLog, into writer: inout JSONWriter) {
        let (items, totals) = (log.items, log.totals)
        // A meal is as certain as its least certain food.
        let confidence = items.map(\.confidence).min() ?? 0
        writer.member("session_id", log.id)
        writer.array("recognized_items") { writer in for item in items { item.writeAsRecognized(into: &writer) } }
        writer.object("total_macros") { writer in
            writer.member("total_calories", totals.calories)
            writer.member("total_protein", (totals.proteinTenths + 5) / 10)
            writer.member("total_carbohydrates", (totals.carbsTenths + 5) / 10)
            writer.member("total_fats", (totals.fatTenths + 5) / 10)
        }
        writer.member("overall_confidence", confidence)
        writer.member("needs_review", confidence < 0.8)
        // Made up: no time passes.
        writer.member("processing_time_ms", 600 + Int(log.id.seed % 1800))
    }
}
