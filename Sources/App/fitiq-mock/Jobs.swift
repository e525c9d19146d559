import Sockets
import Synchronization
import Text

/// Numbered jobs that other threads do, while the main thread waits for their end, a signal, or the end of their time.
///
/// A worker takes jobs until none are left.
final class Jobs<Output: Sendable>: Sendable {
    private struct State: Sendable {
        var next = 0
        var workerCount = 0
        var outputs: [Int: Output] = [:]
        /// Why the rest is not done; nil while it is.
        var end: Result<String, Failure>?
    }

    /// The results before the end, or before an interruption.
    struct Done {
        /// In the order of the jobs.
        var outputs: [Output]
        /// Why the rest was not done; nil if everything was.
        var reason: String?
        var signal: Int32?
    }

    private let count: Int
    private let mailbox: Mailbox
    private let state = Mutex(State())
    /// The time for running jobs to end when the rest is skipped.
    private static var patience: Duration { .seconds(5) }

    /// - Parameter mailbox: That of the main thread's wait.
    init(count: Int, _ mailbox: Mailbox) { (self.count, self.mailbox) = (count, mailbox) }

    /// Starts workers, each on its own thread; fewer than wanted if the system has no room for more.
    func start(_ workerCount: Int, _ work: @escaping @Sendable () -> Void) throws(Failure) {
        for number in 0..<min(workerCount, count) {
            state.withLock { $0.workerCount += 1 }
            do throws(SocketError) {
                try SystemThread.start { [self] in
                    work()
                    state.withLock { $0.workerCount -= 1 }
                    mailbox.requestStop()
                }
            } catch {
                state.withLock { $0.workerCount -= 1 }
                guard number > 0 else { throw .running(error) }
                return
            }
        }
    }

    /// The next job; nil after the last one, and after a stop.
    func take() -> Int? {
        state.withLock { state in
            guard state.next < count, state.end == nil else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }

    var isOver: Bool { state.withLock { $0.end != nil } }

    /// Keeps a job's result, and returns whether it counts: not if it was still running when the rest was given up.
    func finish(_ job: Int, _ output: Output) -> Bool {
        state.withLock { state in
            guard state.end == nil else { return false }
            state.outputs[job] = output
            return true
        }
    }

    /// Gives up the rest, for a reason or because of a failure; the first one counts.
    func end(_ end: Result<String, Failure>) { state.withLock { $0.end = $0.end ?? end } }

    /// Waits until all workers have left.
    ///
    /// - Parameters:
    ///   - limit: The time for all jobs; nil for no limit.
    ///   - stop: Ends the running jobs.
    /// - Throws: The failure of a job; an interruption before the first job was done.
    func finished(_ wait: MainWait, limit: Duration? = nil, stop: () -> Void) throws(Failure) -> Done {
        var deadline = limit.map { MonotonicInstant.now().advanced(by: $0) }
        var (signal, isStopped) = (Int32?.none, false)
        while state.withLock({ $0.workerCount > 0 }) {
            let event = try wait.next(until: deadline)
            if event == .woken || isStopped && event != .timeUp { continue }
            // It was asked to end, and does not.
            if isStopped { break }
            if case .signal(let number) = event { signal = number }
            end(.success(signal == nil ? Messages.timeIsUp(limit ?? .zero) : Messages.interruptedRun))
            stop()
            (isStopped, deadline) = (true, .now().advanced(by: Self.patience))
        }
        let state = state.withLock { $0 }
        let outputs = state.outputs.sorted { $0.key < $1.key }.map(\.value)
        if let signal, outputs.isEmpty { throw .interrupted(by: signal) }
        return Done(outputs: outputs, reason: try state.end?.get(), signal: signal)
    }
}

/// Shows on standard error how far jobs are: on a terminal in one line that is redrawn, elsewhere in few lines.
struct JobProgress: Sendable {
    /// The kind of job: `scenario`.
    let noun: String
    let count: Int
    /// Whether lines can be redrawn: one job at a time, on a terminal.
    var isTerminal = System.isTerminal(.error)
    /// Seconds between two passing lines if there is no terminal.
    private static let quietSeconds: Int64 = 10
    /// Goes to the beginning of the line and clears it (ECMA-48, CR and EL).
    private static let anew = "\r\u{1B}[K"

    /// Says how a job is or was.
    ///
    /// - Parameter seconds: How long it has run, for a line that the next one replaces; call it once a second.
    func say(_ index: Int, _ name: String, _ text: String, passingAfter seconds: Int64? = nil) {
        if !isTerminal, let seconds, seconds % Self.quietSeconds != 0 { return }
        FitIQMock.drawOnStandardError(line(index, name, text, isPassing: seconds != nil))
    }

    /// The output for a line; the name in it comes from a file and is untrusted.
    func line(_ index: Int, _ name: String, _ text: String, isPassing: Bool) -> String {
        let line = "fitiq-mock: \(noun) \(index + 1) of \(count), \(name): \(text)".onOneLine(limit: 300)
        return (isTerminal ? Self.anew : "") + line + (isTerminal && isPassing ? "" : "\n")
    }

    func isInterrupted() { if isTerminal { FitIQMock.drawOnStandardError(Self.anew) } }
}
