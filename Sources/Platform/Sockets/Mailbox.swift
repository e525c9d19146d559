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
