import JSON

/// What every open socket of a user is told when the processing of a meal log ends, whatever the consultation.
///
/// `{"type", "data", "timestamp"}`, without `consultation_id` (CONTRACT: the WebSocket).
public enum MealLogEvent: String, CaseIterable, Sendable {
    /// The foods are known: `data` is the log with its items.
    case completed = "meal_log.completed"
    /// No foods could be made of the text: `data` says why.
    case failed = "meal_log.failed"

    /// The event that a log is due; nil while it is being processed.
    public init?(_ log: MealLog) {
        switch log.progress {
        case .processing: return nil
        case .completed: self = .completed
        case .failed: self = .failed
        }
    }

    /// The frame's text, with the time at which processing ended; nil while it has not.
    public static func frame(of log: MealLog, in mode: GuideMode) -> [UInt8]? {
        guard let event = MealLogEvent(log) else { return nil }
        let data = log.object(in: mode)
        var writer = JSONWriter(reserving: data.count + 96)
        writer.object { writer in
            writer.member("type", event.rawValue)
            writer.member("data", raw: data)
            writer.member("timestamp", log.updatedAt.wireText)
        }
        return writer.bytes
    }
}
