import CLibrary
import Sockets

/// Waits on the main thread for a wake-up from another thread, a deadline, a signal, or terminal keys.
///
/// While the object exists, it handles SIGINT, SIGTERM and SIGHUP. If there is a terminal, it also handles SIGWINCH and
/// SIGTSTP; before the process stops, it returns the terminal to the shell. At the end, it restores the terminal and
/// the signals.
final class MainWait: EventLoopHandler {
    enum Event: Equatable {
        /// Another thread ended the wait through the mailbox.
        case woken
        case timeUp
        case signal(Int32)
        case keys([UInt8])
        /// The terminal is gone or its input has ended.
        case noMoreKeys
    }

    private let loop: EventLoop
    private let terminal: Terminal?
    /// The events that have not been returned yet; signals come first.
    private var events: [Event] = []
    private var deadline: MonotonicInstant?
    private static let keyToken: UInt64 = 1

    /// - Parameters:
    ///   - terminal: standard input's terminal, to read its keys one by one, or nil.
    ///   - signals: the signals to handle.
    init(keysOf terminal: Terminal? = nil, signals: [Int32] = System.stopSignals) throws(Failure) {
        self.terminal = terminal
        do throws(SocketError) {
            loop = try EventLoop()
            try loop.watchSignals(signals)
            guard terminal != nil else { return }
            try loop.watchSignals([SIGTSTP, SIGWINCH])
            try loop.add(STDIN_FILENO, token: Self.keyToken, interest: .read)
        } catch {
            throw .running(error)
        }
        terminal?.setRaw()
    }

    deinit { terminal?.restore() }

    /// The mailbox through which other threads end a wait as ``Event/woken``.
    var mailbox: Mailbox { loop.mailbox }

    /// Waits for the next event.
    ///
    /// - Parameter deadline: when the wait ends as ``Event/timeUp``, or nil for never.
    func next(until deadline: MonotonicInstant? = nil) throws(Failure) -> Event {
        self.deadline = deadline
        if events.isEmpty { try orFailure(try loop.run(handler: self), Failure.running) }
        return events.isEmpty ? .woken : events.removeFirst()
    }

    // MARK: Event loop callbacks

    func readinessChanged(_ readiness: Readiness, now: MonotonicInstant) {
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        if count > 0 {
            events.append(.keys(Array(bytes[..<count])))
        } else if count == 0 || errno != EAGAIN && errno != EINTR {
            events.append(.noMoreKeys)
        }
    }

    func signalReceived(_ signal: Int32, now: MonotonicInstant) {
        guard signal == SIGTSTP else { return events.insert(.signal(signal), at: 0) }
        StandardOutput.flush()
        terminal?.restore()
        // SIGSTOP stops the process until the shell resumes it. A process that has no shell does not stop.
        raise(SIGSTOP)
        terminal?.setRaw()
        events.append(.woken)
    }

    func turnEnded(now: MonotonicInstant) -> MonotonicInstant? {
        if events.isEmpty, let deadline, deadline <= now { events.append(.timeUp) }
        if !events.isEmpty { loop.stop() }
        return deadline
    }
}
