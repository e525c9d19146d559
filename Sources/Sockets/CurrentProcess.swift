import CPlatform

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The process that this code runs in: its number, its limits and its size.
public enum CurrentProcess {
    /// The process id.
    public static var identifier: Int32 { getpid() }

    /// Raises the limit of open files towards the wanted count and returns the limit then in force.
    ///
    /// The limit is never lowered, and never raised above the hard limit that the administrator set; each connection
    /// takes one descriptor. Source: setrlimit(2), `RLIMIT_NOFILE`.
    @discardableResult
    public static func raiseFileDescriptorLimit(to wanted: Int) -> Int {
        max(0, Int(cplatform_raise_descriptor_limit(Int64(wanted))))
    }

    /// Resident memory in bytes, for measurements; 0 where the system does not tell.
    ///
    /// Source: proc(5) `/proc/self/statm` on Linux, task_info on macOS.
    public static func residentMemory() -> Int {
        max(0, Int(cplatform_resident_memory()))
    }

    /// Has writing to a broken pipe fail with EPIPE instead of ending the process.
    ///
    /// Sockets of this module never raise SIGPIPE; this covers the rest, such as standard output. A handler that
    /// the program installed itself is left alone.
    public static func ignoreBrokenPipeSignal() {
        cplatform_ignore_broken_pipe_signal()
    }
}
