import FitIQAPI
import Sockets
import Synchronization

/// Work of other threads for the thread of a host, which alone has the engine.
final class HostInbox: Sendable {
    /// Lets whoever asked go on.
    typealias Answer = @Sendable () -> Void
    /// Something to do with the engine at a time; without one where the host has ended before.
    typealias Work = @Sendable (Engine?, Timestamp) -> Answer

    private struct State {
        var work: [Work] = []
        var stops = false
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Adds work; false where the host has ended, and nobody will do it.
    func add(_ work: @escaping Work) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.work.append(work)
            return true
        }
    }

    /// Asks for the host's end, after the work that was added before.
    func requestStop() { state.withLock { $0.stops = true } }

    /// Takes out what was added; nil where that is nothing.
    func take() -> (work: [Work], stops: Bool)? {
        state.withLock { state in
            guard state.stops || !state.work.isEmpty else { return nil }
            defer { (state.work, state.stops) = ([], false) }
            return (state.work, state.stops)
        }
    }

    /// Takes nothing more, and gives back what was not done.
    func close() -> [Work] {
        state.withLock { state in
            defer { state = State(isClosed: true) }
            return state.work
        }
    }
}
