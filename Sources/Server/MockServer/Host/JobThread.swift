import Sockets
import Synchronization

/// The thread beside a host's loop: it runs jobs one after the other, and exists only while there are any.
final class JobThread: Sendable {
    private struct State {
        var jobs: [Job] = []
        var isRunning = false
    }

    private let state = Mutex(State())
    private let finish: @Sendable (Job.Result) -> Void

    /// - Parameter finish: takes what came of each job, on the thread that ran it.
    init(finish: @escaping @Sendable (Job.Result) -> Void) { self.finish = finish }

    /// Has a job run after those that were added before.
    func add(_ job: Job) {
        let starts = state.withLock { state in
            state.jobs.append(job)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard starts else { return }
        do throws(SocketError) {
            try SystemThread.start { [self] in runAll() }
        } catch {
            // The system has no room for another thread: late is better than never.
            runAll()
        }
    }

    private func runAll() {
        while let job = next() { finish(job.run()) }
    }

    private func next() -> Job? {
        state.withLock { state in
            guard !state.jobs.isEmpty else {
                state.isRunning = false
                return nil
            }
            return state.jobs.removeFirst()
        }
    }
}
