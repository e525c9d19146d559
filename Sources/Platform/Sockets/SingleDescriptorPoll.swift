import CPlatform

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// poll(2) for one descriptor.
enum SingleDescriptorPoll {
    /// Waits until the descriptor is ready, broken connections included; otherwise returns an errno, ETIMEDOUT if late.
    static func wait(for interest: Interest, on descriptor: Int32, until deadline: MonotonicInstant) -> Int32? {
        var entry = pollfd(fd: descriptor, events: 0, revents: 0)
        if interest.contains(.read) { entry.events |= Int16(POLLIN) }
        if interest.contains(.write) { entry.events |= Int16(POLLOUT) }
        while true {
            let timeout = max(0, deadline.saturatingNanoseconds(since: .now()))
            let count = cplatform_poll(&entry, 1, timeout)
            if count > 0 { return nil }
            if count < 0, count != -EINTR { return -count }
            if count == 0, deadline <= .now() { return ETIMEDOUT }
        }
    }
}
