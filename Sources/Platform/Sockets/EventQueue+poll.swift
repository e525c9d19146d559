import CPlatform

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The descriptors of an event queue that poll(2) watches.
///
/// A dense array for the system call, and each descriptor's position in it: adding appends, removing moves the last
/// entry into the gap. Handlers may change the array, because events are not reported from it directly.
final class PollSet {
    private var entries: [pollfd] = []
    private var generations: [UInt32] = []
    // The index in `entries` by descriptor, valid only for those in the set.
    private var places: [Int32] = []

    func add(_ descriptor: Int32, generation: UInt32, interest: Interest) -> Int32 {
        // poll(2) itself would report a bad descriptor much later, out of context.
        guard fcntl(descriptor, F_GETFD) >= 0 else { return errno }
        let index = Int(descriptor)
        if index >= places.count {
            places.append(contentsOf: repeatElement(-1, count: max(64, places.count, index + 1 - places.count)))
        }
        places[index] = Int32(entries.count)
        entries.append(pollfd(fd: descriptor, events: PollSet.bits(interest), revents: 0))
        generations.append(generation)
        return 0
    }

    func modify(_ descriptor: Int32, interest: Interest) {
        entries[Int(places[Int(descriptor)])].events = PollSet.bits(interest)
    }

    func remove(_ descriptor: Int32) {
        let place = Int(places[Int(descriptor)])
        // The set is not empty: the descriptor is in it.
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
        let count = entries.withUnsafeMutableBufferPointer {
            cplatform_poll($0.baseAddress, nfds_t($0.count), timeout)
        }
        guard count >= 0 else { return -count }
        var remaining = count
        for place in entries.indices where remaining > 0 {
            let flags = Int32(entries[place].revents)
            guard flags != 0 else { continue }
            remaining -= 1
            let descriptor = entries[place].fd
            precondition(
                flags & Int32(POLLNVAL) == 0, "descriptor \(descriptor) was closed before it was removed from the queue"
            )
            var conditions: CollectedEvent.Conditions = []
            if flags & Int32(POLLIN) != 0 { conditions.insert(.read) }
            if flags & Int32(POLLOUT) != 0 { conditions.insert(.write) }
            if flags & Int32(POLLHUP) != 0 { conditions.insert(.hangUp) }
            if flags & Int32(POLLERR) != 0 { conditions.insert(.error) }
            collected.append(
                CollectedEvent(descriptor: descriptor, generation: generations[place], conditions: conditions))
        }
        return 0
    }

    private static func bits(_ interest: Interest) -> Int16 {
        (interest.contains(.read) ? Int16(POLLIN) : 0) | (interest.contains(.write) ? Int16(POLLOUT) : 0)
    }
}
