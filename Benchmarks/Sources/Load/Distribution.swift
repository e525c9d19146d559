/// Sorted measurements, for percentiles.
public struct Distribution<Value: Comparable> {
    private let sorted: [Value]

    /// Sorts the measurements.
    public init(_ values: [Value]) { sorted = values.sorted() }

    /// The smallest measurement that at least `percent` of all do not exceed (nearest rank); nil without any.
    public func percentile(_ percent: Double) -> Value? {
        guard !sorted.isEmpty else { return nil }
        let rank = Int((percent / 100 * Double(sorted.count)).rounded(.up))
        return sorted[max(rank, 1) - 1]
    }
}
