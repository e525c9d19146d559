import FitIQAPI

/// The last operations, which are formatted only if a run fails.
struct Trace {
    struct Entry {
        let step: Int
        let time: Timestamp
        /// The client's number; 0 for the clock and the server.
        let client: Int
        let operation: Operation
        /// The status of its response, or 0 before the response.
        var status = 0

        func text(since start: Timestamp) -> String {
            let milliseconds = (time.nanosecondsSinceEpoch - start.nanosecondsSinceEpoch) / 1_000_000
            let who = client == 0 ? "clock" : "client \(client)"
            let outcome = status == 0 ? "" : " → \(status)"
            return "\(step) +\(milliseconds) ms, \(who): \(operation)\(outcome)"
        }
    }

    static let length = 40
    private var entries: [Entry] = []
    private var next = 0

    /// Records an operation; returns the number for recording its outcome.
    mutating func append(_ entry: Entry) -> Int {
        if entries.count < Trace.length { entries.append(entry) } else { entries[next % Trace.length] = entry }
        next += 1
        return next - 1
    }

    mutating func answered(_ number: Int, status: Int) {
        guard number >= 0, number < next, next - number <= entries.count else { return }
        entries[number % Trace.length].status = status
    }

    func lines(since start: Timestamp) -> [String] {
        let first = max(0, next - entries.count)
        return (first..<next).map { entries[$0 % Trace.length].text(since: start) }
    }
}
