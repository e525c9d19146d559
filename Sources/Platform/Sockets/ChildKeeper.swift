import CPlatform
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// How a program that this process has started is awaited and ended, with what it has started itself.
///
/// All but `kill()` belongs to one thread.
protocol ChildKeeper: Sendable {
    /// The program's process id.
    var identifier: Int32 { get }
    /// Readable once the program has ended.
    var exitDescriptor: Int32 { get }
    /// How the program ended, which it has.
    func outcome() -> ChildProcess.Outcome
    /// Asks by SIGTERM, does it by SIGKILL when the time is up, and gives all process ids back to the system.
    func end(grace: Duration) -> ChildEnd
    /// Kills all that runs; `end(grace:)` is due all the same, and after it this does nothing.
    func kill()
}

/// What came of ending a program.
struct ChildEnd {
    let outcome: ChildProcess.Outcome
    /// Whether nothing that could be found was left.
    let isComplete: Bool
}

/// A program in a process group of its own, by posix_spawn(2): for systems without a guardian.
///
/// Signals reach what the program has started unless it left the group, and nothing is ended where this process is
/// killed.
final class ChildInGroup: ChildKeeper {
    let identifier: Int32
    private let watcher: ChildExitWatcher
    /// Whether the program's number is free for others: nothing may be sent to it any more.
    private let isReaped = Mutex(false)

    /// How often is looked whether a group has ended whose first process has: the system tells nobody.
    private static let interval = Duration.milliseconds(5)

    var exitDescriptor: Int32 { watcher.descriptor }

    init(
        _ command: [String], _ environment: [String], _ streams: ChildProcess.Streams
    ) throws(ChildProcessError) {
        identifier = try ChildProcess.spawn(command, environment, streams)
        do throws(ChildProcessError) {
            watcher = try ChildExitWatcher(of: identifier)
        } catch {
            sendSignal(SIGKILL, toGroup: identifier)
            while waitpid(identifier, nil, 0) < 0, errno == EINTR {}
            throw error
        }
    }

    func outcome() -> ChildProcess.Outcome { ChildProcess.Outcome(encoded: watcher.outcome()) }

    func kill() { signal(SIGKILL) }

    func end(grace: Duration) -> ChildEnd {
        let deadline = MonotonicInstant.now().advanced(by: grace)
        // It is not reaped yet, so no other process has its number.
        signal(SIGTERM)
        if SingleDescriptorPoll.wait(for: .read, on: exitDescriptor, until: deadline) != nil {
            signal(SIGKILL)
            _ = SingleDescriptorPoll.wait(
                for: .read, on: exitDescriptor, until: MonotonicInstant(nanoseconds: .max))
        }
        let outcome = outcome()
        isReaped.withLock { isReaped in
            isReaped = true
            while waitpid(identifier, nil, 0) < 0, errno == EINTR {}
        }
        endGroup(by: deadline)
        return ChildEnd(outcome: outcome, isComplete: true)
    }

    /// Waits for what the program left behind in its group, and kills it when the time is up.
    ///
    /// While one of them runs, the system does not reuse the group's number.
    private func endGroup(by deadline: MonotonicInstant) {
        while sendSignal(0, toGroup: identifier) {
            let now = MonotonicInstant.now()
            if now >= deadline { sendSignal(SIGKILL, toGroup: identifier) }
            // What is left then is dead, and waits for a parent that does not look after it, as in containers without
            // an init.
            if now >= deadline.advanced(by: .milliseconds(100)) { return }
            watcher.pause(until: now.advanced(by: Self.interval))
        }
    }

    private func signal(_ number: Int32) {
        isReaped.withLock { if !$0 { sendSignal(number, toGroup: identifier) } }
    }
}

/// kill(2); false where there is no such group.
@discardableResult
private func sendSignal(_ number: Int32, toGroup group: Int32) -> Bool { kill(-group, number) == 0 }

extension ChildProcess.Outcome {
    /// As `CPlatform` has it: a status below 256, or 256 and the number of a signal.
    init(encoded value: Int32) {
        // Negative where somebody waited for every child of this process: how it ended is lost.
        self = (0..<256).contains(value) ? .exited(Int(value)) : .signalled(max(0, Int(value) - 256))
    }
}

/// Makes the end of a child process something that can be polled for.
///
/// A thread waits for just that child. SIGCHLD would do without one, but belongs to the whole process, and so to
/// whoever else starts programs in it;
/// what the systems offer beside it (pidfd, kqueue) differs, and is missing in older ones.
final class ChildExitWatcher: Sendable {
    private let child: Int32
    private let pipe: WakePipe

    /// Readable once the child has ended; nobody reads from it.
    var descriptor: Int32 { pipe.reader }

    init(of child: Int32) throws(ChildProcessError) {
        self.child = child
        do throws(SocketError) {
            pipe = try WakePipe()
            try SystemThread.start { [self] in
                _ = cplatform_await_child(self.child)
                pipe.wake()
            }
        } catch {
            throw ChildProcessError(.watch, code: error.code)
        }
    }

    /// How it ended, which it has, without giving its number back; as `CPlatform` has it.
    func outcome() -> Int32 { cplatform_await_child(child) }

    deinit {
        pipe.close()
    }

    /// Waits, for something that no descriptor tells of.
    func pause(until deadline: MonotonicInstant) {
        _ = cplatform_poll(nil, 0, max(0, deadline.saturatingNanoseconds(since: .now())))
    }
}
