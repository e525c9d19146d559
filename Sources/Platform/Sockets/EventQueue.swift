#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Waits for any of many descriptors to become ready: epoll(7) where there is one, poll(2) everywhere.
///
/// Level-triggered: what is not dealt with is reported again by the next wait. A descriptor with a hang-up or an error
/// is reported by every wait, whatever its interest, until it is removed. Remove a descriptor before closing it; adding
/// one twice, or modifying or removing one that is not in the queue, is a programming error and crashes.
///
/// All operations but `wait` take constant time, and memory is proportional to the highest descriptor. The handler may
/// add, modify and remove any descriptor: what is removed is not reported any more, not even to a new socket that got
/// the same number. Belongs to one thread.
public final class EventQueue {
    /// One descriptor's entry, found by its number.
    private struct Registration {
        var token: UInt64 = 0
        /// Counts the additions, so that what was collected for a former owner of the number is not reported.
        var generation: UInt32 = 0
        var interest: Interest = []
        var isActive = false
    }

    /// The mechanism in use.
    public let kind: Kind

    /// The number of descriptors in the queue.
    public private(set) var count = 0

    private let backend: EventQueueBackend
    private var registrations: [Registration] = []
    private var collected: [CollectedEvent] = []
    private var isDelivering = false

    /// Opens an empty queue.
    public convenience init(kind: Kind = .platformDefault) throws(SocketError) {
        self.init(kind: kind, backend: try EventQueueBackend(kind: kind))
    }

    init(kind: Kind, backend: EventQueueBackend) {
        self.kind = kind
        self.backend = backend
    }

    /// Starts to watch the descriptor; its readiness is reported with the token.
    ///
    /// Fails if the system is out of memory or of watches, or if the descriptor is a regular file (epoll only).
    public func add(_ descriptor: Int32, token: UInt64, interest: Interest) throws(SocketError) {
        let index = Int(descriptor)
        precondition(index >= 0, "\(descriptor) is not a file descriptor")
        let former = index < registrations.count ? registrations[index] : Registration()
        precondition(!former.isActive, "descriptor \(index) is in the queue already; remove it before closing it")
        let generation = former.generation &+ 1
        let code = backend.add(descriptor, generation: generation, interest: interest)
        guard code == 0 else { throw SocketError(.watch, code: code) }
        // Only now: the system has vouched for the number, which bounds the table by the limit of open files.
        if index >= registrations.count { growRegistrations(toHold: index) }
        registrations[index] = Registration(token: token, generation: generation, interest: interest, isActive: true)
        count += 1
    }

    /// Changes what the descriptor is watched for, and its token.
    public func modify(_ descriptor: Int32, token: UInt64, interest: Interest) {
        let index = activeIndex(of: descriptor)
        registrations[index].token = token
        guard registrations[index].interest != interest else { return }
        registrations[index].interest = interest
        backend.modify(descriptor, generation: registrations[index].generation, interest: interest)
    }

    /// Stops watching the descriptor; nothing is reported for it any more.
    public func remove(_ descriptor: Int32) {
        let index = activeIndex(of: descriptor)
        registrations[index].isActive = false
        count -= 1
        backend.remove(descriptor)
    }

    /// Waits until something is ready or the deadline has come, and reports each ready descriptor once.
    ///
    /// nil waits for as long as it takes; a deadline in the past looks without waiting. Returns never before the
    /// deadline with nothing reported. Deadlines are kept to the nanosecond that the system's timers allow: where it
    /// has neither epoll_pwait2 nor ppoll, to the next millisecond. The handler must not wait on the same queue.
    public func wait(until deadline: MonotonicInstant?, _ body: (Readiness) -> Void) throws(SocketError) {
        try collect(until: deadline)
        deliver(body)
    }

    /// The first half of `wait`: blocks, and returns the number of descriptors found ready.
    @discardableResult
    func collect(until deadline: MonotonicInstant?) throws(SocketError) -> Int {
        precondition(!isDelivering, "the handler of a wait must not wait on the same queue")
        collected.removeAll(keepingCapacity: true)
        while true {
            let timeout = deadline.map { min(max(0, $0.saturatingNanoseconds(since: .now())), longestTimeout) }
            let code = backend.collect(timeout: timeout ?? -1, into: &collected)
            switch code {
            case 0: break
            case interruptedCode: continue
            default: throw SocketError(.wait, code: code)
            }
            if !collected.isEmpty { return collected.count }
            // Nothing: the deadline has come, or the timeout was cut to the longest that every system takes.
            if let deadline, timeout == 0 || deadline <= .now() { return 0 }
        }
    }

    /// The second half of `wait`: reports what was collected and is still wanted.
    func deliver(_ body: (Readiness) -> Void) {
        isDelivering = true
        defer { isDelivering = false }
        for position in collected.indices {
            let event = collected[position]
            let registration = registrations[Int(event.descriptor)]
            guard registration.isActive, registration.generation == event.generation else { continue }
            // A read or write on a broken connection does not block: it returns the failure.
            let broken = !event.conditions.isDisjoint(with: [.hangUp, .error])
            let readable = registration.interest.contains(.read) && (broken || event.conditions.contains(.read))
            let writable = registration.interest.contains(.write) && (broken || event.conditions.contains(.write))
            // An earlier handler of this turn may have lost the interest.
            guard readable || writable || broken else { continue }
            body(
                Readiness(
                    token: registration.token, readable: readable, writable: writable,
                    hangUp: event.conditions.contains(.hangUp), error: event.conditions.contains(.error)))
        }
    }

    private func activeIndex(of descriptor: Int32) -> Int {
        let index = Int(descriptor)
        precondition(
            index >= 0 && index < registrations.count && registrations[index].isActive,
            "descriptor \(descriptor) is not in the queue")
        return index
    }

    private func growRegistrations(toHold index: Int) {
        let capacity = max(64, registrations.count * 2, index + 1)
        registrations.reserveCapacity(capacity)
        while registrations.count < capacity { registrations.append(Registration()) }
    }
}

/// One hour: epoll_wait(2) and poll(2) count milliseconds in 32 bits, and nobody minds one idle turn in an hour.
private let longestTimeout: Int64 = 3_600_000_000_000

extension MonotonicInstant {
    /// Nanoseconds from the earlier instant to this one, saturating.
    func saturatingNanoseconds(since earlier: MonotonicInstant) -> Int64 {
        let (difference, overflow) = nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
        guard overflow else { return difference }
        return self < earlier ? .min : .max
    }
}

/// One descriptor that the system found ready, before it is matched with its registration.
struct CollectedEvent {
    struct Conditions: OptionSet {
        let rawValue: UInt8
        static let read = Conditions(rawValue: 1)
        static let write = Conditions(rawValue: 2)
        static let hangUp = Conditions(rawValue: 4)
        static let error = Conditions(rawValue: 8)
    }

    let descriptor: Int32
    let generation: UInt32
    let conditions: Conditions
}

/// The errno of a wait that a signal interrupted.
let interruptedCode = EINTR

/// What a descriptor is watched for; with nothing, only a broken connection is reported.
public struct Interest: OptionSet, Sendable, Hashable {
    /// The bits, one for each condition.
    public let rawValue: UInt8

    /// The interest of those bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Reading would not block: bytes, a waiting connection, the end of the stream, or a failure.
    public static let read = Interest(rawValue: 1)

    /// Writing would not block: room in the send buffer, connecting has ended, or a failure.
    public static let write = Interest(rawValue: 2)
}

/// One descriptor that is ready, named by the token it was added with.
public struct Readiness: Sendable, Hashable {
    /// The token given to `add` or, later, to `modify`.
    public let token: UInt64

    /// Reading would not block; reported only to those interested in reading.
    ///
    /// The end of the stream and a failure count: the next read returns them.
    public let readable: Bool

    /// Writing would not block; reported only to those interested in writing.
    public let writable: Bool

    /// Both directions are closed; reported without being asked for.
    public let hangUp: Bool

    /// The connection has failed, for example by a reset; reported without being asked for.
    public let error: Bool
}
