import CPlatform

/// Waits for readiness, signals and posted work on one thread and passes them to one handler.
///
/// A turn waits, reports each ready descriptor, delivers signals and posted work, and calls `turnEnded`. A turn reads
/// the clock after the wait, and again before `turnEnded` if it reported anything. A deadline that has not passed by
/// the end of a turn is handled at least a millisecond later, so a busy loop handles everything that falls due within a
/// millisecond in one turn. Only the thread that runs the loop may use it; other threads use its mailbox.
public final class EventLoop {
    /// Tokens reserved for the loop's own descriptors.
    public static let reservedTokens: ClosedRange<UInt64> = (UInt64.max - 15)...UInt64.max
    private static let mailboxToken = UInt64.max
    private static let signalToken = UInt64.max - 1
    /// Passes work from other threads to the loop's thread.
    public let mailbox: Mailbox
    private let queue: EventQueue
    private var signalPipe: WakePipe?
    private var watchedSignals: [Int32] = []
    private var isStopping = false
    private var isRunning = false

    /// Opens a loop with an empty queue, and ignores SIGPIPE in this process.
    public init(queueKind: EventQueue.Kind = .platformDefault) throws(SocketError) {
        CurrentProcess.ignoreBrokenPipeSignal()
        mailbox = try Mailbox()
        queue = try EventQueue(kind: queueKind)
        try queue.add(mailbox.descriptor, token: EventLoop.mailboxToken, interest: .read)
    }

    deinit {
        for signal in watchedSignals { cplatform_unwatch_signal(signal) }
        signalPipe?.close()
    }

    /// Starts watching the descriptor under a token outside `reservedTokens`; see `EventQueue.add`.
    public func add(_ descriptor: Int32, token: UInt64, interest: Interest) throws(SocketError) {
        precondition(!EventLoop.reservedTokens.contains(token), "token \(token) is reserved for the loop itself")
        try queue.add(descriptor, token: token, interest: interest)
    }

    /// Changes the interest and the token of the descriptor; see `EventQueue.modify`.
    public func modify(_ descriptor: Int32, token: UInt64, interest: Interest) {
        precondition(!EventLoop.reservedTokens.contains(token), "token \(token) is reserved for the loop itself")
        queue.modify(descriptor, token: token, interest: interest)
    }

    /// Stops watching the descriptor, which must still be open; see `EventQueue.remove`.
    public func remove(_ descriptor: Int32) { queue.remove(descriptor) }

    /// Delivers the signals to the handler on the loop's thread instead of performing their default action.
    ///
    /// Signals are process-wide, so only one loop may watch a signal; a second one throws. The deinitializer restores
    /// the previous dispositions. Pending signals are merged, as in POSIX. A signal inherited as blocked is unblocked
    /// in the calling thread. A SIGHUP inherited as ignored, as under nohup(1), stays ignored.
    public func watchSignals(_ signals: [Int32]) throws(SocketError) {
        let pipe = try openSignalPipe()
        for signal in signals where !watchedSignals.contains(signal) {
            let code = cplatform_watch_signal(signal, pipe.writer)
            guard code == 0 else { throw SocketError(.watchSignal, code: -code, subject: .signal(signal)) }
            watchedSignals.append(signal)
        }
    }

    /// Runs turns until stopped by ``stop()`` or the mailbox.
    ///
    /// Throws only if waiting fails. A loop can be run again. Crashes if it is already running.
    public func run(handler: some EventLoopHandler) throws(SocketError) {
        precondition(!isRunning, "the loop is already running")
        isRunning = true
        defer {
            isRunning = false
            isStopping = false
        }
        var now = MonotonicInstant.now()
        while true {
            let deadline = handler.turnEnded(now: now)
            if isStopping { return }
            let count = try queue.collect(until: deadline.map { $0 > now ? max($0, now.afterShortestWait) : $0 })
            now = .now()
            if count > 0 {
                turn(handler, now)
                now = .now()
            }
        }
    }

    /// Makes `run` return at the end of this turn, or of its first turn if it is not running yet.
    ///
    /// Call it on the loop's thread, from the handler or from posted work; other threads use `Mailbox.requestStop`.
    public func stop() { isStopping = true }

    private func turn(_ handler: some EventLoopHandler, _ now: MonotonicInstant) {
        var hasMail = false
        var hasSignals = false
        queue.deliver { readiness in
            switch readiness.token {
            case EventLoop.mailboxToken: hasMail = true
            case EventLoop.signalToken: hasSignals = true
            default: handler.readinessChanged(readiness, now: now)
            }
        }
        // Handle signals after sockets, regardless of the system's order.
        if hasSignals { deliverSignals(to: handler, now) }
        if hasMail, mailbox.drain() { stop() }
    }

    private func deliverSignals(to handler: some EventLoopHandler, _ now: MonotonicInstant) {
        signalPipe?.clear()
        for signal in watchedSignals where cplatform_take_signal(signal) != 0 {
            handler.signalReceived(signal, now: now)
        }
    }

    private func openSignalPipe() throws(SocketError) -> WakePipe {
        if let signalPipe { return signalPipe }
        let pipe = try WakePipe()
        do throws(SocketError) {
            try queue.add(pipe.reader, token: EventLoop.signalToken, interest: .read)
        } catch {
            pipe.close()
            throw error
        }
        signalPipe = pipe
        return pipe
    }
}

/// The handler of an event loop, called only on the loop's thread.
public protocol EventLoopHandler: AnyObject {
    /// The descriptor with this token is ready; `now` is the time at which the wait ended.
    func readinessChanged(_ readiness: Readiness, now: MonotonicInstant)
    /// A watched signal has arrived, possibly several times since the last call.
    func signalReceived(_ signal: Int32, now: MonotonicInstant)

    /// Called at the end of each turn; handles the work that is due and returns the next deadline.
    ///
    /// If that is nil, the loop waits until an event arrives. The loop also calls this once before the first wait.
    func turnEnded(now: MonotonicInstant) -> MonotonicInstant?
}

extension MonotonicInstant {
    /// The earliest time of the next turn for a deadline that is not due yet.
    fileprivate var afterShortestWait: MonotonicInstant { MonotonicInstant(nanoseconds: nanoseconds + 1_000_000) }
}
