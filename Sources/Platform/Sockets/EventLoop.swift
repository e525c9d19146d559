import CPlatform

/// Waits for readiness, signals and posted work on one thread and hands them to one handler.
///
/// A turn is: wait; report each ready descriptor; deliver signals and do posted work; `turnEnded`. The clock is read
/// once after the wait, and once more before `turnEnded` if anything was reported. Belongs to the thread that runs it:
/// others reach it through its mailbox.
public final class EventLoop {
    /// Tokens that the loop keeps for its own descriptors.
    public static let reservedTokens: ClosedRange<UInt64> = (UInt64.max - 15)...UInt64.max

    private static let mailboxToken = UInt64.max
    private static let signalToken = UInt64.max - 1

    /// Takes work from other threads to this loop's thread.
    public let mailbox: Mailbox

    private let queue: EventQueue
    private var signalPipe: WakePipe?
    private var watchedSignals: [Int32] = []
    private var isStopping = false
    private var isRunning = false

    /// Opens a loop with an empty queue; SIGPIPE is ignored in the process from here on.
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

    /// The mechanism that the loop waits with.
    public var queueKind: EventQueue.Kind { queue.kind }

    /// Starts to watch the descriptor under a token that is not one of `reservedTokens`; see `EventQueue.add`.
    public func add(_ descriptor: Int32, token: UInt64, interest: Interest) throws(SocketError) {
        precondition(!EventLoop.reservedTokens.contains(token), "token \(token) is reserved for the loop itself")
        try queue.add(descriptor, token: token, interest: interest)
    }

    /// Changes what the descriptor is watched for, and its token; see `EventQueue.modify`.
    public func modify(_ descriptor: Int32, token: UInt64, interest: Interest) {
        precondition(!EventLoop.reservedTokens.contains(token), "token \(token) is reserved for the loop itself")
        queue.modify(descriptor, token: token, interest: interest)
    }

    /// Stops watching the descriptor, to be called before it is closed; see `EventQueue.remove`.
    public func remove(_ descriptor: Int32) {
        queue.remove(descriptor)
    }

    /// Has the signals delivered to the handler on the loop's thread instead of acting on the process.
    ///
    /// Signals are process-wide, so a signal has one watching loop: a second one gets an error. The former dispositions
    /// return when the loop is released. Arrivals that the loop has not seen yet are merged, as POSIX does. A signal that the
    /// program inherited as blocked is let through to the calling thread.
    public func watchSignals(_ signals: [Int32]) throws(SocketError) {
        let pipe = try openSignalPipe()
        for signal in signals where !watchedSignals.contains(signal) {
            let code = cplatform_watch_signal(signal, pipe.writer)
            guard code == 0 else { throw SocketError(.watchSignal, code: -code, subject: .signal(signal)) }
            watchedSignals.append(signal)
        }
    }

    /// Runs turns until stopped; returns at the end of the turn in which it was.
    ///
    /// Throws only if the system cannot wait any more. A loop can be run again. Crashes if it is running already.
    public func run(handler: some EventLoopHandler) throws(SocketError) {
        precondition(!isRunning, "the loop is running already")
        isRunning = true
        defer {
            isRunning = false
            isStopping = false
        }
        var deadline = handler.turnEnded(now: .now())
        while !isStopping {
            let count = try queue.collect(until: deadline)
            var now = MonotonicInstant.now()
            if count > 0 {
                turn(handler, now)
                now = .now()
            }
            deadline = handler.turnEnded(now: now)
        }
    }

    /// Has `run` return at the end of this turn, or of the first one if it is not running yet.
    ///
    /// Call it on the loop's thread, from the handler or from posted work; other threads use `Mailbox.requestStop`.
    public func stop() {
        isStopping = true
    }

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
        // After the sockets, whatever the order in which the system reported them.
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

/// What an event loop calls, always on its own thread.
public protocol EventLoopHandler: AnyObject {
    /// The descriptor with that token is ready; `now` is the time at which the wait ended.
    func readinessChanged(_ readiness: Readiness, now: MonotonicInstant)

    /// A watched signal has arrived, perhaps several times since the last call.
    func signalReceived(_ signal: Int32, now: MonotonicInstant)

    /// Called at the end of each turn, after all readiness; serves what is due and returns the next deadline.
    ///
    /// nil waits until something happens. Also called once before the first wait.
    func turnEnded(now: MonotonicInstant) -> MonotonicInstant?
}
