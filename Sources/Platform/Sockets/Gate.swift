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
