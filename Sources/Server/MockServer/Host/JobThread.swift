import Sockets
import Synchronization

/// A thread that runs jobs in sequence and exists only while there are jobs.
final class JobThread: Sendable {
    private struct State {
        var jobs: [Job] = []
        var isRunning = false
    }

    private let state = Mutex(State())
    private let finish: @Sendable (Job.Result) -> Void

    /// Creates a queue that calls `finish` with each result, on the thread that ran the job.
    init(finish: @escaping @Sendable (Job.Result) -> Void) { self.finish = finish }

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
            // The system cannot start another thread, so run the jobs here, which delays the loop.
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

/// Moves a value between threads; the receiving thread is its only owner and can change it in place.
public final class Parcel<Value: Sendable>: Sendable {
    private let content: Mutex<Value?>

    init(_ value: Value? = nil) { content = Mutex(value) }

    func put(_ value: Value) { content.withLock { $0 = value } }

    /// Takes the value out; call it only once.
    public func take() -> Value {
        let value = content.withLock { content in
            defer { content = nil }
            return content
        }
        guard let value else { preconditionFailure("A parcel must be opened only once.") }
        return value
    }
}
