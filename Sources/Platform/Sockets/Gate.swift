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
