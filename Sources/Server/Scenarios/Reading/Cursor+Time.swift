import FitIQAPI
import FitIQBackend

extension Cursor {
    /// A span of time in nanoseconds.
    func duration(_ range: ClosedRange<Int64> = 0...ScenarioLimits.longestDuration) -> Int64? {
        guard let text = written, let value = DurationText.nanoseconds(text) else {
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
        guard let text = written, let time = Self.timestamp(text) else {
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
            if let duration = DurationText.nanoseconds(String(text.dropLast(4))) { return .before(duration) }
        } else if let time = Self.timestamp(text) {
            return .at(time)
        }
        refuse(expected: Messages.dataTime)
        return nil
    }

    /// 1970 to 2200: far enough from the ends of ``Timestamp`` that a world can run for decades.
    private static let years: ClosedRange<Int64> = 0...7_258_118_399

    private static func timestamp(_ text: String) -> Timestamp? {
        guard let seconds = DateTime(text)?.secondsSinceEpoch, years.contains(seconds) else { return nil }
        var nanoseconds: Int64 = 0
        if let point = text.utf8.firstIndex(of: UInt8(ascii: ".")) {
            var place: Int64 = 100_000_000
            for byte in text.utf8[text.utf8.index(after: point)...] {
                guard (0x30...0x39).contains(byte) else { break }
                nanoseconds += Int64(byte - 0x30) * place
                place /= 10
            }
        }
        return Timestamp(secondsSinceEpoch: seconds).advanced(byNanoseconds: nanoseconds)
    }
}
