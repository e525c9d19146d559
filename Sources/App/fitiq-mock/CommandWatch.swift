import Sockets

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Waits on the main thread for what comes first: a program's end, its time limit, or a signal to this program.
final class CommandWatch: EventLoopHandler {
    /// What came first.
    enum Event: Equatable {
        /// The program has ended.
        case ended
        /// The time was up.
        case timeUp
        /// This program was sent a signal.
        case signal(Int32)
    }

    private let loop: EventLoop
    private var event: Event?
    private var deadline = MonotonicInstant.now()
    private var nextTick = MonotonicInstant.now()
    private var tick: () -> Void = {}
    private static let interval = Duration.seconds(1)
    private static let childToken: UInt64 = 1

    /// Takes SIGINT, SIGTERM and SIGHUP from here on; the former dispositions return when it is released.
    init() throws(Failure) {
        do throws(SocketError) {
            loop = try EventLoop()
            try loop.watchSignals([SIGINT, SIGTERM, SIGHUP])
        } catch {
            throw .running(error.description)
        }
    }

    /// Lets other threads end a wait for which no program is given: as ``Event/ended``.
    var mailbox: Mailbox { loop.mailbox }

    /// Waits for the first of them, and does something once a second meanwhile.
    func wait(
        for child: ChildProcess? = nil, until deadline: MonotonicInstant, everySecond tick: @escaping () -> Void = {}
    ) throws(Failure) -> Event {
        event = nil
        self.deadline = deadline
        self.tick = tick
        nextTick = .now().advanced(by: Self.interval)
        do throws(SocketError) {
            if let child { try loop.add(child.exitDescriptor, token: Self.childToken, interest: .read) }
            defer { if let child { loop.remove(child.exitDescriptor) } }
            try loop.run(handler: self)
        } catch {
            throw .running(error.description)
        }
        self.tick = {}
        // Stopped by the mailbox, there is none.
        return event ?? .ended
    }

    // MARK: What the loop calls

    func readinessChanged(_ readiness: Readiness, now: MonotonicInstant) { finish(.ended) }

    func signalReceived(_ signal: Int32, now: MonotonicInstant) { finish(.signal(signal)) }

    func turnEnded(now: MonotonicInstant) -> MonotonicInstant? {
        if event == nil, deadline <= now { finish(.timeUp) }
        if event == nil, nextTick <= now {
            tick()
            nextTick = now.advanced(by: Self.interval)
        }
        return min(deadline, nextTick)
    }

    private func finish(_ event: Event) {
        // That the user wants to leave counts for more than what else came in the same turn.
        if case .signal = event { self.event = event }
        self.event = self.event ?? event
        loop.stop()
    }
}

extension Failure {
    /// A signal ended the program: the exit code is what shells make of one.
    static func interrupted(by signal: Int32) -> Failure {
        Failure(message: Messages.interrupted, exitCode: 128 + signal)
    }
}
