import Logging
import Sockets
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Standard output, which remembers that it could not be written: the standard library's `print` does not.
///
/// What fails is told once, at the end of the program, and ends it with exit code 3.
enum StandardOutput {
    private struct State {
        var pending: [UInt8] = []
        // The first failure. What comes after it is dropped, so that what was written is a beginning of the whole.
        var failure: Int32 = 0
    }

    private static let state = Mutex(State())
    private static let bufferSize = 64 * 1024

    /// Writes bytes, soon; on a terminal at once.
    static func write(_ bytes: [UInt8]) {
        let isFull = state.withLock { state in
            state.pending += bytes
            return state.pending.count >= bufferSize
        }
        if isFull || isTerminal { flush() }
    }

    /// Writes what is pending.
    static func flush() {
        state.withLock { state in
            if state.failure == 0 { state.failure = DescriptorOutput.writeAll(state.pending, to: STDOUT_FILENO) }
            state.pending.removeAll(keepingCapacity: true)
        }
    }

    /// Writes what is pending; what went wrong since the start, or since this was asked last, as a sentence.
    ///
    /// A reader that has seen enough, such as `head`, is no failure.
    static func takeTrouble() -> String? {
        flush()
        let code = state.withLock { state in
            defer { state.failure = 0 }
            return state.failure
        }
        guard code != 0, code != EPIPE else { return nil }
        return Messages.standardOutput(FileError(.write, path: "", code: code))
    }

    /// Writes what is pending, and only logs what went wrong: for a server, whose output is a courtesy.
    static func excuse(_ logger: Logger) {
        if let trouble = takeTrouble() { logger.warning("\(trouble)") }
    }

    private static let isTerminal = isatty(STDOUT_FILENO) == 1
}

/// Writes a line to standard output.
///
/// This hides the `print` of the standard library, which ignores errors.
func print(_ text: String, terminator: String = "\n") {
    StandardOutput.write(Array((text + terminator).utf8))
}
