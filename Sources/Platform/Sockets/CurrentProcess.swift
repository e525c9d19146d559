import CLibrary
import CPlatform

/// The current process: its id, limits and standard streams.
public enum CurrentProcess {
    public static var identifier: Int32 { getpid() }

    /// The command line's arguments, starting with the program's name.
    ///
    /// On Linux `CommandLine.arguments` searches the stack, and fails without `/proc` or after a library moved the
    /// environment.
    public static let arguments: [String] = {
        guard var next = cplatform_arguments() else { return CommandLine.arguments }
        var words: [String] = []
        while let word = next.pointee {
            words.append(String(cString: word))
            next += 1
        }
        return words
    }()

    /// Raises the limit on open files towards `count`, and returns the new limit.
    ///
    /// Each connection uses one descriptor. The limit is never lowered or raised above the hard limit (setrlimit(2),
    /// `RLIMIT_NOFILE`).
    @discardableResult
    public static func raiseFileDescriptorLimit(to wanted: Int) -> Int {
        max(0, Int(cplatform_raise_descriptor_limit(Int64(wanted))))
    }

    /// Makes writing to a broken pipe fail with EPIPE instead of ending the process.
    ///
    /// This is for standard output and other descriptors: this module's sockets never raise SIGPIPE. An installed
    /// handler is kept.
    public static func ignoreBrokenPipeSignal() { cplatform_ignore_signal(SIGPIPE) }

    /// Makes writing beyond the limit on file sizes (`ulimit -f`) fail with EFBIG instead of ending the process.
    ///
    /// An installed handler is kept.
    public static func ignoreFileSizeSignal() { cplatform_ignore_signal(SIGXFSZ) }

    /// Opens the null device in place of closed standard streams, so that no file gets their numbers.
    ///
    /// Otherwise output to the stream would go to that file. Using a stream replaced in this way still fails.
    public static func holdStandardStreams() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // This takes the lowest free number. The null device is opened in the wrong direction, so that using the
            // stream fails.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Whether a process with this id is running; false for a zombie.
    ///
    /// Source: kill(2), signal 0; proc(5) `/proc/pid/stat`, on systems that have it.
    public static func isRunning(_ identifier: Int32) -> Bool {
        guard kill(identifier, 0) == 0 || errno == EPERM else { return false }
        // The program's name is in parentheses and may contain any bytes; the state follows.
        guard let stat = try? FileReader("/proc/\(identifier)/stat").read(upTo: 4096),
            let end = stat.lastIndex(of: UInt8(ascii: ")"))
        else { return true }
        return ![UInt8(ascii: "Z"), UInt8(ascii: "X")].contains(stat.dropFirst(end + 2).first)
    }

    /// How long ago a process started, in whole seconds; nil if unknown.
    public static func age(of identifier: Int32) -> Int64? {
        let age = cplatform_process_age(identifier)
        return age < 0 ? nil : age
    }
}

/// Output to descriptors without offsets: pipes, terminals, devices, and the standard streams.
public enum DescriptorOutput {
    /// Writes all bytes, waiting for buffer space as needed; returns the errno of the failure, or 0.
    ///
    /// Writing also waits if another program made the shared descriptor non-blocking.
    public static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
                switch count > 0 ? 0 : count == 0 ? ENOSPC : errno {
                case 0: rest = rest.dropFirst(count)
                case EINTR: break
                case EAGAIN: SingleDescriptorPoll.wait(for: .write, on: descriptor)
                case let code: return code
                }
            }
            return 0
        }
    }
}

/// read(2) and write(2), which methods of the same names shadow.
func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}
func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
