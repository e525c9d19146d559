import CLibrary
import CPlatform
import Synchronization

extension ChildProcess {
    /// The way in which this system keeps track of a program.
    enum Keeping: CaseIterable {
        #if os(Linux)
            /// A guardian process between this process and the program, which finds everything that the program starts.
            case guardian
            static let platformDefault = Keeping.guardian
        #else
            static let platformDefault = Keeping.group
        #endif
        /// A process group, which programs can leave.
        case group

        func start(
            _ command: [String], _ environment: [String], _ streams: Streams
        ) throws(ChildProcessError) -> any ChildKeeper {
            switch self {
            #if os(Linux)
                case .guardian: try ChildUnderGuardian(command, environment, streams)
            #endif
            case .group: try ChildInGroup(command, environment, streams)
            }
        }
    }
}

/// The means to wait for and end a started program and everything that it has started.
///
/// All methods except `kill()` belong to one thread.
protocol ChildKeeper: Sendable {
    var identifier: Int32 { get }
    /// Readable once the program has exited.
    var exitDescriptor: Int32 { get }
    /// The outcome of the program, which must have exited.
    func outcome() -> ChildProcess.Outcome
    /// Sends SIGTERM, then SIGKILL after the grace period, and releases all process ids.
    func end(grace: Duration) -> ChildEnd
    /// Kills all running processes; call `end(grace:)` even so, after which this does nothing.
    func kill()
}

/// The result of ending a program.
struct ChildEnd {
    let outcome: ChildProcess.Outcome
    /// Whether no known process is left.
    let isComplete: Bool
}

/// A program in a process group of its own, by posix_spawn(2), for systems without a guardian.
///
/// Signals miss processes that have left the group. If this process is killed, the program continues to run.
final class ChildInGroup: ChildKeeper {
    let identifier: Int32
    private let watcher: ChildExitWatcher
    /// Whether the system may reuse the program's process id, so that no signal may be sent to it any more.
    private let isReaped = Mutex(false)
    /// The interval for checking whether a group has ended after its first process: the system does not notify of it.
    private static let interval = Duration.milliseconds(5)
    var exitDescriptor: Int32 { watcher.descriptor }

    init(_ command: [String], _ environment: [String], _ streams: ChildProcess.Streams) throws(ChildProcessError) {
        identifier = try ChildProcess.spawn(command, environment, streams)
        do throws(ChildProcessError) {
            watcher = try ChildExitWatcher(of: identifier)
        } catch {
            sendSignal(SIGKILL, toGroup: identifier)
            reap(identifier)
            throw error
        }
    }

    func outcome() -> ChildProcess.Outcome { ChildProcess.Outcome(encoded: watcher.outcome()) }
    func kill() { signal(SIGKILL) }

    func end(grace: Duration) -> ChildEnd {
        let deadline = MonotonicInstant.now().advanced(by: grace)
        // The program is not reaped yet, so no other process has its id.
        signal(SIGTERM)
        if SingleDescriptorPoll.wait(for: .read, on: exitDescriptor, until: deadline) != nil {
            signal(SIGKILL)
            _ = SingleDescriptorPoll.wait(for: .read, on: exitDescriptor, until: MonotonicInstant(nanoseconds: .max))
        }
        let outcome = outcome()
        isReaped.withLock { isReaped in
            isReaped = true
            reap(identifier)
        }
        endGroup(by: deadline)
        return ChildEnd(outcome: outcome, isComplete: true)
    }

    /// Waits for the remaining processes of the group, and kills them at the deadline.
    ///
    /// While one of them runs, the system does not reuse the group's id.
    private func endGroup(by deadline: MonotonicInstant) {
        while sendSignal(0, toGroup: identifier) {
            let now = MonotonicInstant.now()
            if now >= deadline { sendSignal(SIGKILL, toGroup: identifier) }
            // The others are dead, but their parent does not reap them, as in containers without an init.
            if now >= deadline.advanced(by: .milliseconds(100)) { return }
            watcher.pause(until: now.advanced(by: Self.interval))
        }
    }

    private func signal(_ number: Int32) { isReaped.withLock { if !$0 { sendSignal(number, toGroup: identifier) } } }
}

/// Waits for the end of a child process and releases its id.
func reap(_ child: pid_t) { while waitpid(child, nil, 0) < 0, errno == EINTR {} }

/// Calls kill(2); false if there is no such group.
@discardableResult
private func sendSignal(_ number: Int32, toGroup group: Int32) -> Bool { kill(-group, number) == 0 }

extension ChildProcess.Outcome {
    /// Decodes the format of `CPlatform`: a status below 256, or 256 plus the number of a signal.
    init(encoded value: Int32) {
        // Negative if other code waited for every child of this process, so that the outcome is lost.
        self = (0..<256).contains(value) ? .exited(Int(value)) : .signalled(max(0, Int(value) - 256))
    }
}

/// Makes the exit of a child process pollable.
///
/// A thread waits for exactly that child. SIGCHLD would need no thread, but it belongs to the whole process, which may
/// contain other code that starts programs. The systems' other mechanisms (pidfd, kqueue) differ, and older versions
/// lack them.
final class ChildExitWatcher: Sendable {
    private let child: Int32
    private let pipe: WakePipe
    /// Readable once the child has exited; never read from.
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

    /// The outcome of the exited child, in the format of `CPlatform`, without releasing its process id.
    func outcome() -> Int32 { cplatform_await_child(child) }
    deinit { pipe.close() }

    /// Pauses in a loop that waits for a condition without a descriptor.
    func pause(until deadline: MonotonicInstant) {
        _ = cplatform_poll(nil, 0, max(0, deadline.saturatingNanoseconds(since: .now())))
    }
}
