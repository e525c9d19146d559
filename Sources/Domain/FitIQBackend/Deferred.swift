/// Something that may take long to make: a function of values, so that any thread can make it.
public struct Deferred<Value: Sendable>: Sendable {
    /// About how long it takes, in hundredths of a microsecond: the time in which a byte is parsed.
    public let cost: Int
    public let make: @Sendable () -> Value

    init(cost: Int, _ make: @escaping @Sendable () -> Value) { (self.cost, self.make) = (cost, make) }

    /// What mostly parses so many bytes.
    public init(parsing bytes: Int, _ make: @escaping @Sendable () -> Value) { self.init(cost: bytes, make) }

    /// What mostly copies bytes, some 32 of them in the time of one that is parsed.
    init(copying bytes: Int, _ make: @escaping @Sendable () -> Value) { self.init(cost: bytes / 32, make) }

    /// What mostly iterates PBKDF2.
    init(iterating count: Int, _ make: @escaping @Sendable () -> Value) { self.init(cost: 25 * count, make) }
}
