import CPlatform
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A program that this process has started, in a process group of its own.
///
/// The group is what makes an end certain: signals reach the programs that it has started too, unless they left the
/// group. Whoever starts one calls
/// ``end(grace:)`` at last, also where it has ended by itself: only then is its number given back to the system.
/// Released before, it is killed.
public final class ChildProcess {
    /// The process id, which is also the id of its group.
    public let identifier: Int32
    /// How it ended; nil while it runs, or before anybody asked.
    public private(set) var outcome: Outcome?

    /// It and all that it started, for other threads.
    public let group: ChildGroup

    private let watcher: ChildExitWatcher

    /// How a program ended.
    public enum Outcome: Sendable, Hashable {
        /// By itself, with a status from 0 to 255.
        case exited(Int)
        /// By a signal.
        case signalled(Int)
    }

    /// How often is looked whether a group has ended whose first process has: the system tells nobody.
    private static let groupInterval = Duration.milliseconds(5)

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - command: the program, looked up along `PATH` unless it has a slash, and its arguments; not empty.
    ///   - environment: `NAME=value` each; see ``CurrentProcess/environment(with:)``.
    ///   - streams: what its standard input, output and error are.
    /// - Throws: where the program cannot be started.
    public init(
        _ command: [String], environment: [String], streams: Streams = Streams()
    ) throws(ChildProcessError) {
        precondition(!command.isEmpty, "a command has at least a name")
        identifier = try ChildProcess.spawn(command, environment, streams)
        group = ChildGroup(identifier)
        do throws(ChildProcessError) {
            watcher = try ChildExitWatcher(of: identifier)
        } catch {
            group.signal(SIGKILL)
            group.reap()
            throw error
        }
    }

    deinit {
        group.signal(SIGKILL)
        group.reap()
    }

    /// A descriptor that becomes readable when the program has ended, and stays so; for an event loop.
    public var exitDescriptor: Int32 { watcher.descriptor }

    /// Waits until the program has ended, at most until the deadline.
    ///
    /// - Returns: nil where it still runs. The programs that it started may run on.
    @discardableResult
    public func wait(until deadline: MonotonicInstant) -> Outcome? {
        if let outcome { return outcome }
        guard SingleDescriptorPoll.wait(for: .read, on: exitDescriptor, until: deadline) == nil else { return nil }
        outcome = ChildProcess.peek(identifier)
        return outcome
    }

    /// Ends the program and all that it started: asks by SIGTERM, and after the time of grace does it by SIGKILL.
    ///
    /// Returns at once where nothing of it runs any more. What left the group, as daemons do, is not found.
    @discardableResult
    public func end(grace: Duration) -> Outcome {
        let deadline = MonotonicInstant.now().advanced(by: grace)
        // Not reaped yet, its number is nobody else's.
        group.signal(SIGTERM)
        if wait(until: deadline) == nil {
            group.signal(SIGKILL)
            wait(until: MonotonicInstant(nanoseconds: .max))
        }
        if group.reap() { endGroup(by: deadline) }
        // Waited for without an end: there is one.
        return outcome ?? .signalled(Int(SIGKILL))
    }

    /// Waits for what the program left behind in its group, and kills it when the time is up.
    ///
    /// As long as there is one of them, the system gives the group's number to nobody else.
    private func endGroup(by deadline: MonotonicInstant) {
        while sendSignal(0, toGroup: identifier) {
            let now = MonotonicInstant.now()
            if now >= deadline { sendSignal(SIGKILL, toGroup: identifier) }
            // What is left then is dead, and waits for a parent that does not look after it, as in containers without
            // an init.
            if now >= deadline.advanced(by: .milliseconds(100)) { return }
            watcher.pause(until: now.advanced(by: Self.groupInterval))
        }
    }

    /// How a process ended that has, without giving its number back.
    private static func peek(_ identifier: Int32) -> Outcome {
        let status = Int(cplatform_await_child(identifier))
        // Negative where somebody waited for every child of this process: how it ended is lost.
        return (0..<256).contains(status) ? .exited(status) : .signalled(max(0, status - 256))
    }
}

/// The process group of a program: what other threads may know of it.
public final class ChildGroup: Sendable {
    private let identifier: Int32
    /// Whether the program's number is free for others: nothing may be sent to it any more.
    private let isReaped = Mutex(false)

    init(_ identifier: Int32) {
        self.identifier = identifier
    }

    /// Sends a signal to the program and to all that it started; nothing once it was ended.
    ///
    /// Any thread may call.
    public func signal(_ number: Int32) {
        isReaped.withLock { if !$0 { sendSignal(number, toGroup: identifier) } }
    }

    /// Kills the program and all that it started, once; whoever started it has to end it all the same.
    public func kill() { signal(SIGKILL) }

    /// Gives the number of a program that has ended back to the system; waits where it has not.
    ///
    /// - Returns: false where that was done before.
    @discardableResult
    func reap() -> Bool {
        isReaped.withLock { isReaped in
            guard !isReaped else { return false }
            isReaped = true
            var status: Int32 = 0
            while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
            return true
        }
    }
}

/// kill(2); false where there is no such group.
@discardableResult
private func sendSignal(_ number: Int32, toGroup group: Int32) -> Bool { kill(-group, number) == 0 }
