import CPlatform

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

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
