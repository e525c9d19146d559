#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Nanoseconds on the system's monotonic clock, counted from an arbitrary origin.
///
/// Arithmetic saturates: an instant beyond the representable 292 years is the last (or first) one, so a deadline of
/// "now plus forever" is a valid deadline.
public struct MonotonicInstant: InstantProtocol, Hashable, Sendable {
    /// Nanoseconds since the clock's origin.
    public var nanoseconds: Int64

    /// The instant that many nanoseconds after the clock's origin.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Reads the clock (`CLOCK_MONOTONIC`).
    public static func now() -> MonotonicInstant {
        MonotonicInstant(nanoseconds: SystemClock.read(CLOCK_MONOTONIC))
    }

    /// The instant that lies the duration after this one, saturating.
    public func advanced(by duration: Duration) -> MonotonicInstant {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.saturatedNanoseconds)
        guard overflow else { return MonotonicInstant(nanoseconds: sum) }
        return MonotonicInstant(nanoseconds: duration < .zero ? .min : .max)
    }

    /// The time from this instant to the other, negative if the other is earlier.
    public func duration(to other: MonotonicInstant) -> Duration {
        let (difference, overflow) = other.nanoseconds.subtractingReportingOverflow(nanoseconds)
        guard overflow else { return .nanoseconds(difference) }
        return .nanoseconds(other < self ? Int64.min : Int64.max)
    }

    /// Whether the left instant is earlier than the right one.
    public static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}

extension Duration {
    /// Whole nanoseconds, rounded up so that nobody wakes early, and saturating.
    var saturatedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let nanosecondsPerSecond: Int64 = 1_000_000_000
        let attosecondsPerNanosecond: Int64 = 1_000_000_000
        let (product, overflow) = seconds.multipliedReportingOverflow(by: nanosecondsPerSecond)
        // Division truncates towards zero, which is already upwards for a negative remainder.
        let roundsUp = attoseconds > 0 && attoseconds % attosecondsPerNanosecond != 0
        let rest = attoseconds / attosecondsPerNanosecond + (roundsUp ? 1 : 0)
        let (sum, sumOverflow) = product.addingReportingOverflow(rest)
        return overflow || sumOverflow ? (seconds < 0 ? .min : .max) : sum
    }
}

/// The wall clock, which may jump; only the shell reads it, everything below takes time as an argument.
public enum WallClock {
    /// Nanoseconds since 1970-01-01T00:00:00Z (`CLOCK_REALTIME`).
    public static func nanosecondsSinceEpoch() -> Int64 {
        SystemClock.read(CLOCK_REALTIME)
    }
}

/// clock_gettime(2) as one number.
enum SystemClock {
    static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        let result = clock_gettime(clock, &time)
        precondition(result == 0, "every supported system has CLOCK_MONOTONIC and CLOCK_REALTIME")
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

/// Random bytes from the operating system, for seeds and keys; only the shell asks for them.
///
/// The source is `SystemRandomNumberGenerator`: getrandom(2) on Linux, arc4random_buf(3) on macOS. Neither can fail.
public enum SystemEntropy {
    /// Eight random bytes as one number, to seed a reproducible run.
    public static func seed() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }

    /// That many random bytes; the count is not negative.
    public static func bytes(count: Int) -> [UInt8] {
        precondition(count >= 0, "asked for \(count) random bytes")
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
