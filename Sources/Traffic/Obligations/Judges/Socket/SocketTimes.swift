import FitIQAPI

/// The times that sockets are judged by, in nanoseconds.
enum SocketTimes {
    /// What the network and the scheduler may take where a minimum is judged.
    static let tolerance: Int64 = 50_000_000
    static let second: Int64 = 1_000_000_000
    /// The shortest wait before a reconnect.
    static let shortestWait = second
    /// The longest silence of a client on an open socket, and how much later a ping may come.
    static let keepAlive = 30 * second
    static let keepAliveTolerance = 2 * second
    /// How long a client that closed stays away.
    static let stayAway = 3 * second
    /// The longest time from the server's close frame to the end that stands in the journal.
    static let serverClosing = 2 * second
    /// How long a client may take to fetch what it missed.
    static let recovery = 10 * second
    /// An answer of which nothing comes for so long counts as given up.
    static let silentAnswer = 10 * second
    /// A client that has not tried for so long has stopped trying.
    static let gaveUp = 60 * second
    /// The most tries in a row.
    static let tryLimit = 5
}

extension Timestamp {
    /// The nanoseconds from an earlier time to this one.
    func nanoseconds(since earlier: Timestamp) -> Int64 {
        nanosecondsSinceEpoch &- earlier.nanosecondsSinceEpoch
    }
}
