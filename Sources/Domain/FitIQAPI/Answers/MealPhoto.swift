import JSON

/// What was recognized in a photo: a meal log that no list shows, and its JSON.
public struct MealPhoto: Equatable, Sendable {
    /// Its id is that of the session.
    public let log: MealLog
    /// The meal log that it became; nil until it is confirmed.
    public let mealLogID: ResourceID?
    /// The body of the endpoints that return it: the app's models of both decode each.
    public let body: [UInt8]
    /// At least the bytes that it takes in an export.
    public let byteCount: Int

    public init(_ log: MealLog, confirmedAs mealLogID: ResourceID? = nil) {
        (self.log, self.mealLogID) = (log, mealLogID)
        body = JSONWriter.success { writer in
            log.writeHead(into: &writer, isUnion: false, isForApps: true)
            writer.member("meal_log_id", orNull: mealLogID)
            Self.write(log, into: &writer)
        }
        byteCount = body.count + log.object(in: .union, isForApps: true).count
    }

    /// The body of a confirmation: what the foods became, and with it the session.
    ///
    /// - Parameter confirmed: The completed log of the foods that the user confirmed.
    public func body(confirmedAs confirmed: MealLog) -> [UInt8] {
        JSONWriter.success(reserving: 2 * byteCount) { writer in
            confirmed.writeMembers(into: &writer, isUnion: true, isForApps: true)
            Self.write(log, into: &writer)
        }
    }

    /// Writes the members that no meal log has.
    private static func write(_ log: MealLog, into writer: inout JSONWriter) {
        let (items, totals) = (log.items, log.totals)
        // A meal is as certain as its least certain food.
        let confidence = items.map(\.confidence).min() ?? 0
        writer.member("session_id", log.id)
        // The picture is not kept.
        writer.memberNull("image_url")
        writer.array("recognized_items") { writer in
            for (index, item) in items.enumerated() { item.writeAsRecognized(into: &writer, index: index) }
        }
        writer.object("total_macros") { writer in
            writer.member("total_calories", totals.calories)
            writer.member("total_protein", (totals.proteinTenths + 5) / 10)
            writer.member("total_carbohydrates", (totals.carbsTenths + 5) / 10)
            writer.member("total_fats", (totals.fatTenths + 5) / 10)
        }
        writer.member("overall_confidence", confidence.percent)
        writer.member("confidence_score", confidence)
        writer.member("needs_review", confidence.needsReview)
        // Made up: no time passes.
        writer.member("processing_time_ms", 600 + Int(log.id.seed % 1800))
    }
}
