import FitIQAPI
import Text

extension Timestamp {
    /// Parses the format of `nanosecondText`, with one to nine fractional digits or none; anything else is nil.
    ///
    /// In UTC, the years 1678 to 2261, no leap seconds.
    init?(reading text: UnsafeBufferPointer<UInt8>) {
        guard let time = RFC3339.time(text), text[10] == UInt8(ascii: "T"), text[text.count - 1] == UInt8(ascii: "Z"),
            time.fractionDigits <= 9, !time.isLeapSecond, Self.readable.contains(time.secondsSinceEpoch)
        else { return nil }
        self.init(nanosecondsSinceEpoch: time.secondsSinceEpoch * 1_000_000_000 + time.nanoseconds)
    }

    /// 1678-01-01 to 2261-12-31: whole years that nanoseconds in 64 bits can hold.
    private static let readable: Range<Int64> = -9_214_560_000..<9_214_646_400
}
