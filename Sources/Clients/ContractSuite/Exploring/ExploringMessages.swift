import FitIQAPI
import Text
import Traffic

/// The words of exploring, for people.
enum ExploringMessages {
    // MARK: Symptoms

    static func flood(_ count: Int, limit: Int) -> String {
        "The client sent \(count) requests and handshakes within a minute; at most \(limit) are to be expected."
    }
    static func restless(_ entry: JournalEntry, since start: Timestamp) -> String {
        "The client went on after its user had left: \(EntryLine(entry, since: start).text)"
    }
    static func exited(_ status: Int) -> String { "The command ended with status \(status)." }
    static func signalled(_ signal: Int) -> String { "Signal \(signal) ended the client." }
    static let timedOut = "The client was still running at its time limit."
}
