/// A dictionary that forgets the values written longest ago, so that a judge's memory is bounded.
struct Recent<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The most values, after which older ones go.
    let capacity: Int
    private var current: [Key: Value] = [:]
    private var previous: [Key: Value] = [:]

    /// Makes an empty one; between half its capacity and all of it is remembered for certain.
    init(capacity: Int = RecentLimits.usual) {
        precondition(capacity > 1, "there is room for something")
        self.capacity = capacity
    }

    /// The value of a key; setting it makes it the newest, nil forgets it.
    subscript(key: Key) -> Value? {
        get { current[key] ?? previous[key] }
        set {
            previous[key] = nil
            current[key] = newValue
            if current.count * 2 > capacity { (previous, current) = (current, [:]) }
        }
    }

    /// What is remembered, in no order: sort before anything is shown.
    var values: [Value] { Array(current.values) + previous.values }
    /// The keys of what is remembered, in no order.
    var keys: [Key] { Array(current.keys) + previous.keys }
}

/// How many users, sockets or ids a judge remembers.
enum RecentLimits {
    static let usual = 10_000
    /// Of kinds whose values are large.
    static let fewest = 2000
}
