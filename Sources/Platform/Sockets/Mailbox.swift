import CPlatform
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Work and wake-ups that other threads post to the thread of an event loop.
///
/// Work posted by one thread is done in the order of posting. However many post at once, the loop is woken once.
public final class Mailbox: Sendable {
    private struct State {
        var pending: [@Sendable () -> Void] = []
        var isWakeRequested = false
        var isStopRequested = false
    }

    /// How much work may wait; more is refused.
    public let capacity: Int

    private let pipe: WakePipe
    private let state = Mutex(State())

    /// A mailbox that holds up to that many pieces of work not yet done.
    public init(capacity: Int = 1 << 18) throws(SocketError) {
        precondition(capacity > 0, "a mailbox holds at least one piece of work")
        self.capacity = capacity
        pipe = try WakePipe()
    }

    deinit {
        pipe.close()
    }

    /// The descriptor that becomes readable when there is something to drain.
    public var descriptor: Int32 { pipe.reader }

    /// Has the loop's thread do the work; any thread may call.
    ///
    /// False if as much work as `capacity` is waiting already: this piece is refused and will not be done. Work that is
    /// never drained is released with the mailbox.
    @discardableResult
    public func post(_ work: @escaping @Sendable () -> Void) -> Bool {
        let (isAccepted, wakes) = state.withLock { state in
            guard state.pending.count < capacity else { return (false, false) }
            state.pending.append(work)
            defer { state.isWakeRequested = true }
            return (true, !state.isWakeRequested)
        }
        if wakes { pipe.wake() }
        return isAccepted
    }

    /// Has the loop that owns the mailbox stop at the end of its turn, after the work posted before.
    ///
    /// Unlike `EventLoop.stop`, any thread may call.
    public func requestStop() {
        let wakes = state.withLock { state in
            state.isStopRequested = true
            defer { state.isWakeRequested = true }
            return !state.isWakeRequested
        }
        if wakes { pipe.wake() }
    }

    /// Does everything that was posted so far, in order; true if a stop was requested.
    ///
    /// The loop's thread calls this when the descriptor is readable. What the work itself posts is left for the next
    /// time, so the work cannot starve the sockets.
    @discardableResult
    public func drain() -> Bool {
        // Clear first: what is posted from here on either is taken just below or wakes the loop again.
        pipe.clear()
        var work: [@Sendable () -> Void] = []
        let stops = state.withLock { state in
            swap(&state.pending, &work)
            state.isWakeRequested = false
            defer { state.isStopRequested = false }
            return state.isStopRequested
        }
        for piece in work { piece() }
        return stops
    }
}

/// A pipe to oneself: writing to it, from another thread or a signal handler, wakes the loop that watches it.
struct WakePipe: Sendable {
    let reader: Int32
    let writer: Int32

    init() throws(SocketError) {
        var ends: [Int32] = [-1, -1]
        let code = cplatform_open_pipe(&ends)
        guard code == 0 else { throw SocketError(.openQueue, code: -code) }
        reader = ends[0]
        writer = ends[1]
    }

    // A full pipe is no failure: the reader is readable already.
    func wake() {
        var byte: UInt8 = 0
        while write(writer, &byte, 1) < 0, errno == EINTR {}
    }

    /// Takes back every wake-up so far.
    func clear() {
        withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
            while true {
                let count = read(reader, buffer.baseAddress, buffer.count)
                // A full buffer, and only that, may have left some behind.
                if count == buffer.count || (count < 0 && errno == EINTR) { continue }
                return
            }
        }
    }

    func close() {
        closeDescriptor(reader)
        closeDescriptor(writer)
    }
}

/// Something that threads wait for: closed at first, and open for good once it was opened.
///
/// Takes two file descriptors. What was written before it is opened can be read by whoever has passed it.
public final class Gate: Sendable {
    private let pipe: WakePipe

    /// Makes a gate that is closed.
    ///
    /// - Throws: where the process has no more descriptors.
    public init() throws(SocketError) { pipe = try WakePipe() }

    deinit { pipe.close() }

    /// Lets everybody pass who waits, now or later; any thread may call, more than once.
    public func open() { pipe.wake() }

    /// Blocks the thread until the gate is open; true at once where it is, false where it is not by the deadline.
    @discardableResult
    public func wait(until deadline: MonotonicInstant = MonotonicInstant(nanoseconds: .max)) -> Bool {
        SingleDescriptorPoll.wait(for: .read, on: pipe.reader, until: deadline) == nil
    }
}

/// A thread of the system's, for a loop that runs beside the program's own work.
public enum SystemThread {
    /// Runs the work on a new thread, which ends with it; nobody needs to join it.
    ///
    /// The work is handed over whole: what only it refers to need not be safe to share.
    ///
    /// - Throws: where the system has no room for another thread.
    public static func start(_ work: sending @escaping () -> Void) throws(SocketError) {
        let box = Unmanaged.passRetained(Box(work))
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let code = pthread_create(
            &thread, nil,
            { argument in
                SystemThread.run(argument)
                return nil
            }, box.toOpaque())
        guard code == 0 else {
            box.release()
            throw SocketError(.startThread, code: code)
        }
        #if canImport(Darwin)
            // Set by pthread_create where it succeeds.
            if let thread { pthread_detach(thread) }
        #else
            pthread_detach(thread)
        #endif
    }

    // Optional on some systems, and not on others.
    private static func run(_ argument: UnsafeMutableRawPointer?) {
        guard let argument else { preconditionFailure("pthread_create hands over what it was given.") }
        Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().work()
    }

    private final class Box {
        let work: () -> Void

        init(_ work: @escaping () -> Void) { self.work = work }
    }
}
