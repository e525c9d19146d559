/// What an event loop calls, always on its own thread.
public protocol EventLoopHandler: AnyObject {
    /// The descriptor with that token is ready; `now` is the time at which the wait ended.
    func readinessChanged(_ readiness: Readiness, now: MonotonicInstant)

    /// A watched signal has arrived, perhaps several times since the last call.
    func signalReceived(_ signal: Int32, now: MonotonicInstant)

    /// Called at the end of each turn, after all readiness; serves what is due and returns the next deadline.
    ///
    /// nil waits until something happens. Also called once before the first wait.
    func turnEnded(now: MonotonicInstant) -> MonotonicInstant?
}
