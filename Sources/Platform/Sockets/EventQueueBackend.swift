import CLibrary
import CPlatform

extension EventQueue {
    public enum Kind: String, Sendable, CaseIterable {
        #if os(Linux)
            /// epoll(7): the cost of a wait grows with the number of ready descriptors.
            case epoll
            public static let platformDefault = Kind.epoll
        #else
            public static let platformDefault = Kind.poll
        #endif
        /// poll(2): the cost of a wait grows with the number of watched descriptors.
        case poll

        func makeBackend() throws(SocketError) -> any EventQueueBackend {
            switch self {
            #if os(Linux)
                case .epoll: try EpollSet()
            #endif
            case .poll: PollSet()
            }
        }
    }
}

/// The mechanism behind a queue; operations return 0 or an errno.
protocol EventQueueBackend: AnyObject {
    func add(_ descriptor: Int32, generation: UInt32, interest: Interest) -> Int32
    func modify(_ descriptor: Int32, generation: UInt32, interest: Interest)
    func remove(_ descriptor: Int32)
    /// Waits once for `timeout` nanoseconds, or indefinitely if it is negative.
    func collect(timeout: Int64, into collected: inout [CollectedEvent]) -> Int32
}

/// The crash message for a descriptor that was closed too early.
private func closedTooEarly(_ descriptor: Int32) -> String {
    "descriptor \(descriptor) was closed before it was removed from the queue"
}

/// A descriptor that the system found ready and that has not been matched with its registration yet.
struct CollectedEvent {
    struct Conditions: OptionSet {
        /// The poll(2) bits, which are the same as those of epoll(7).
        let rawValue: Int32
        static let read = Conditions(rawValue: Int32(POLLIN))
        static let write = Conditions(rawValue: Int32(POLLOUT))
        static let hangUp = Conditions(rawValue: Int32(POLLHUP))
        static let error = Conditions(rawValue: Int32(POLLERR))
    }

    let descriptor: Int32
    let generation: UInt32
    let conditions: Conditions
}

/// The descriptors of an event queue that poll(2) watches.
///
/// The system call receives a dense array; adding appends, and removing moves the last entry into the gap. Handlers may
/// change the array, because events are collected before they are reported.
final class PollSet: EventQueueBackend {
    private var entries: [pollfd] = []
    private var generations: [UInt32] = []
    // The index in `entries` by descriptor; valid only for members of the set.
    private var places: [Int32] = []

    func add(_ descriptor: Int32, generation: UInt32, interest: Interest) -> Int32 {
        // poll(2) would report a bad descriptor much later, out of context.
        guard fcntl(descriptor, F_GETFD) >= 0 else { return errno }
        let index = Int(descriptor)
        if index >= places.count {
            places.append(contentsOf: repeatElement(-1, count: max(64, places.count, index + 1 - places.count)))
        }
        places[index] = Int32(entries.count)
        entries.append(pollfd(fd: descriptor, events: interest.pollEvents, revents: 0))
        generations.append(generation)
        return 0
    }

    func modify(_ descriptor: Int32, generation: UInt32, interest: Interest) {
        entries[Int(places[Int(descriptor)])].events = interest.pollEvents
    }

    func remove(_ descriptor: Int32) {
        let place = Int(places[Int(descriptor)])
        // The set is not empty, because it contains the descriptor.
        let lastEntry = entries.removeLast()
        let lastGeneration = generations.removeLast()
        if place < entries.count {
            entries[place] = lastEntry
            generations[place] = lastGeneration
            places[Int(lastEntry.fd)] = Int32(place)
        }
        places[Int(descriptor)] = -1
    }

    func collect(timeout: Int64, into collected: inout [CollectedEvent]) -> Int32 {
        let count = entries.withUnsafeMutableBufferPointer { cplatform_poll($0.baseAddress, nfds_t($0.count), timeout) }
        guard count >= 0 else { return -count }
        var remaining = count
        for place in entries.indices where remaining > 0 {
            let flags = Int32(entries[place].revents)
            guard flags != 0 else { continue }
            remaining -= 1
            let descriptor = entries[place].fd
            precondition(flags & Int32(POLLNVAL) == 0, closedTooEarly(descriptor))
            collected.append(
                CollectedEvent(
                    descriptor: descriptor, generation: generations[place], conditions: .init(rawValue: flags)))
        }
        return 0
    }
}

extension Interest {
    /// The events of poll(2).
    var pollEvents: Int16 { (contains(.read) ? Int16(POLLIN) : 0) | (contains(.write) ? Int16(POLLOUT) : 0) }
}

#if os(Linux)
    /// The descriptors of an event queue that epoll(7) watches.
    final class EpollSet: EventQueueBackend {
        /// The maximum reported by one wait; the kernel reports the rest later, so that no descriptor starves.
        private static let capacity = 512
        private let epoll: Int32
        private let events: UnsafeMutablePointer<epoll_event>
        /// Whether epoll_pwait2 exists, which the first wait that needs it determines.
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
            precondition(code == 0, closedTooEarly(descriptor))
        }

        func remove(_ descriptor: Int32) {
            let code = control(EPOLL_CTL_DEL, descriptor, 0, [])
            precondition(code == 0, closedTooEarly(descriptor))
        }

        func collect(timeout: Int64, into collected: inout [CollectedEvent]) -> Int32 {
            let count = wait(timeout)
            guard count >= 0 else { return -count }
            for index in 0..<Int(count) {
                // The kernel's structure is packed on x86-64, so copy it as a whole.
                let event = events[index]
                collected.append(
                    CollectedEvent(
                        descriptor: Int32(truncatingIfNeeded: event.data.u64),
                        generation: UInt32(truncatingIfNeeded: event.data.u64 >> 32),
                        conditions: .init(rawValue: Int32(truncatingIfNeeded: event.events))))
            }
            return 0
        }

        private func wait(_ timeout: Int64) -> Int32 {
            let capacity = Int32(EpollSet.capacity)
            // Both calls treat zero and infinite timeouts in the same way, and epoll_wait is faster.
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
            event.events = UInt32(interest.pollEvents)
            event.data.u64 = UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
            return epoll_ctl(epoll, operation, descriptor, &event) == 0 ? 0 : errno
        }
    }
#endif
