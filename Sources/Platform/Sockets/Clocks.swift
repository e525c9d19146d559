import CLibrary

/// Nanoseconds on the system's monotonic clock, counted from an arbitrary origin.
///
/// Arithmetic saturates at the ends of the representable range of 292 years, so "now plus forever" is a valid deadline.
public struct MonotonicInstant: InstantProtocol, Hashable, Sendable {
    public var nanoseconds: Int64
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }
    /// The current time (`CLOCK_MONOTONIC`).
    public static func now() -> Self { Self(nanoseconds: Sockets.nanoseconds(of: CLOCK_MONOTONIC)) }

    /// The instant this long after this one, saturating.
    public func advanced(by duration: Duration) -> MonotonicInstant {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.saturatedNanoseconds)
        return MonotonicInstant(nanoseconds: overflow ? (duration < .zero ? .min : .max) : sum)
    }

    /// The time from this instant to the other; negative if the other is earlier.
    public func duration(to other: MonotonicInstant) -> Duration {
        .nanoseconds(other.saturatingNanoseconds(since: self))
    }

    /// Nanoseconds from the earlier instant to this one, saturating.
    func saturatingNanoseconds(since earlier: MonotonicInstant) -> Int64 {
        let (difference, overflow) = nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
        return overflow ? (self < earlier ? .min : .max) : difference
    }

    public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }
}

extension Duration {
    /// Whole nanoseconds, rounded up so that no wait ends early, and saturating.
    var saturatedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let billion: Int64 = 1_000_000_000
        let (product, overflow) = seconds.multipliedReportingOverflow(by: billion)
        // Division truncates towards zero, which is already upwards for negative values.
        let rest = attoseconds / billion + (attoseconds > 0 && attoseconds % billion != 0 ? 1 : 0)
        let (sum, sumOverflow) = product.addingReportingOverflow(rest)
        return overflow || sumOverflow ? (seconds < 0 ? .min : .max) : sum
    }
}

/// The wall clock, which may jump; only the outermost layer reads it and passes the time as an argument.
public enum WallClock {
    /// Nanoseconds since 1970-01-01T00:00:00Z (`CLOCK_REALTIME`), clamped to the years 1970 to 2198.
    ///
    /// A missing clock battery or a mistake can set the clock to any time.
    public static func nanosecondsSinceEpoch() -> Int64 { reading().nanoseconds }

    /// The wall clock's time, and whether it is exact or was clamped.
    static func reading() -> (nanoseconds: Int64, isExact: Bool) { clamped(time(of: CLOCK_REALTIME)) }

    static func clamped(_ time: timespec) -> (nanoseconds: Int64, isExact: Bool) {
        let seconds = min(max(Int64(time.tv_sec), 0), lastSecond)
        guard seconds == Int64(time.tv_sec) else { return (seconds * 1_000_000_000, false) }
        return (seconds * 1_000_000_000 + Int64(time.tv_nsec), true)
    }

    /// 2198-12-31T23:59:59Z, which leaves headroom for times computed from it, such as a token's expiry.
    private static let lastSecond: Int64 = 7_226_582_399
}

/// Detects that the system's clock was set, or that the monotonic clock stopped during sleep.
///
/// On Linux CLOCK_MONOTONIC stops while the system is suspended, so waking up looks like a clock change. On Darwin it
/// keeps running, and work that came due during sleep is done on waking.
public struct ClockComparison: Sendable {
    /// Smaller differences come from NTP adjusting the clock's speed; they are ignored until they add up.
    public static let tolerance: Int64 = 1_000_000_000
    /// The date at the monotonic clock's zero.
    private var offset: Int64
    /// The end of the range that the system's time is clamped to; nil if the time is within the range.
    private var end: Int64?
    private var comparedAt: MonotonicInstant

    /// Compares the system's clocks for the first time.
    public init() { self.init(Self.measure()) }

    init(_ measured: Measure) { (offset, end, comparedAt) = (measured.offset, measured.end, .now()) }

    /// The system's date at the monotonic clock's zero.
    public var epoch: Int64 { offset }

    /// How many nanoseconds the system's clock has been set forward since the last call; negative if set back, 0 if
    /// unchanged.
    ///
    /// The clocks are compared at most once per millisecond.
    @inline(__always)
    public mutating func step(at now: MonotonicInstant) -> Int64 {
        now.nanoseconds &- comparedAt.nanoseconds < 1_000_000 ? 0 : compare(now)
    }

    @inline(never)
    private mutating func compare(_ now: MonotonicInstant) -> Int64 {
        comparedAt = now
        return step(to: Self.measure())
    }

    /// The step for a measured difference between the clocks.
    mutating func step(to measured: Measure) -> Int64 {
        // A clock outside the range is clamped once; the date then continues from the end of the range.
        guard measured.end == nil || measured.end != end else { return 0 }
        let (step, overflow) = measured.offset.subtractingReportingOverflow(offset)
        guard !overflow, step.magnitude >= UInt64(Self.tolerance) else { return 0 }
        take(measured)
        return step
    }

    private mutating func take(_ measured: Measure) { (offset, end) = (measured.offset, measured.end) }

    struct Measure {
        /// The system's date minus the monotonic time.
        var offset: Int64
        /// The end of the range that the date is clamped to; nil if it is not clamped.
        var end: Int64?
    }

    /// Reads both clocks at nearly the same time: preemption between the two must not look like a clock change.
    private static func measure() -> Measure {
        var (start, best) = (MonotonicInstant.now(), Measure(offset: 0))
        for _ in 0..<attempts {
            let wall = WallClock.reading()
            let now = MonotonicInstant.now()
            best = Measure(offset: wall.nanoseconds - now.nanoseconds, end: wall.isExact ? nil : wall.nanoseconds)
            if now.nanoseconds - start.nanoseconds < tolerance / 10 { break }
            start = now
        }
        return best
    }

    private static let attempts = 4
}

/// clock_gettime(2) as one number.
private func nanoseconds(of clock: clockid_t) -> Int64 {
    let time = time(of: clock)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

private func time(of clock: clockid_t) -> timespec {
    var time = timespec()
    let result = clock_gettime(clock, &time)
    precondition(result == 0, "the system must have CLOCK_MONOTONIC and CLOCK_REALTIME")
    return time
}

/// Random bytes from the operating system, for seeds and keys; only the outermost layer uses them.
///
/// The source is `SystemRandomNumberGenerator`: getrandom(2) on Linux, arc4random_buf(3) on macOS. Neither can fail.
public enum SystemEntropy {
    /// Eight random bytes as a number.
    public static func seed() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }

    /// `count` random bytes; `count` must not be negative.
    public static func bytes(count: Int) -> [UInt8] {
        precondition(count >= 0, "the number of random bytes must not be negative; got \(count)")
        var generator = SystemRandomNumberGenerator()
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            var word: UInt64 = 0
            for index in 0..<count {
                if index % 8 == 0 { word = generator.next() }
                buffer.initializeElement(at: index, to: UInt8(truncatingIfNeeded: word))
                word >>= 8
            }
            initialized = count
        }
    }
}
