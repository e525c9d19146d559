#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

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
