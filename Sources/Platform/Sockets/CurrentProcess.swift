import CLibrary
import CPlatform

/// The current process: its id, limits and standard streams.
public enum CurrentProcess {
    public static var identifier: Int32 { getpid() }

    /// The words of the command line, the program's name first.
    ///
    /// `CommandLine.arguments` searches the stack for them on Linux, and fails without `/proc` or once a library has
    /// moved the environment.
    public static let arguments: [String] = {
        guard var next = cplatform_arguments() else { return CommandLine.arguments }
        var words: [String] = []
        while let word = next.pointee {
            words.append(String(cString: word))
            next += 1
        }
        return words
    }()

    /// Raises the limit of open files towards the wanted count, and returns the new limit.
    ///
    /// The limit is never lowered, and never raised above the administrator's hard limit; each connection takes one
    /// descriptor. Source: setrlimit(2), `RLIMIT_NOFILE`.
    @discardableResult
    public static func raiseFileDescriptorLimit(to wanted: Int) -> Int {
        max(0, Int(cplatform_raise_descriptor_limit(Int64(wanted))))
    }

    /// Makes writing to a broken pipe fail with EPIPE instead of ending the process.
    ///
    /// Sockets of this module never raise SIGPIPE; this covers the rest, such as standard output. A handler that the
    /// program has installed is kept.
    public static func ignoreBrokenPipeSignal() { cplatform_ignore_signal(SIGPIPE) }

    /// Makes writing beyond the limit on file sizes (`ulimit -f`) fail with EFBIG instead of ending the process.
    ///
    /// A handler that the program has installed is kept.
    public static func ignoreFileSizeSignal() { cplatform_ignore_signal(SIGXFSZ) }

    /// Reserves the descriptors of closed standard streams, so that no file opened later takes their numbers.
    ///
    /// Otherwise output for the stream would be written to that file. Using such a stream still fails.
    public static func holdStandardStreams() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // This takes the lowest free number, and opens in the wrong direction, so that using it fails.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Whether a process with the id runs; a zombie does not.
    ///
    /// Source: kill(2), signal 0; proc(5) `/proc/pid/stat`, if the system has it.
    public static func isRunning(_ identifier: Int32) -> Bool {
        guard kill(identifier, 0) == 0 || errno == EPERM else { return false }
        // The name of the program is in brackets and may contain any bytes; the state follows.
        guard let stat = try? FileReader("/proc/\(identifier)/stat").read(upTo: 4096),
            let end = stat.lastIndex(of: UInt8(ascii: ")"))
        else { return true }
        return ![UInt8(ascii: "Z"), UInt8(ascii: "X")].contains(stat.dropFirst(end + 2).first)
    }

    /// How long ago a process started, in whole seconds; nil if the system does not say.
    public static func age(of identifier: Int32) -> Int64? {
        let age = cplatform_process_age(identifier)
        return age < 0 ? nil : age
    }
}

/// Output to descriptors without offsets: pipes, terminals, devices, and the standard streams.
public enum DescriptorOutput {
    /// Writes all bytes, waiting for room as needed; returns the errno of the failure, or 0.
    ///
    /// It also waits if a program that shares the descriptor has made it non-blocking.
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

/// read(2) and write(2), which methods of the same names hide.
func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}
func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
