import FitIQAPI

/// How long texts of a document may be, in characters: as in requests.
enum TextLengths {
    static let user = 1...200
    static let title = 1...200
    static let description = 0...2000
    static let category = 1...100
    static let contextID = 1...200
    static let mealText = 1...CreateMealLogRequest.maximumInputLength
    static let question = 1...ClientFrame.maximumContentLength
    static let itemName = 1...10_000
    /// More than the parser makes of the longest text.
    static let itemText = 0...10_000

    /// The most bytes of any text that has no length in characters: what a coach or the backend itself says.
    static let maximumBytes = 1024 * 1024
}

/// Single values and times.
extension Planter {
    func check(
        _ text: String?, _ path: @autoclosure () -> String, _ allowed: ClosedRange<Int>,
        bytes limit: Int = ClientFrame.maximumContentByteCount
    ) throws(PlantError) {
        guard let text else { return }
        // Bytes first: a character can have any number of combining marks, and counting them takes its time.
        guard text.utf8.count <= limit else { throw .tooManyBytes(path(), text.utf8.count, limit: limit) }
        // No text has more characters than bytes, and most are far from the limit.
        guard text.utf8.count > allowed.upperBound || text.utf8.count < max(1, allowed.lowerBound) else { return }
        let count = text.count
        guard allowed.contains(count) else { throw .length(path(), count, allowed: allowed) }
    }

    func check(
        _ number: Double, _ path: @autoclosure () -> String, _ allowed: ClosedRange<Double>
    ) throws(PlantError) {
        guard allowed.contains(number) else { throw .number(path(), number, allowed: allowed) }
    }

    /// The time that is meant, which is not after the world's beginning; nil where none is given.
    func time(_ time: DataTime?, _ path: @autoclosure () -> String) throws(PlantError) -> Timestamp? {
        switch time {
        case nil: return nil
        case .at(let time):
            guard time <= now else { throw .beyondTheBeginning(path(), time, now: now) }
            return time
        case .before(let nanoseconds):
            guard nanoseconds >= 0 else { throw .negativeAge(path(), nanoseconds) }
            let (time, overflow) = now.nanosecondsSinceEpoch.subtractingReportingOverflow(nanoseconds)
            guard !overflow else { throw .beforeTheCalendar(path(), nanoseconds) }
            return Timestamp(nanosecondsSinceEpoch: time)
        }
    }

    /// - Parameter what: what happened at the earlier time: `the goal was created`.
    func check(
        _ time: Timestamp, _ path: @autoclosure () -> String, notBefore earlier: Timestamp, _ what: String
    ) throws(PlantError) {
        guard time >= earlier else { throw .outOfOrder(path(), time, earlier: earlier, what) }
    }
}
