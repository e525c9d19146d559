import Sockets

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Waits on the main thread for the first of: a program's end, its time limit, or a signal to this program.
final class CommandWatch: EventLoopHandler {
    enum Event: Equatable {
        case ended
        case timeUp
        case signal(Int32)
    }

    private let loop: EventLoop
    private var event: Event?
    private var deadline = MonotonicInstant.now()
    private var nextTick = MonotonicInstant.now()
    private var tick: () -> Void = {}
    private static let interval = Duration.seconds(1)
    private static let childToken: UInt64 = 1

    /// Handles SIGINT, SIGTERM and SIGHUP from here on; deinit restores the previous dispositions.
    init() throws(Failure) {
        do throws(SocketError) {
            loop = try EventLoop()
            try loop.watchSignals([SIGINT, SIGTERM, SIGHUP])
        } catch {
            throw .running(error)
        }
    }

    /// Lets other threads end a wait without a program: as ``Event/ended``.
    var mailbox: Mailbox { loop.mailbox }

    /// Waits for the first event; calls a function once a second meanwhile.
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
            throw .running(error)
        }
        self.tick = {}
        // The mailbox stops it without an event.
        return event ?? .ended
    }

    // MARK: Event loop callbacks

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
        // A signal takes precedence over other events of the same turn.
        if case .signal = event { self.event = event }
        self.event = self.event ?? event
        loop.stop()
    }
}
