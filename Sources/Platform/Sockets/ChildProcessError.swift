#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

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
