import CLibrary
import FitIQAPI
import Logging
import Sockets
import Synchronization

/// Standard output that remembers write errors, which the standard library's `print` ignores.
///
/// A failure is reported once, at the end of the program, and makes it exit with code 3.
enum StandardOutput {
    private struct State {
        var pending: [UInt8] = []
        // The first failure. Later output is dropped, so the output written is a prefix of the whole.
        var failure: Int32 = 0
    }

    private static let state = Mutex(State())
    private static let bufferSize = 64 * 1024

    /// Writes bytes with buffering; at once on a terminal.
    static func write(_ bytes: [UInt8]) {
        let isFull = state.withLock { state in
            state.pending += bytes
            return state.pending.count >= bufferSize
        }
        if isFull || isTerminal { flush() }
    }

    static func flush() {
        state.withLock { state in
            if state.failure == 0 { state.failure = DescriptorOutput.writeAll(state.pending, to: STDOUT_FILENO) }
            state.pending.removeAll(keepingCapacity: true)
        }
    }

    /// Writes what is pending; returns the failure since the start or the last call, as a sentence.
    ///
    /// A reader that has seen enough, such as `head`, is not a failure.
    static func takeTrouble() -> String? {
        flush()
        let code = state.withLock { state in
            defer { state.failure = 0 }
            return state.failure
        }
        guard code != 0, code != EPIPE else { return nil }
        return Messages.standardOutput(FileError(.write, path: "", code: code))
    }

    /// Writes what is pending, and only logs a failure: for a server, whose output is not essential.
    static func excuse(_ logger: Logger) { if let trouble = takeTrouble() { logger.warning("\(trouble)") } }

    private static let isTerminal = System.isTerminal(.output)
}

/// Writes a line to standard output.
///
/// This hides the `print` of the standard library, which ignores errors.
func print(_ text: String, terminator: String = "\n") { StandardOutput.write(Array((text + terminator).utf8)) }

/// A log on standard error that never blocks: a reader that has stopped reading must not stop the server.
///
/// A line is cut to 4,096 bytes, which a pipe that polls writable accepts at once (pipe(7), PIPE_BUF). Lines that do
/// not fit are dropped, and the next one written gives their number.
struct LineLog: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.notice
    private let output = Output()

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let time = Timestamp(nanosecondsSinceEpoch: WallClock.nanosecondsSinceEpoch()).wireText
        output.add("\(time) \(event.level) \(event.message)")
    }

    private final class Output: Sendable {
        private let dropped = Atomic<Int>(0)

        func add(_ line: String) {
            let count = dropped.load(ordering: .relaxed)
            let note = count == 0 ? "" : "(\(count) lines before this one found no room) "
            var bytes = Array((note + line).utf8.prefix(4095))
            bytes.append(UInt8(ascii: "\n"))
            var entry = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
            let hasRoom = poll(&entry, 1, 0) == 1 && entry.revents & Int16(POLLOUT) != 0
            if hasRoom, write(STDERR_FILENO, bytes, bytes.count) == bytes.count {
                dropped.store(0, ordering: .relaxed)
            } else {
                dropped.add(1, ordering: .relaxed)
            }
        }
    }
}

/// The final steps of a program: all of them run, even if some fail.
///
/// The first failure decides the exit code; the others are logged.
struct Conclusions {
    private let logger: Logger
    private var first: Failure?

    init(_ logger: Logger) { self.logger = logger }

    /// Runs a step; returns whether it succeeded.
    @discardableResult
    mutating func add(_ body: () throws(Failure) -> Void) -> Bool {
        do throws(Failure) {
            try body()
            return true
        } catch {
            if first == nil {
                first = error
            } else if !error.message.isEmpty {
                logger.error("\(error.message)")
            }
            return false
        }
    }

    func tell() throws(Failure) { if let first { throw first } }
}
