import CPlatform

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

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
