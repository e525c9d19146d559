import Synchronization

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
