import FitIQAPI
import Sockets
import Synchronization

/// The thread next to a host's loop: it runs jobs one after another, and exists only while there are any.
final class JobThread: Sendable {
    private struct State {
        var jobs: [Job] = []
        var isRunning = false
    }

    private let state = Mutex(State())
    private let finish: @Sendable (Job.Result) -> Void

    /// Passes the result of each job to `finish`, on the thread that ran it.
    init(finish: @escaping @Sendable (Job.Result) -> Void) { self.finish = finish }

    /// Queues a job after those that were added before.
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

/// Work of other threads for the thread of a host, which alone has the engine.
final class HostInbox: Sendable {
    /// Resumes the calling thread.
    typealias Answer = @Sendable () -> Void
    /// Work with the engine at a time; the engine is nil if the host has ended before.
    typealias Work = @Sendable (Engine?, Timestamp) -> Answer

    private struct State {
        var work: [Work] = []
        var stops = false
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Adds work; false if the host has ended, and the work will not run.
    func add(_ work: @escaping Work) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.work.append(work)
            return true
        }
    }

    /// Requests the host's end, after the work that was added before.
    func requestStop() { state.withLock { $0.stops = true } }

    /// Removes and returns what was added; nil if there is nothing.
    func take() -> (work: [Work], stops: Bool)? {
        state.withLock { state in
            guard state.stops || !state.work.isEmpty else { return nil }
            defer { (state.work, state.stops) = ([], false) }
            return (state.work, state.stops)
        }
    }

    /// Accepts nothing more, and returns the work that did not run.
    func close() -> [Work] {
        state.withLock { state in
            defer { state = State(isClosed: true) }
            return state.work
        }
    }
}

/// A value that changes hands between threads: the one that takes it out owns it alone, and can change it in place.
public final class Parcel<Value: Sendable>: Sendable {
    private let content: Mutex<Value?>

    init(_ value: Value? = nil) { content = Mutex(value) }

    func put(_ value: Value) { content.withLock { $0 = value } }

    /// Takes the value out, once.
    public func take() -> Value {
        let value = content.withLock { content in
            defer { content = nil }
            return content
        }
        guard let value else { preconditionFailure("A parcel is opened once.") }
        return value
    }
}
