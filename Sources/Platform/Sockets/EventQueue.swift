import CLibrary

/// Waits for any of many descriptors to become ready, with epoll(7) on Linux and poll(2) on all systems.
///
/// The queue is level-triggered: the next wait reports unhandled readiness again. Every wait reports a hang-up or an
/// error, regardless of the interest, until the descriptor is removed. Remove a descriptor before closing it. Adding a
/// descriptor twice, or modifying or removing one that is not in the queue, crashes.
///
/// All operations except `wait` take constant time, and memory is proportional to the highest descriptor. The handler
/// may add, modify and remove any descriptor; removed descriptors are not reported. Only one thread may use this queue.
public final class EventQueue {
    private struct Registration {
        var token: UInt64 = 0
        /// Counts the additions, so that stale events for a reused descriptor number are dropped.
        var generation: UInt32 = 0
        var interest: Interest = []
        var isActive = false
    }

    @exclusivity(unchecked) public private(set) var count = 0
    private let backend: any EventQueueBackend
    @exclusivity(unchecked) private var registrations: [Registration] = []
    @exclusivity(unchecked) private var collected: [CollectedEvent] = []
    @exclusivity(unchecked) private var isDelivering = false
    public convenience init(kind: Kind = .platformDefault) throws(SocketError) { self.init(try kind.makeBackend()) }
    init(_ backend: any EventQueueBackend) { self.backend = backend }

    /// Starts watching the descriptor; its readiness is reported with the token.
    ///
    /// Fails if the system is out of memory or watches, or (epoll only) if the descriptor is a regular file.
    public func add(_ descriptor: Int32, token: UInt64, interest: Interest) throws(SocketError) {
        let index = Int(descriptor)
        precondition(index >= 0, "\(descriptor) is not a file descriptor")
        let former = index < registrations.count ? registrations[index] : Registration()
        precondition(!former.isActive, "descriptor \(index) is already in the queue; remove it before closing it")
        let generation = former.generation &+ 1
        let code = backend.add(descriptor, generation: generation, interest: interest)
        guard code == 0 else { throw SocketError(.watch, code: code) }
        // Grow only after the system has accepted the descriptor, so that the limit on open files bounds the table.
        if index >= registrations.count { growRegistrations(toHold: index) }
        registrations[index] = Registration(token: token, generation: generation, interest: interest, isActive: true)
        count += 1
    }

    /// Changes the interest and the token of the descriptor.
    public func modify(_ descriptor: Int32, token: UInt64, interest: Interest) {
        let index = activeIndex(of: descriptor)
        registrations[index].token = token
        guard registrations[index].interest != interest else { return }
        registrations[index].interest = interest
        backend.modify(descriptor, generation: registrations[index].generation, interest: interest)
    }

    /// Stops watching the descriptor.
    public func remove(_ descriptor: Int32) {
        let index = activeIndex(of: descriptor)
        registrations[index].isActive = false
        count -= 1
        backend.remove(descriptor)
    }

    /// Waits until a descriptor is ready or the deadline has passed, and reports each ready descriptor once.
    ///
    /// A nil deadline waits indefinitely; a past deadline polls. The wait never ends early without a report. Deadlines
    /// have the resolution of the system's timers, or one millisecond without epoll_pwait2 and ppoll. The handler must
    /// not wait on the same queue.
    public func wait(until deadline: MonotonicInstant?, _ body: (Readiness) -> Void) throws(SocketError) {
        try collect(until: deadline)
        deliver(body)
    }

    /// The first half of `wait`: blocks until descriptors are ready, and returns how many.
    @discardableResult
    func collect(until deadline: MonotonicInstant?) throws(SocketError) -> Int {
        precondition(!isDelivering, "a handler must not wait on the queue that called it")
        collected.removeAll(keepingCapacity: true)
        while true {
            let timeout = deadline.map { min(max(0, $0.saturatingNanoseconds(since: .now())), longestTimeout) }
            let code = backend.collect(timeout: timeout ?? -1, into: &collected)
            switch code {
            case 0: break
            case EINTR: continue
            default: throw SocketError(.wait, code: code)
            }
            if !collected.isEmpty { return collected.count }
            // Nothing is ready: the deadline has passed, or the timeout was capped at `longestTimeout`.
            if let deadline, timeout == 0 || deadline <= .now() { return 0 }
        }
    }

    /// The second half of `wait`: reports those of the collected events that are still wanted.
    func deliver(_ body: (Readiness) -> Void) {
        isDelivering = true
        defer { isDelivering = false }
        for position in collected.indices {
            let event = collected[position]
            let registration = registrations[Int(event.descriptor)]
            guard registration.isActive, registration.generation == event.generation else { continue }
            // A read or write on a broken connection does not block; it returns the failure.
            let broken = !event.conditions.isDisjoint(with: [.hangUp, .error])
            let readable = registration.interest.contains(.read) && (broken || event.conditions.contains(.read))
            let writable = registration.interest.contains(.write) && (broken || event.conditions.contains(.write))
            // An earlier handler may have removed the interest in this turn.
            guard readable || writable || broken else { continue }
            body(
                Readiness(
                    token: registration.token, readable: readable, writable: writable,
                    hangUp: event.conditions.contains(.hangUp), error: event.conditions.contains(.error)))
        }
    }

    private func activeIndex(of descriptor: Int32) -> Int {
        let index = Int(descriptor)
        let isActive = registrations.indices.contains(index) && registrations[index].isActive
        precondition(isActive, "descriptor \(descriptor) is not in the queue")
        return index
    }

    private func growRegistrations(toHold index: Int) {
        let capacity = max(64, registrations.count * 2, index + 1)
        registrations.reserveCapacity(capacity)
        while registrations.count < capacity { registrations.append(Registration()) }
    }
}

/// One hour: epoll_wait(2) and poll(2) count milliseconds in 32 bits, and one idle turn per hour is harmless.
private let longestTimeout: Int64 = 3_600_000_000_000

/// The conditions to watch on a descriptor; if empty, only a broken connection is reported.
public struct Interest: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Reading would not block: there are bytes, a pending connection, the end of the stream, or a failure.
    public static let read = Interest(rawValue: 1)
    /// Writing would not block: there is space in the send buffer, connecting has ended, or there is a failure.
    public static let write = Interest(rawValue: 2)
}

/// A ready descriptor, identified by its token.
public struct Readiness: Sendable, Hashable {
    /// The latest token given to `add` or `modify`.
    public let token: UInt64
    /// A read would return bytes, the end of the stream or a failure; reported only with an interest in reading.
    public let readable: Bool
    /// Writing would not block; reported only if write events were requested.
    public let writable: Bool
    /// Both directions are closed; always reported.
    public let hangUp: Bool
    /// The connection has failed, for example because of a reset; always reported.
    public let error: Bool
}
