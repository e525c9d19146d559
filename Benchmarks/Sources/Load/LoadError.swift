import Glibc

/// The reason why a measurement failed.
public enum LoadError: Error, CustomStringConvertible {
    /// A system call failed.
    case system(call: String, code: Int32)
    /// The server closed a connection while an answer was due.
    case closed(during: String)
    /// The server's answer is not what the measurement needs.
    case unexpected(String, wanted: String, during: String)
    /// The command line is not usable.
    case usage(String)

    /// One line: what happened, and what the measurement expected.
    public var description: String {
        switch self {
        case .system(let call, let code): "\(call): \(String(cString: strerror(code)))"
        case .closed(let activity): "the server closed the connection during \(activity)"
        case .unexpected(let got, let wanted, let activity): "\(activity): wanted \(wanted), got \(got)"
        case .usage(let message): message
        }
    }

    /// The failure of the system call that just returned.
    public static func lastCall(_ name: String) -> LoadError { .system(call: name, code: errno) }
}

/// Runs a command's body; prints an error to standard error and exits with 2 for usage, 1 for anything else.
public func runCommand(_ name: String, _ body: () throws -> Void) {
    do {
        try body()
    } catch {
        leave(name, error)
    }
}

/// The same for asynchronous work.
public func runCommand(_ name: String, _ body: @Sendable () async throws -> Void) async {
    do {
        try await body()
    } catch {
        leave(name, error)
    }
}

private func leave(_ name: String, _ error: any Error) -> Never {
    let line = Array("\(name): \(error)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
    if case LoadError.usage = error { exit(2) }
    exit(1)
}
