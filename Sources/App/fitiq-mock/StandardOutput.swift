import CLibrary
import FitIQAPI
import JSON
import Logging
import Sockets
import Synchronization
import Text

/// Standard output that remembers write errors, which the standard library's `print` ignores.
///
/// A failure is reported once, when the program ends, and makes it exit with code 3.
enum StandardOutput {
    private struct State {
        var pending: [UInt8] = []
        // The first failure. Any later output is dropped, so that what was written is the start of the whole output.
        var failure: Int32 = 0
    }

    private static let state = Mutex(State())
    private static let bufferSize = 64 * 1024

    /// Writes bytes, buffered except on a terminal.
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

    /// Writes pending output.
    ///
    /// Returns the failure since the last call, if any, as a sentence.
    ///
    /// A reader such as `head` that stops reading is not a failure.
    static func takeTrouble() -> String? {
        flush()
        let code = state.withLock { state in
            defer { state.failure = 0 }
            return state.failure
        }
        guard code != 0, code != EPIPE else { return nil }
        return Messages.standardOutput(FileError(.write, path: "", code: code))
    }

    /// Whether writing is impossible, for example because a pipe's reader has exited.
    static var hasFailed: Bool { state.withLock { $0.failure != 0 } }

    /// Writes pending output and only logs a failure, for a server, whose output is not essential.
    static func excuse(_ logger: Logger) { if let trouble = takeTrouble() { logger.warning("\(trouble)") } }

    private static let isTerminal = System.isTerminal(.output)
}

/// Writes a line to standard output.
///
/// Terminal control characters are escaped, regardless of where the text comes from.
///
/// This function hides the standard library's `print`, which ignores errors.
func print(_ text: String, terminator: String = "\n") { draw(TerminalText.printed(text + terminator)) }

/// Writes text that contains our own control sequences to standard output; the rest of it must already be escaped.
func draw(_ text: String) { StandardOutput.write(Array(text.utf8)) }

/// Writes lines to a descriptor without ever blocking, because a reader that stops reading must not stop the server.
///
/// Lines that do not fit are dropped, and the next line can report how many.
final class LineOutput: Sendable {
    private let descriptor: Int32
    private let dropped = Atomic<Int>(0)
    /// A pipe that is ready for writing accepts this many bytes in a write, including the line end (pipe(7), PIPE_BUF).
    static let limit = 4096

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Writes a line of fewer than ``limit`` bytes.
    ///
    /// A longer line is truncated.
    ///
    /// - Parameter line: receives the number of lines dropped since the last one, and returns the line.
    func add(_ line: (_ dropped: Int) -> String) {
        var bytes = Array(line(dropped.load(ordering: .relaxed)).utf8.prefix(Self.limit - 1))
        bytes.append(UInt8(ascii: "\n"))
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        let hasRoom = poll(&entry, 1, 0) == 1 && entry.revents & Int16(POLLOUT) != 0
        if hasRoom, write(descriptor, bytes, bytes.count) == bytes.count {
            dropped.store(0, ordering: .relaxed)
        } else {
            dropped.add(1, ordering: .relaxed)
        }
    }
}

/// A log on standard error that never blocks, as text or JSON, with one event per line.
struct LineLog: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.notice
    var format = Format.text
    private let output = LineOutput(STDERR_FILENO)

    enum Format: String, CaseIterable { case text, json }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let time = Timestamp(nanosecondsSinceEpoch: WallClock.nanosecondsSinceEpoch()).wireText
        output.add { dropped in
            switch format {
            case .text:
                let note = dropped == 0 ? "" : Messages.droppedLines(dropped)
                return "\(note)\(time) \(event.level) \(TerminalText.printed(event.message.description))"
            case .json: return Self.json(event, at: time, dropped: dropped)
            }
        }
    }

    /// The members of an event that come first, in this order; the others follow, sorted by name.
    private static let members = [
        "world", "connection", "method", "target", "status", "duration_ms", "code", "reason", "user", "by", "cause",
    ]

    /// Formats an object on one line of fewer than ``LineOutput/limit`` bytes.
    ///
    /// Long strings are truncated, but the line never is.
    static func json(_ event: LogEvent, at time: String, dropped: Int = 0) -> String {
        var facts = event.metadata ?? [:]
        let name = facts.removeValue(forKey: "event")?.description ?? "message"
        func place(_ key: String) -> Int { members.firstIndex(of: key) ?? .max }
        let order = facts.keys.sorted { (place($0), $0) < (place($1), $1) }
        func line(_ limit: Int) -> String {
            let bytes = JSONWriter.object { writer in
                writer.member("time", time)
                writer.member("level", event.level.rawValue)
                writer.member("event", name)
                writer.member("message", event.message.description.cut(toBytes: limit))
                for key in order {
                    writer.key(escaping: key)
                    if case .stringConvertible(let value) = facts[key], let number = value as? Int {
                        writer.value(number)
                    } else {
                        writer.value((facts[key]?.description ?? "").cut(toBytes: limit))
                    }
                }
                if dropped > 0 { writer.member("dropped", dropped) }
            }
            return TerminalText.printed(json: String(decoding: bytes, as: UTF8.self))
        }
        // A byte may take up to six bytes in JSON, and an event may have up to a dozen strings.
        let lines = [LineOutput.limit, 1000, 250, 50].lazy.map(line)
        return lines.first { $0.utf8.count < LineOutput.limit } ?? line(10)
    }
}

/// The final steps of a program.
///
/// All steps run, even if some fail.
///
/// The first failure determines the exit code, and the others are logged.
struct Conclusions {
    private let logger: Logger
    private var first: Failure?

    init(_ logger: Logger) { self.logger = logger }

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
