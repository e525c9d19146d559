import CLibrary
import Testing

@testable import Sockets

/// Records every call, and then acts as the test requires.
final class Recorder: EventLoopHandler {
    enum Call: Equatable {
        case ready(UInt64)
        case signal(Int32)
        case turn
    }

    var calls: [Call] = []
    var instants: [MonotonicInstant] = []
    var onReadiness: (Readiness) -> Void = { _ in }
    var onSignal: (Int32) -> Void = { _ in }
    /// The next deadline, for the number of turns so far.
    var onTurn: (Int) -> MonotonicInstant? = { _ in nil }
    private let loop: EventLoop
    private let patience = MonotonicInstant.patience

    init(_ loop: EventLoop) { self.loop = loop }

    func readinessChanged(_ readiness: Readiness, now: MonotonicInstant) {
        record(.ready(readiness.token), now)
        onReadiness(readiness)
    }

    func signalReceived(_ signal: Int32, now: MonotonicInstant) {
        record(.signal(signal), now)
        onSignal(signal)
    }

    func turnEnded(now: MonotonicInstant) -> MonotonicInstant? {
        record(.turn, now)
        let deadline = onTurn(calls.count { $0 == .turn })
        if now >= patience {
            Issue.record("what should have stopped the loop did not happen")
            loop.stop()
        }
        return min(deadline ?? patience, patience)
    }

    private func record(_ call: Call, _ now: MonotonicInstant) {
        calls.append(call)
        instants.append(now)
    }
}

extension EventLoop {
    /// Runs the loop with a recorder, and returns its calls.
    func calls(_ prepare: (Recorder) -> Void = { _ in }) throws -> [Recorder.Call] {
        let recorder = Recorder(self)
        prepare(recorder)
        try run(handler: recorder)
        return recorder.calls
    }
}

/// Raises the signal on this thread, even if the thread blocks it; the handler has run on return.
func raiseHere(_ signal: Int32) {
    unblock(signal)
    raise(signal)
}

/// Unblocks the signal for this thread, because a test runner's threads block most signals.
func unblock(_ signal: Int32) { changeMask(SIG_UNBLOCK, signal) }

func block(_ signal: Int32) { changeMask(SIG_BLOCK, signal) }

private func changeMask(_ change: Int32, _ signal: Int32) {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, signal)
    pthread_sigmask(change, &signals, nil)
}
