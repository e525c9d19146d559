/// A program that this process has started, in a process group of its own.
///
/// Its end is certain: ``end(grace:)`` ends all that it has started, too. Call it also where the program has ended by
/// itself: only then are its resources given back. Released before, all of it is killed.
///
/// On Linux, this holds for daemons that have left the group, and it holds where this process is killed (SIGKILL): a
/// second process, the guardian, sees to it. Other systems have nothing of the kind: there, what leaves the group is
/// not found, and a program outlives this process where that is killed. Nowhere is found what another service starts
/// on the program's behalf, such as systemd, or a daemon that ran before.
public final class ChildProcess {
    /// The process id, which is also the id of its group.
    public var identifier: Int32 { keeper.identifier }
    /// How it ended; nil while it runs, or before anybody asked.
    public private(set) var outcome: Outcome?
    /// Whether ``end(grace:)`` could not end all that the program had started.
    public private(set) var leavesProcesses = false

    /// It and all that it started, for other threads.
    public var group: ChildGroup { ChildGroup(keeper: keeper) }

    private let keeper: any ChildKeeper
    private var hasEnded = false

    /// How a program ended.
    public enum Outcome: Sendable, Hashable {
        /// By itself, with a status from 0 to 255.
        case exited(Int)
        /// By a signal.
        case signalled(Int)
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - command: the program, looked up along `PATH` unless it has a slash, and its arguments; not empty.
    ///   - environment: `NAME=value` each; see ``CurrentProcess/environment(with:)``.
    ///   - streams: what its standard input, output and error are.
    /// - Throws: where the program cannot be started.
    public convenience init(
        _ command: [String], environment: [String], streams: Streams = Streams()
    ) throws(ChildProcessError) {
        try self.init(command, environment: environment, streams: streams, keeping: .platformDefault)
    }

    init(
        _ command: [String], environment: [String], streams: Streams = Streams(), keeping: Keeping
    ) throws(ChildProcessError) {
        precondition(!command.isEmpty, "a command has at least a name")
        keeper = try keeping.start(command, environment, streams)
    }

    deinit {
        if !hasEnded {
            keeper.kill()
            _ = keeper.end(grace: .zero)
        }
    }

    /// A descriptor that becomes readable when the program has ended, and stays so until it is ended; for an event loop.
    public var exitDescriptor: Int32 { keeper.exitDescriptor }

    /// Waits until the program has ended, at most until the deadline.
    ///
    /// - Returns: nil where it still runs. The programs that it started may run on.
    @discardableResult
    public func wait(until deadline: MonotonicInstant) -> Outcome? {
        if let outcome { return outcome }
        guard SingleDescriptorPoll.wait(for: .read, on: exitDescriptor, until: deadline) == nil else { return nil }
        outcome = keeper.outcome()
        return outcome
    }

    /// Ends the program and all that it started: asks by SIGTERM, and after the time of grace does it by SIGKILL.
    ///
    /// Returns as soon as nothing of it runs any more, or a few seconds after SIGKILL.
    @discardableResult
    public func end(grace: Duration) -> Outcome {
        if hasEnded, let outcome { return outcome }
        hasEnded = true
        let end = keeper.end(grace: grace)
        leavesProcesses = !end.isComplete
        let outcome = outcome ?? end.outcome
        self.outcome = outcome
        return outcome
    }
}

/// A program and all that it started: what other threads may know of it.
public struct ChildGroup: Sendable {
    let keeper: any ChildKeeper

    /// Kills the program and all that it started; nothing once it was ended.
    ///
    /// Any thread may call. It has to be ended by ``ChildProcess/end(grace:)`` all the same.
    public func kill() { keeper.kill() }
}
