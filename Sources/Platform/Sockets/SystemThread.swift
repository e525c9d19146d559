import CLibrary

/// A system thread, for a loop that runs in parallel with the program's main work.
public enum SystemThread {
    /// Runs the work on a new, detached thread that ends with the work; throws if the system cannot create a thread.
    ///
    /// The work is sent to the thread: its state need not be thread-safe if only the work references it.
    public static func start(_ work: sending @escaping () -> Void) throws(SocketError) {
        let box = Unmanaged.passRetained(Box(work))
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let code = pthread_create(&thread, nil, { SystemThread.run($0) }, box.toOpaque())
        guard code == 0 else {
            box.release()
            throw SocketError(.startThread, code: code)
        }
        #if canImport(Darwin)
            // pthread_create sets it on success.
            if let thread { pthread_detach(thread) }
        #else
            pthread_detach(thread)
        #endif
    }

    // The argument is optional on some systems only.
    private static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument else { preconditionFailure("pthread_create must pass on its argument.") }
        Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().work()
        return nil
    }

    private final class Box {
        let work: () -> Void
        init(_ work: @escaping () -> Void) { self.work = work }
    }
}
