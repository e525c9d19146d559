import CLibrary
import CPlatform
import Synchronization

/// Work and wake-ups that other threads post to the thread of an event loop.
///
/// Work from one thread runs in posting order. Several pending posts wake the loop only once.
public final class Mailbox: Sendable {
    private struct State {
        var pending: [@Sendable () -> Void] = []
        var isWakeRequested = false
        var isStopRequested = false
    }

    /// The maximum number of pending work items; more are rejected.
    public let capacity: Int
    private let pipe: WakePipe
    private let state = Mutex(State())

    public init(capacity: Int = 1 << 18) throws(SocketError) {
        precondition(capacity > 0, "a mailbox must have a capacity of at least one")
        self.capacity = capacity
        pipe = try WakePipe()
    }

    deinit { pipe.close() }
    /// Readable when there is work to drain.
    public var descriptor: Int32 { pipe.reader }

    /// Runs the work on the loop's thread; any thread may call this.
    ///
    /// Returns false and drops the work if `capacity` items are pending. The mailbox releases undrained work when it is
    /// released.
    @discardableResult
    public func post(_ work: @escaping @Sendable () -> Void) -> Bool {
        update { state in
            guard state.pending.count < capacity else { return false }
            state.pending.append(work)
            return true
        }
    }

    /// Stops the mailbox's loop at the end of its turn, after the work posted earlier.
    ///
    /// Any thread may call this, unlike `EventLoop.stop`.
    public func requestStop() {
        _ = update { state in
            state.isStopRequested = true
            return true
        }
    }

    /// Applies a change, and wakes the loop unless the change failed or the loop was already woken.
    private func update(_ change: (inout State) -> Bool) -> Bool {
        let (isMade, wakes) = state.withLock { state in
            guard change(&state) else { return (false, false) }
            defer { state.isWakeRequested = true }
            return (true, !state.isWakeRequested)
        }
        if wakes { pipe.wake() }
        return isMade
    }

    /// Runs all posted work in order; returns true if a stop was requested.
    ///
    /// Work posted in the meantime runs in the next call, so that it cannot starve the sockets.
    @discardableResult
    public func drain() -> Bool {
        // Clear first: a concurrent post is either taken below or wakes the loop again.
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

/// A pipe to this process through which another thread or a signal handler wakes the loop.
struct WakePipe: Sendable {
    let reader: Int32
    let writer: Int32

    init() throws(SocketError) {
        var ends: [Int32] = [-1, -1]
        let code = cplatform_open_pipe(&ends)
        guard code == 0 else { throw SocketError(.openQueue, code: -code) }
        (reader, writer) = (ends[0], ends[1])
    }

    // A full pipe is not an error: its reader is already readable.
    func wake() {
        var byte: UInt8 = 0
        while write(writer, &byte, 1) < 0, errno == EINTR {}
    }

    /// Consumes all wake-ups so far.
    func clear() {
        withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
            var count = 0
            // The pipe can hold more bytes only if the buffer is full.
            repeat {
                count = read(reader, buffer.baseAddress, buffer.count)
            } while count == buffer.count || (count < 0 && errno == EINTR)
        }
    }

    func close() {
        closeDescriptor(reader)
        closeDescriptor(writer)
    }
}

/// A gate for threads that starts closed and never closes again once opened.
///
/// A gate uses two file descriptors. A thread that has passed the gate sees all memory written before the gate was
/// opened.
public final class Gate: Sendable {
    private let pipe: WakePipe
    /// Creates a closed gate; throws if the process is out of descriptors.
    public init() throws(SocketError) { pipe = try WakePipe() }
    deinit { pipe.close() }
    /// Lets all current and future waiters pass; any thread may call this, any number of times.
    public func open() { pipe.wake() }

    /// Readable once the gate is open.
    public var descriptor: Int32 { pipe.reader }

    /// Blocks the thread until the gate is open; false if it is not open by the deadline.
    @discardableResult
    public func wait(until deadline: MonotonicInstant = MonotonicInstant(nanoseconds: .max)) -> Bool {
        SingleDescriptorPoll.wait(for: .read, on: pipe.reader, until: deadline) == nil
    }
}

/// A system thread, for a loop that runs in parallel with the program's main work.
public enum SystemThread {
    /// Runs the work on a new, detached thread that ends with the work; throws if the system cannot create a thread.
    ///
    /// The work is sent to the thread: its state need not be thread-safe if only the work references it.
    public static func start(_ work: sending @escaping () -> Void) throws(SocketError) {
        let box = Unmanaged.passRetained(Box(work))
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let code = pthread_create(&thread, nil, { SystemThread.run($0) }, box.toOpaque())
        guard code == 0 else {
            box.release()
            throw SocketError(.startThread, code: code)
        }
        #if canImport(Darwin)
            // pthread_create sets it on success.
            if let thread { pthread_detach(thread) }
        #else
            pthread_detach(thread)
        #endif
    }

    // The argument is optional on some systems only.
    private static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument else { preconditionFailure("pthread_create must pass on its argument.") }
        Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().work()
        return nil
    }

    private final class Box {
        let work: () -> Void
        init(_ work: @escaping () -> Void) { self.work = work }
    }
}
