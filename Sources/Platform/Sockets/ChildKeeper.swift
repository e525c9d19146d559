import CLibrary
import CPlatform
import Synchronization

extension ChildProcess {
    /// How this system tracks a program's processes.
    enum Keeping: CaseIterable {
        #if os(Linux)
            /// A guardian process between this process and the program, which finds all of the program's descendants.
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

/// Waits for a started program, and ends it together with its descendants.
///
/// All methods except `kill()` must be called on one thread.
protocol ChildKeeper: Sendable {
    var identifier: Int32 { get }
    /// Readable once the program has exited.
    var exitDescriptor: Int32 { get }
    /// The outcome of the program, which must have exited.
    func outcome() -> ChildProcess.Outcome
    /// Sends SIGTERM, then SIGKILL after the grace period, and releases all process ids.
    func end(grace: Duration) -> ChildEnd
    /// Kills all processes that are running; `end(grace:)` must still be called.
    func kill()
}

/// The result of ending a program.
struct ChildEnd {
    let outcome: ChildProcess.Outcome
    /// Whether no known process is left.
    let isComplete: Bool
}

/// A program in a separate process group, started with posix_spawn(2), for systems without a guardian.
///
/// Signals miss processes that have left the group. If this process is killed, the program continues to run.
final class ChildInGroup: ChildKeeper {
    let identifier: Int32
    private let watcher: ChildExitWatcher
    /// Whether the system may reuse the program's process id, in which case signals must no longer be sent to it.
    private let isReaped = Mutex(false)
    /// How often to check whether the rest of a group has ended after its first process; the system sends no
    /// notification.
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
        // The unreaped program keeps its process id reserved.
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
            // The others are zombies that their parent has not reaped, as happens in containers without an init
            // process.
            if now >= deadline.advanced(by: .milliseconds(100)) { return }
            watcher.pause(until: now.advanced(by: Self.interval))
        }
    }

    private func signal(_ number: Int32) { isReaped.withLock { if !$0 { sendSignal(number, toGroup: identifier) } } }
}

/// Waits for a child process to end, and releases its id.
func reap(_ child: pid_t) { while waitpid(child, nil, 0) < 0, errno == EINTR {} }

/// Calls kill(2), and returns false if there is no such group.
@discardableResult
private func sendSignal(_ number: Int32, toGroup group: Int32) -> Bool { kill(-group, number) == 0 }

extension ChildProcess.Outcome {
    /// Decodes the format of `CPlatform`: a status below 256, or 256 plus the number of a signal.
    init(encoded value: Int32) {
        // Negative if the outcome was lost because other code waited for any child of this process.
        self = (0..<256).contains(value) ? .exited(Int(value)) : .signalled(max(0, Int(value) - 256))
    }
}

/// Makes the exit of a child process pollable.
///
/// One thread waits for this child. SIGCHLD would need no thread, but other code in this process may use it. pidfd and
/// kqueue exist only on some systems and versions.
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

    /// Pauses between two checks of a condition that no descriptor reports.
    func pause(until deadline: MonotonicInstant) {
        _ = cplatform_poll(nil, 0, max(0, deadline.saturatingNanoseconds(since: .now())))
    }
}
