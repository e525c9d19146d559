import FitIQAPI
import FitIQBackend

extension Cursor {
    /// A span of time in nanoseconds.
    func duration(_ range: ClosedRange<Int64> = 0...ScenarioLimits.longestDuration) -> Int64? {
        guard let text = written, let value = ScenarioLimits.duration(text) else {
            refuse(expected: Messages.duration)
            return nil
        }
        guard range.contains(value) else {
            refuse(Messages.durationOutOfRange(range, got: node.excerpt))
            return nil
        }
        return value
    }

    /// A date-time of whole seconds, in the years 0 to 9999.
    func dateTime() -> DateTime? {
        guard let text = written, let time = DateTime(text) else {
            refuse(expected: Messages.dateTime)
            return nil
        }
        return time
    }

    /// A date-time to the nanosecond, in the years that a world's clock reaches.
    func timestamp() -> Timestamp? {
        guard let text = written, let time = Timestamp(text) else {
            refuse(expected: Messages.timestamp)
            return nil
        }
        return time
    }

    /// A point in time, or how long before the world begins it was.
    func dataTime() -> DataTime? {
        guard let text = written else {
            refuse(expected: Messages.dataTime)
            return nil
        }
        if text.hasSuffix(" ago") {
            if let duration = ScenarioLimits.duration(String(text.dropLast(4))) { return .before(duration) }
        } else if let time = Timestamp(text) {
            return .at(time)
        }
        refuse(expected: Messages.dataTime)
        return nil
    }
}
