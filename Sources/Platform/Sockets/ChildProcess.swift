import CPlatform

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A program that this process has started, in a process group of its own.
///
/// Its end is certain: ``end(grace:)`` ends all that it has started, too. Call it also where the program has ended by
/// itself: only then are its resources given back. Released before, all of it is killed.
///
/// On Linux, this holds for daemons that have left the group, and it holds where this process is killed (SIGKILL): a
/// second process, the guardian, sees to it. Other systems have nothing of the kind: there, what leaves the group is
/// not found, and a program outlives this process where that is killed. Nowhere is found what another service starts
/// on the program's behalf, such as systemd, or a daemon that ran before.
public final class ChildProcess {
    /// The process id, which is also the id of its group.
    public var identifier: Int32 { keeper.identifier }
    /// How it ended; nil while it runs, or before anybody asked.
    public private(set) var outcome: Outcome?
    /// Whether ``end(grace:)`` could not end all that the program had started.
    public private(set) var leavesProcesses = false

    /// It and all that it started, for other threads.
    public var group: ChildGroup { ChildGroup(keeper: keeper) }

    private let keeper: any ChildKeeper
    private var hasEnded = false

    /// How a program ended.
    public enum Outcome: Sendable, Hashable {
        /// By itself, with a status from 0 to 255.
        case exited(Int)
        /// By a signal.
        case signalled(Int)
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - command: the program, looked up along `PATH` unless it has a slash, and its arguments; not empty.
    ///   - environment: `NAME=value` each; see ``CurrentProcess/environment(with:)``.
    ///   - streams: what its standard input, output and error are.
    /// - Throws: where the program cannot be started.
    public convenience init(
        _ command: [String], environment: [String], streams: Streams = Streams()
    ) throws(ChildProcessError) {
        try self.init(command, environment: environment, streams: streams, keeping: .platformDefault)
    }

    init(
        _ command: [String], environment: [String], streams: Streams = Streams(), keeping: Keeping
    ) throws(ChildProcessError) {
        precondition(!command.isEmpty, "a command has at least a name")
        keeper = try keeping.start(command, environment, streams)
    }

    deinit {
        if !hasEnded {
            keeper.kill()
            _ = keeper.end(grace: .zero)
        }
    }

    /// A descriptor that becomes readable when the program has ended, and stays so until it is ended; for an event loop.
    public var exitDescriptor: Int32 { keeper.exitDescriptor }

    /// Waits until the program has ended, at most until the deadline.
    ///
    /// - Returns: nil where it still runs. The programs that it started may run on.
    @discardableResult
    public func wait(until deadline: MonotonicInstant) -> Outcome? {
        if let outcome { return outcome }
        guard SingleDescriptorPoll.wait(for: .read, on: exitDescriptor, until: deadline) == nil else { return nil }
        outcome = keeper.outcome()
        return outcome
    }

    /// Ends the program and all that it started: asks by SIGTERM, and after the time of grace does it by SIGKILL.
    ///
    /// Returns as soon as nothing of it runs any more, or a few seconds after SIGKILL.
    @discardableResult
    public func end(grace: Duration) -> Outcome {
        if hasEnded, let outcome { return outcome }
        hasEnded = true
        let end = keeper.end(grace: grace)
        leavesProcesses = !end.isComplete
        let outcome = outcome ?? end.outcome
        self.outcome = outcome
        return outcome
    }
}

/// A program and all that it started: what other threads may know of it.
public struct ChildGroup: Sendable {
    let keeper: any ChildKeeper

    /// Kills the program and all that it started; nothing once it was ended.
    ///
    /// Any thread may call. It has to be ended by ``ChildProcess/end(grace:)`` all the same.
    public func kill() { keeper.kill() }
}

extension ChildProcess {
    /// What a program's standard streams are; those that are left out are this process's own.
    public struct Streams: Sendable {
        /// What it reads.
        public var input: Stream
        /// What it writes to.
        public var output: Stream
        /// What it complains to.
        public var errors: Stream

        /// One of them.
        public enum Stream: Sendable, Hashable {
            /// The one of this process.
            case inherited
            /// Nothing: the end of the input, or nowhere.
            case null
            /// A descriptor of this process, which stays open here.
            case descriptor(Int32)
        }

        /// Says what they are; a program that is left alone reads nothing.
        public init(input: Stream = .null, output: Stream = .inherited, errors: Stream = .inherited) {
            self.input = input
            self.output = output
            self.errors = errors
        }
    }

    /// posix_spawnp(3): the child leads a group of its own, blocks no signal, and does not ignore SIGPIPE
    /// and SIGXFSZ as this process does.
    ///
    /// All other descriptors of this process are closed when a program is executed.
    static func spawn(
        _ command: [String], _ environment: [String], _ streams: Streams
    ) throws(ChildProcessError) -> Int32 {
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
        posix_spawnattr_setflags(&attributes, Int16(flags))

        var identifier: pid_t = 0
        let code = withCStrings(command) { arguments in
            withCStrings(environment) { variables in
                posix_spawnp(&identifier, command[0], &actions, &attributes, arguments, variables)
            }
        }
        guard code == 0 else { throw ChildProcessError(.start(command[0]), code: code) }
        return identifier
    }

    /// The texts as C has them, with a null pointer at the end.
    static func withCStrings(
        _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32
    ) -> Int32 {
        var pointers: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        return pointers.withUnsafeMutableBufferPointer { buffer in
            guard let first = buffer.baseAddress else { return EINVAL }
            return body(first)
        }
    }
}

extension CurrentProcess {
    /// This process's environment, `NAME=value` each, with other values for some of the names.
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

/// A program that could not be started, or not be spoken with.
public struct ChildProcessError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What was being attempted.
    public enum Operation: Sendable, Equatable {
        /// Starting the program of that name.
        case start(String)
        /// Opening a pipe to it.
        case openPipe
        /// Watching for its end.
        case watch
        /// Writing to its standard input.
        case write
        /// Reading what it writes to its standard output.
        case read
    }

    /// What was being attempted.
    public let operation: Operation
    /// The errno of the failure.
    public let code: Int32

    /// A failure of the operation with that errno.
    public init(_ operation: Operation, code: Int32) {
        self.operation = operation
        self.code = code
    }

    /// Whether the time allowed for the operation ran out.
    public var isTimeout: Bool { code == ETIMEDOUT }

    /// What the person at the keyboard is told, without a full stop.
    public var description: String {
        switch operation {
        case .start(let name): "cannot start '\(name)': \(startReason(name))"
        case .openPipe: "cannot open a pipe to a program: \(reason)"
        case .watch: "cannot watch a program: \(reason)"
        case .write: "cannot write to the program: \(code == EPIPE ? "it reads no more" : reason)"
        case .read: "cannot read from the program: \(reason)"
        }
    }

    private var reason: String {
        switch code {
        case ETIMEDOUT: "its time is up"
        case EMFILE: "this process has reached its limit of open files; raise it with ulimit -n"
        default: String(cString: strerror(code))
        }
    }

    private func startReason(_ name: String) -> String {
        switch code {
        case ENOENT where name.contains("/"):
            "there is no such file, or the interpreter that its first line names is missing"
        case ENOENT: "no folder in PATH has a program of that name; a script in this folder is './\(name)'"
        case EACCES: "it is not executable; run chmod +x on it, or name its interpreter first"
        case ENOEXEC: "it is no program that this system can run; a script begins with a line like #!/bin/sh"
        case E2BIG: "its arguments and the environment are too long together"
        default: reason
        }
    }
}
