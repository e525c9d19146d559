import Sockets
import Text

/// An adapter's error, with the command and the output.
public struct AdapterError: Error, Sendable, Equatable {
    public let reason: Reason
    /// The command that the adapter was answering, if any.
    let asked: AdapterCommand?
    let received: [UInt8]?

    public enum Reason: Error, Sendable, Hashable {
        /// The adapter could not be started or reached, with the system's message.
        case notStarted(String)
        /// The adapter ended; the string describes how.
        case ended(String)
        /// The adapter closed its standard output but is still running.
        case closedOutput
        case late
        /// The adapter's line exceeds the limit.
        case tooLong
        /// The adapter was no longer running when it should have received this command.
        case notRunning
        case unsupported
        /// The adapter reports a failure with this message.
        case refused(String)
        /// The adapter wrote a line without a command.
        case unasked
        /// The adapter's answer is invalid for this reason.
        case badAnswer(String)
    }

    init(_ reason: Reason, to command: AdapterCommand? = nil, received: [UInt8]? = nil) {
        self.reason = reason
        asked = command
        self.received = received
    }

    /// Whether the feature is unsupported; cases that need an unsupported feature are skipped.
    public var isUnsupported: Bool { reason == .unsupported }

    /// Whether the adapter can no longer answer.
    public var isDeath: Bool {
        switch reason {
        case .notStarted, .ended, .closedOutput: true
        default: false
        }
    }

    /// Whether the adapter answered, even with a refusal, and can answer the next command.
    var isAnswer: Bool {
        switch reason {
        case .unsupported, .refused: true
        default: false
        }
    }
}

extension AdapterError: CustomStringConvertible {
    /// The command, the answer and the expectation, in one to three sentences.
    public var description: String {
        let (command, expectation) = (asked?.name ?? "", asked?.expectation ?? "")
        let line = asked.map { " \(Self.excerpt($0.line))" } ?? ""
        let toLine = line.isEmpty ? "" : " to\(line)"
        return switch reason {
        case .notStarted(let reason): "The adapter is not running: \(reason)."
        case .ended(let how):
            "The adapter \(how) instead of answering\(line). "
                + (received.map(Self.lastWords) ?? "The adapter wrote nothing to standard error.")
        case .closedOutput:
            "The adapter closed its standard output instead of answering\(line). Standard output must stay "
                + "open until the adapter exits."
        case .late:
            "The adapter did not answer\(line) in time. It must answer immediately, and flush its output "
                + "after each line. Expected: \(expectation)."
        case .tooLong:
            "The adapter's answer\(toLine) is longer than \(AdapterLimits.lineBytes >> 20) MiB. Expected one line: "
                + "\(expectation)."
        case .notRunning: "The adapter exited, or was stopped, earlier in this case: '\(command)' was not sent."
        case .unsupported: "The adapter says that it does not support '\(command)'."
        case .refused(let text):
            text.isEmpty
                ? "The adapter answered\(line) with a failure, but without an 'error' that explains it."
                : "The adapter answered\(line) with a failure: \(text)"
        case .unasked:
            "The adapter wrote \(Self.excerpt(received ?? [])) without being asked, before '\(command)' was "
                + "sent. It must answer each command with one line; human-readable output belongs on standard error."
        case .badAnswer(let reason):
            "The adapter's answer\(toLine) is \(Self.excerpt(received ?? [])): \(reason)"
                + "\(reason.hasSuffix("?") ? "" : ".") Expected: \(expectation)."
        }
    }

    /// The last lines of the adapter's standard error, joined into one line.
    private static func lastWords(_ bytes: [UInt8]) -> String {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").suffix(3)
        return "Its last lines on standard error: \(lines.joined(separator: " / ").onOneLine(limit: 400))"
    }

    /// A line for use in messages, truncated and without its line ending.
    private static func excerpt(_ line: [UInt8]) -> String {
        var bytes = line[...]
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.isEmpty { return "an empty line" }
        return String(decoding: bytes.prefix(200), as: UTF8.self) + (bytes.count > 200 ? "…" : "")
    }
}

/// Errors about an answer, without a full stop.
extension AnswerError {
    static func notJSON(_ message: String, column: Int) -> Self {
        .badAnswer(
            "it is not valid JSON at column \(column) (\(message)); human-readable output belongs on standard error")
    }
    static func notAnObject(_ type: String) -> Self { .badAnswer("it is \(type), not an object") }
    static func wrong(path: String, found: String, expected: String) -> Self {
        .badAnswer("'\(path)' is \(found), not \(expected)")
    }
    /// - Parameter nearest: The known name that is most similar to the path's last part.
    static func unknown(path: String, nearest: String?) -> Self {
        .badAnswer("'\(path)' is not one of its members" + (nearest == nil ? "" : "." + NearestWord.hint(nearest)))
    }
}

extension ChildProcess.Outcome {
    /// How the process ended, such as `exited with status 1` or `was terminated by signal 9`.
    var inWords: String {
        switch self {
        case .exited(let status): "exited with status \(status)"
        case .signalled(let number): "was terminated by signal \(number)"
        }
    }
}

/// An adapter's limits: bytes per line, and time per answer.
public struct AdapterLimits: Sendable, Hashable {
    /// The maximum size of a line in either direction, in bytes: 1 MiB.
    public static let lineBytes = 1 << 20
    /// The time limit for an answer, on the system's clock: 10 s.
    public var answerTime = Duration.seconds(10)
    /// How long the process may take to end after standard input is closed, and again after SIGTERM: 2 s.
    public var endTime = Duration.seconds(2)

    public init() {}
}
