#if os(Linux)
    import CPlatform

    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// The descriptors of an event queue that epoll(7) watches.
    final class EpollSet {
        /// The maximum reported by one wait; the kernel returns the rest in turn, so that no descriptor starves.
        private static let capacity = 512

        private let epoll: Int32
        private let events: UnsafeMutablePointer<epoll_event>
        /// Whether epoll_pwait2 exists; detected by the first wait that needs it.
        private var hasNanoseconds: Bool

        init(roundsToMilliseconds: Bool = false) throws(SocketError) {
            epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
            guard epoll >= 0 else { throw SocketError(.openQueue, code: errno) }
            events = .allocate(capacity: EpollSet.capacity)
            events.initialize(repeating: epoll_event(), count: EpollSet.capacity)
            hasNanoseconds = !roundsToMilliseconds
        }

        deinit {
            events.deallocate()
            closeDescriptor(epoll)
        }

        func add(_ descriptor: Int32, generation: UInt32, interest: Interest) -> Int32 {
            control(EPOLL_CTL_ADD, descriptor, generation, interest)
        }

        func modify(_ descriptor: Int32, generation: UInt32, interest: Interest) {
            let code = control(EPOLL_CTL_MOD, descriptor, generation, interest)
            precondition(code == 0, "descriptor \(descriptor) was closed before it was removed from the queue")
        }

        func remove(_ descriptor: Int32) {
            let code = control(EPOLL_CTL_DEL, descriptor, 0, [])
            precondition(code == 0, "descriptor \(descriptor) was closed before it was removed from the queue")
        }

        func collect(timeout: Int64, into collected: inout [CollectedEvent]) -> Int32 {
            let count = wait(timeout)
            guard count >= 0 else { return -count }
            for index in 0..<Int(count) {
                // The kernel's structure is packed on x86-64: copy it as a whole.
                let event = events[index]
                var conditions: CollectedEvent.Conditions = []
                if event.events & EPOLLIN.rawValue != 0 { conditions.insert(.read) }
                if event.events & EPOLLOUT.rawValue != 0 { conditions.insert(.write) }
                if event.events & EPOLLHUP.rawValue != 0 { conditions.insert(.hangUp) }
                if event.events & EPOLLERR.rawValue != 0 { conditions.insert(.error) }
                collected.append(
                    CollectedEvent(
                        descriptor: Int32(truncatingIfNeeded: event.data.u64),
                        generation: UInt32(truncatingIfNeeded: event.data.u64 >> 32), conditions: conditions))
            }
            return 0
        }

        private func wait(_ timeout: Int64) -> Int32 {
            let capacity = Int32(EpollSet.capacity)
            // Zero and infinite timeouts are equal in both, and epoll_wait has a shorter path through the kernel.
            if hasNanoseconds, timeout > 0 {
                let count = cplatform_epoll_pwait2(epoll, events, capacity, timeout)
                if count != -ENOSYS { return count }
                hasNanoseconds = false
            }
            let milliseconds = timeout <= 0 ? timeout : (timeout + 999_999) / 1_000_000
            return cplatform_epoll_wait(epoll, events, capacity, Int32(clamping: milliseconds))
        }

        private func control(
            _ operation: Int32, _ descriptor: Int32, _ generation: UInt32, _ interest: Interest
        ) -> Int32 {
            var event = epoll_event()
            if interest.contains(.read) { event.events |= EPOLLIN.rawValue }
            if interest.contains(.write) { event.events |= EPOLLOUT.rawValue }
            event.data.u64 = UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
            return epoll_ctl(epoll, operation, descriptor, &event) == 0 ? 0 : errno
        }
    }
#endif
