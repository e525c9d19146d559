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
        cplatform_ignore_signal(SIGPIPE)
    }

    /// Has writing beyond the limit on the size of files (`ulimit -f`) fail with EFBIG instead of ending the process.
    ///
    /// A handler that the program installed itself is left alone.
    public static func ignoreFileSizeSignal() {
        cplatform_ignore_signal(SIGXFSZ)
    }

    /// Gives each standard stream that is closed a descriptor, so that no file that is opened later takes its number and
    /// is written by what is meant for the stream.
    ///
    /// Using such a stream fails, as before.
    public static func holdStandardStreams() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest number that is free. Opened the other way round, for the error.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Whether a process of that number runs; one that has ended and whose parent has not asked yet does not.
    ///
    /// Source: kill(2), signal 0. Source: proc(5) `/proc/pid/stat`, where the system has it.
    public static func isRunning(_ identifier: Int32) -> Bool {
        guard kill(identifier, 0) == 0 || errno == EPERM else { return false }
        guard let stat = try? FileReader("/proc/\(identifier)/stat").read(upTo: 4096) else { return true }
        // The name of the program stands in brackets, and may have any bytes; the state follows.
        guard let end = stat.lastIndex(of: UInt8(ascii: ")")), end + 2 < stat.count else { return true }
        return ![UInt8(ascii: "Z"), UInt8(ascii: "X")].contains(stat[end + 2])
    }
}

/// Writing to descriptors that cannot be written at places: pipes, terminals, devices, and the standard streams.
public enum DescriptorOutput {
    /// Writes all of the bytes, and waits where there is no room for now; the errno of the failure, or 0.
    ///
    /// It waits too where a program that shares the descriptor has made it non-blocking.
    public static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if count == 0 {
                    return ENOSPC
                } else if errno == EAGAIN {
                    DescriptorOutput.wait(for: Int16(POLLOUT), on: descriptor)
                } else if errno != EINTR {
                    return errno
                }
            }
            return 0
        }
    }

    /// Waits until the descriptor is ready, however long that takes.
    static func wait(for events: Int16, on descriptor: Int32) {
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        // Where it fails, the caller's next attempt says why.
        _ = cplatform_poll(&entry, 1, -1)
    }

    private static func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        write(descriptor, bytes.baseAddress, bytes.count)
    }
}
