#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A thread of the system's, for a loop that runs beside the program's own work.
public enum SystemThread {
    /// Runs the work on a new thread, which ends with it; nobody needs to join it.
    ///
    /// The work is handed over whole: what only it refers to need not be safe to share.
    ///
    /// - Throws: where the system has no room for another thread.
    public static func start(_ work: sending @escaping () -> Void) throws(SocketError) {
        let box = Unmanaged.passRetained(Box(work))
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let code = pthread_create(
            &thread, nil,
            { argument in
                SystemThread.run(argument)
                return nil
            }, box.toOpaque())
        guard code == 0 else {
            box.release()
            throw SocketError(.startThread, code: code)
        }
        #if canImport(Darwin)
            // Set by pthread_create where it succeeds.
            if let thread { pthread_detach(thread) }
        #else
            pthread_detach(thread)
        #endif
    }

    // Optional on some systems, and not on others.
    private static func run(_ argument: UnsafeMutableRawPointer?) {
        guard let argument else { preconditionFailure("pthread_create hands over what it was given.") }
        Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().work()
    }

    private final class Box {
        let work: () -> Void

        init(_ work: @escaping () -> Void) { self.work = work }
    }
}
