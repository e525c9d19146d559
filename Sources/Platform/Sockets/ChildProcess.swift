import CLibrary
import CPlatform

/// A program that this process started in a separate process group.
///
/// ``end(grace:)`` also ends everything that the program has started. Call ``end(grace:)`` even after the program has
/// exited, to release the resources. If ``end(grace:)`` was not called, the deinitializer kills everything.
///
/// On Linux a second process, the guardian, also ends daemons that left the group, and works even if this process is
/// killed (SIGKILL). Other systems do not find processes that left the group, and killing this process leaves the
/// program running. Processes that another service starts for the program are never found.
public final class ChildProcess {
    /// The process id, which is also the id of the process group.
    public var identifier: Int32 { keeper.identifier }
    /// The outcome; nil while the program is running or before the outcome has been queried.
    public private(set) var outcome: Outcome?
    /// Whether ``end(grace:)`` failed to end everything that the program had started.
    public private(set) var leavesProcesses = false
    /// The program and everything that it started, for other threads.
    public var group: ChildGroup { ChildGroup(keeper: keeper) }
    private let keeper: any ChildKeeper
    private var hasEnded = false

    public enum Outcome: Sendable, Hashable {
        /// Exited, with a status from 0 to 255.
        case exited(Int)
        /// Ended by a signal.
        case signalled(Int)
    }

    /// Starts a program with its arguments; the program is looked up in `PATH` unless its name contains a slash.
    ///
    /// The environment has `NAME=value` entries; see ``CurrentProcess/environment(with:)``.
    public convenience init(
        _ command: [String], environment: [String], streams: Streams = Streams()
    ) throws(ChildProcessError) {
        try self.init(command, environment: environment, streams: streams, keeping: .platformDefault)
    }

    init(
        _ command: [String], environment: [String], streams: Streams = Streams(), keeping: Keeping
    ) throws(ChildProcessError) {
        precondition(!command.isEmpty, "a command must have at least a name")
        keeper = try keeping.start(command, environment, streams)
    }

    deinit {
        guard !hasEnded else { return }
        keeper.kill()
        _ = keeper.end(grace: .zero)
    }

    /// A descriptor for an event loop, readable from when the program exits until ``end(grace:)`` is called.
    public var exitDescriptor: Int32 { keeper.exitDescriptor }

    /// Waits until the program exits or the deadline passes; nil if it is still running.
    ///
    /// Other processes that it started may continue to run.
    @discardableResult
    public func wait(until deadline: MonotonicInstant) -> Outcome? {
        if let outcome { return outcome }
        guard SingleDescriptorPoll.wait(for: .read, on: exitDescriptor, until: deadline) == nil else { return nil }
        outcome = keeper.outcome()
        return outcome
    }

    /// Ends the program and everything that it started: SIGTERM first, and SIGKILL after the grace period.
    ///
    /// Returns as soon as all have ended, or a few seconds after SIGKILL.
    @discardableResult
    public func end(grace: Duration) -> Outcome {
        if hasEnded, let outcome { return outcome }
        hasEnded = true
        let end = keeper.end(grace: grace)
        leavesProcesses = !end.isComplete
        outcome = outcome ?? end.outcome
        return outcome ?? end.outcome
    }
}

/// A program and everything that it started, as visible to other threads.
public struct ChildGroup: Sendable {
    let keeper: any ChildKeeper

    /// Kills the program and everything that it started; does nothing after ``ChildProcess/end(grace:)``.
    ///
    /// Any thread may call this method. ``ChildProcess/end(grace:)`` must still be called.
    public func kill() { keeper.kill() }
}

extension ChildProcess {
    /// A program's standard streams; by default it reads nothing and shares this process's output and error.
    public struct Streams: Sendable {
        public var input: Stream
        public var output: Stream
        public var errors: Stream

        public enum Stream: Sendable, Hashable {
            /// This process's stream.
            case inherited
            /// The null device: end of input, or discarded output.
            case null
            /// A descriptor in this process, which remains open here.
            case descriptor(Int32)
        }

        public init(input: Stream = .null, output: Stream = .inherited, errors: Stream = .inherited) {
            (self.input, self.output, self.errors) = (input, output, errors)
        }
    }

    /// Starts a program with posix_spawnp(3).
    ///
    /// The child leads its own group, blocks no signals and, unlike this process, does not ignore SIGPIPE or SIGXFSZ.
    /// The child inherits no other descriptors.
    static func spawn(_ command: [String], _ environment: [String], _ streams: Streams) throws(ChildProcessError)
        -> Int32
    {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for (target, stream) in [streams.input, streams.output, streams.errors].enumerated() {
            let target = Int32(target)
            switch stream {
            case .inherited: break
            case .null:
                posix_spawn_file_actions_addopen(
                    &actions, target, "/dev/null", target == STDIN_FILENO ? O_RDONLY : O_WRONLY, 0)
            case .descriptor(let descriptor): posix_spawn_file_actions_adddup2(&actions, descriptor, target)
            }
        }
        var none = sigset_t()
        sigemptyset(&none)
        var ignored = sigset_t()
        sigemptyset(&ignored)
        sigaddset(&ignored, SIGPIPE)
        sigaddset(&ignored, SIGXFSZ)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &ignored)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = Int32(POSIX_SPAWN_SETPGROUP) | Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
        posix_spawnattr_setflags(&attributes, Int16(flags) | cplatform_spawn_with_streams_only(&actions))

        var identifier: pid_t = 0
        let code = withCStrings(command) { arguments in
            withCStrings(environment) { variables in
                posix_spawnp(&identifier, command[0], &actions, &attributes, arguments, variables)
            }
        }
        guard code == 0 else { throw ChildProcessError(.start(command[0]), code: code) }
        return identifier
    }

    /// The strings as a null-terminated array of C strings.
    static func withCStrings(
        _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32
    ) -> Int32 {
        var pointers: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        return pointers.withUnsafeMutableBufferPointer { $0.baseAddress.map(body) ?? EINVAL }
    }
}

extension CurrentProcess {
    /// The `NAME=value` entries whose names begin with a prefix.
    public static func environment(beginning prefix: String) -> [String] {
        var (result, next) = ([String](), cplatform_environment())
        while let entry = next?.pointee {
            if strncmp(entry, prefix, prefix.utf8.count) == 0 { result.append(String(cString: entry)) }
            next? += 1
        }
        return result
    }

    /// This process's environment as `NAME=value` entries, with the given values replaced or added.
    public static func environment(with values: [(name: String, value: String)] = []) -> [String] {
        var result: [String] = []
        let names = values.map { $0.name + "=" }
        if var next = cplatform_environment() {
            while let entry = next.pointee {
                let text = String(cString: entry)
                if !names.contains(where: text.hasPrefix) { result.append(text) }
                next += 1
            }
        }
        return result + values.map { "\($0.name)=\($0.value)" }
    }
}

/// A failure to start a program or to communicate with it.
public struct ChildProcessError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Operation: Sendable, Equatable {
        case start(String)
        case openPipe
        /// Watching for the program's exit.
        case watch
        case write, read
    }

    public let operation: Operation
    /// The errno of the failure.
    public let code: Int32
    public init(_ operation: Operation, code: Int32) { (self.operation, self.code) = (operation, code) }
    public var isTimeout: Bool { code == ETIMEDOUT }

    /// The message for the user, without a full stop.
    public var description: String {
        switch operation {
        case .start(let name): "cannot start '\(name)': \(startReason(name))"
        case .openPipe: "cannot open a pipe to a program: \(reason)"
        case .watch: "cannot watch a program: \(reason)"
        case .write: "cannot write to the program: \(code == EPIPE ? "it no longer reads its input" : reason)"
        case .read: "cannot read from the program: \(reason)"
        }
    }

    private var reason: String {
        switch code {
        case ETIMEDOUT: "its time limit has expired"
        case EMFILE: "this process has reached its limit on open files; raise it with ulimit -n"
        default: String(cString: strerror(code))
        }
    }

    private func startReason(_ name: String) -> String {
        switch code {
        case ENOENT where name.contains("/"):
            "there is no such file, or the interpreter named in its first line is missing"
        case ENOENT: "no program with that name in PATH; to run a script in this folder, use './\(name)'"
        case EACCES: "it is not executable; run chmod +x on it, or run it with its interpreter"
        case ENOEXEC: "it is not a program that this system can run; a script begins with a line like #!/bin/sh"
        case E2BIG: "its arguments and environment together are too long"
        default: reason
        }
    }
}
