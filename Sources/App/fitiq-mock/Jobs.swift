import CLibrary
import Sockets
import Synchronization
import Text

/// Numbered jobs for other threads.
///
/// While they run, the main thread waits until the jobs end, a signal arrives or time runs out.
///
/// A worker takes jobs until none are left.
final class Jobs<Output: Sendable>: Sendable {
    private struct State: Sendable {
        var next = 0
        var workerCount = 0
        var outputs: [Int: Output] = [:]
        /// The reason for skipping the remaining jobs, or nil if none were skipped.
        var end: Result<String, Failure>?
    }

    /// The results of all jobs, or of those done before an interruption.
    struct Done {
        /// The results in the order of the jobs.
        var outputs: [Output]
        /// The reason for skipping the remaining jobs, or nil if all jobs were done.
        var reason: String?
        var signal: Int32?
    }

    private let count: Int
    private let mailbox: Mailbox
    private let state = Mutex(State())
    /// How long running jobs have to end once the others are skipped.
    private static var patience: Duration { .seconds(5) }

    /// - Parameter mailbox: the mailbox that wakes the main thread.
    init(count: Int, _ mailbox: Mailbox) { (self.count, self.mailbox) = (count, mailbox) }

    /// Starts workers, each on its own thread, or fewer if the system cannot create more threads.
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

    /// Takes the next job, or returns nil if there are no more jobs or the jobs were stopped.
    func take() -> Int? {
        state.withLock { state in
            guard state.next < count, state.end == nil else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }

    var isOver: Bool { state.withLock { $0.end != nil } }

    /// Stores a job's result; drops it and returns false if the remaining jobs were already abandoned.
    func finish(_ job: Int, _ output: Output) -> Bool {
        state.withLock { state in
            guard state.end == nil else { return false }
            state.outputs[job] = output
            return true
        }
    }

    /// Abandons the remaining jobs for a reason or because of a failure; only the first call has an effect.
    func end(_ end: Result<String, Failure>) { state.withLock { $0.end = $0.end ?? end } }

    /// Waits until all workers have finished.
    ///
    /// - Parameters:
    ///   - limit: the time for all jobs, or nil for no limit.
    ///   - stop: ends the running jobs.
    /// - Throws: The failure of a job, or an interruption before the first job was done.
    func finished(_ wait: MainWait, limit: Duration? = nil, stop: () -> Void) throws(Failure) -> Done {
        var deadline = limit.map { MonotonicInstant.now().advanced(by: $0) }
        var (signal, isStopped) = (Int32?.none, false)
        while state.withLock({ $0.workerCount > 0 }) {
            let event = try wait.next(until: deadline)
            if event == .woken || isStopped && event != .timeUp { continue }
            // The job was asked to end but did not.
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

/// Shows the progress of jobs on standard error: a redrawn line on a terminal, otherwise a few lines.
struct JobProgress: Sendable {
    /// What a job is called, such as `scenario`.
    let noun: String
    let count: Int
    /// Whether lines can be redrawn, which requires a terminal and only one job at a time.
    var isTerminal = System.isTerminal(.error)
    /// The seconds between two progress lines when there is no terminal.
    private static let quietSeconds: Int64 = 10
    /// Goes to the beginning of the line and clears it (ECMA-48, CR and EL).
    private static let anew = "\r\u{1B}[K"

    /// Reports a job's progress or result.
    ///
    /// - Parameter seconds: how long the job has been running, for a line that the next one replaces. Call it once a
    ///   second.
    func say(_ index: Int, _ name: String, _ text: String, passingAfter seconds: Int64? = nil) {
        if !isTerminal, let seconds, seconds % Self.quietSeconds != 0 { return }
        let columns = isTerminal ? Terminal.columns(of: STDERR_FILENO) : nil
        FitIQMock.drawOnStandardError(line(index, name, text, isPassing: seconds != nil, columns: columns))
    }

    /// The output for a line; the name comes from a file, so it is untrusted.
    ///
    /// - Parameter columns: the terminal's width. A line that is replaced must be shorter, because a line that wraps
    ///   cannot be redrawn; its name is shortened first.
    func line(_ index: Int, _ name: String, _ text: String, isPassing: Bool, columns: Int? = nil) -> String {
        let (start, end) = ("fitiq-mock: \(noun) \(index + 1) of \(count), ", ": \(text)")
        var line = "\(start)\(name)\(end)".onOneLine(limit: 300)
        if isPassing, let columns {
            let width = max(1, columns - 1)
            let room = max(1, width - TerminalText.columns(start) - TerminalText.columns(end))
            let short = TerminalText.cut(name.onOneLine(limit: 300), width: room)
            line = TerminalText.cut("\(start)\(short)\(end)".onOneLine(limit: 300), width: width)
        }
        return (isTerminal ? Self.anew : "") + line + (isTerminal && isPassing ? "" : "\n")
    }

    func isInterrupted() { if isTerminal { FitIQMock.drawOnStandardError(Self.anew) } }
}
