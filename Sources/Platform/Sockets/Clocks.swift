import CLibrary

/// Nanoseconds on the system's monotonic clock, counted from an arbitrary origin.
///
/// Arithmetic saturates at the ends of the representable 292 years, so "now plus forever" is a valid deadline.
public struct MonotonicInstant: InstantProtocol, Hashable, Sendable {
    public var nanoseconds: Int64
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }
    /// The current time (`CLOCK_MONOTONIC`).
    public static func now() -> Self { Self(nanoseconds: Sockets.nanoseconds(of: CLOCK_MONOTONIC)) }

    /// The instant after this one by the duration, saturating.
    public func advanced(by duration: Duration) -> MonotonicInstant {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.saturatedNanoseconds)
        return MonotonicInstant(nanoseconds: overflow ? (duration < .zero ? .min : .max) : sum)
    }

    /// The time from this instant to the other, negative if the other is earlier.
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
        // Division truncates towards zero, which is already upwards for a negative remainder.
        let rest = attoseconds / billion + (attoseconds > 0 && attoseconds % billion != 0 ? 1 : 0)
        let (sum, sumOverflow) = product.addingReportingOverflow(rest)
        return overflow || sumOverflow ? (seconds < 0 ? .min : .max) : sum
    }
}

/// The wall clock, which may jump; only the shell reads it, and all other code takes time as an argument.
public enum WallClock {
    /// Nanoseconds since 1970-01-01T00:00:00Z (`CLOCK_REALTIME`).
    public static func nanosecondsSinceEpoch() -> Int64 { nanoseconds(of: CLOCK_REALTIME) }
}

/// clock_gettime(2) as a single number.
private func nanoseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    let result = clock_gettime(clock, &time)
    precondition(result == 0, "every supported system has CLOCK_MONOTONIC and CLOCK_REALTIME")
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// Random bytes from the operating system, for seeds and keys; only the shell uses them.
///
/// The source is `SystemRandomNumberGenerator`: getrandom(2) on Linux, arc4random_buf(3) on macOS. Neither can fail.
public enum SystemEntropy {
    /// Eight random bytes as a number.
    public static func seed() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }

    /// `count` random bytes; the count is not negative.
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
